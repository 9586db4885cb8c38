import ReactiveGraph
import TestSupport
import Testing

@Suite("Combine and zip of more than two nodes")
struct PackTests {
    @Test("G-85, G-81: combine of seven and nine nodes of different types", arguments: [true, false])
    func combine(settled: Bool) {
        let graph = Graph(propagation: settled ? .settled : .immediate)
        let a = graph.mutable(1)
        let late = graph.mutable(of: String.self)
        let flag = graph.mutable(true)
        let seven = Node.combine(a, a, a, a, a, a, flag)
        let nine = Node.combine(a, a, a, a, a, a, a, flag, late)
        #expect(seven.value?.6 == true && nine.isEmpty)
        var calls = 0
        let text = Node.combineEach(a, a, a, a, a, a, a, late) { a, b, c, d, e, f, g, text in
            calls += 1
            let sum = [a, b, c, d, e, f, g].reduce(0, +)
            return "\(sum)\(text)"
        }
        late.set("x")
        #expect(nine.value?.8 == "x" && text.value == "7x")
        calls = 0
        a.set(2)
        #expect(text.value == "14x")
        #expect(calls == (settled ? 1 : 7))
        text.removeUpstreamNode(late)
        a.set(3)
        #expect(text.value == "14x" && text.isEnded)
        expectSound(graph, a, late, flag)
    }

    @Test("G-85, G-86: zip of seven and eight nodes of different types, with a buffer")
    func zip() {
        let graph = Graph()
        let a = graph.mutable(of: Int.self)
        let b = graph.mutable(of: String.self)
        let control = BufferControl()
        let tuples = Node.zip(a, a, a, a, a, a, b, buffer: .dropOldest(2), control: control)
        let text = Recorder(
            Node.zipEach(a, a, a, a, a, a, a, b) { a, b, c, d, e, f, g, text in
                let sum = [a, b, c, d, e, f, g].reduce(0, +)
                return "\(sum)\(text)"
            }
        )
        for value in 1...3 { a.set(value) }
        #expect(control.count == 12 && control.droppedCount == 6)
        b.set("x")
        b.set("y")
        #expect(tuples.value?.0 == 3 && tuples.value?.6 == "y")
        #expect(text.history == ["7x", "14y"])
    }

    @Test("G-145: emptiness travels through a large combine where asked")
    func empty() {
        let graph = Graph(propagatesEmpty: true)
        let a = graph.mutable(1)
        let seven = Node.combine(a, a, a, a, a, a, a)
        a.clear()
        #expect(seven.isEmpty)
        a.set(2)
        #expect(seven.value?.0 == 2)
    }

    @Test("Are released with their last holder")
    func release() {
        expectReleased { Node.combine($0, $0, $0, $0, $0, $0, $0, $0) }
        expectReleased { Node.zip($0, $0, $0, $0, $0, $0, $0, $0) }
    }
}
