import ReactiveGraph
import Testing

extension Examples {
    @Test("zip (G-86)")
    func zip() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let request = graph.mutable(of: String.self)
        let answer = graph.mutable(of: Int.self)
        Node.zipEach(request, answer) { "\($0): \($1)" }.listen(in: bag) { print($0) }
        request.set("size")
        request.set("age")
        answer.set(17)  // prints size: 17
        answer.set(42)  // prints age: 42
        try check()
    }

    @Test("zip with a bounded buffer (G-142)")
    func zipBuffer() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let fast = graph.mutable(of: Int.self)
        let slow = graph.mutable(of: String.self)
        let control = BufferControl()
        fast.zip(with: slow, buffer: .dropOldest(2), control: control).listen(in: bag) { print($0) }
        for value in 1...5 { fast.set(value) }
        slow.set("a")  // prints (4, "a")
        print(control.count, control.peak, control.droppedCount)  // prints 1 2 3
        try check()
    }
}
