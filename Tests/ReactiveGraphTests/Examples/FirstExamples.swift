import ReactiveGraph
import Testing

extension Examples {
    @Test("A first graph")
    func first() throws {
        let graph = Graph()
        let celsius = graph.mutable(21.5)
        let fahrenheit = celsius.map { $0 * 9 / 5 + 32 }
        let bag = CancellableBag()
        fahrenheit.listen(in: bag) { print($0) }  // prints 70.7
        celsius.set(22)  // prints 71.6
        try check()
    }

    @Test("The overview: a batch is one turn (G-34a)")
    func overview() throws {
        let graph = Graph()
        let width = graph.mutable(4)
        let height = graph.mutable(3)
        let area = Node.combineEach(width, height) { $0 * $1 }

        final class Display: ListenerOwner {
            let listenBag = CancellableBag()
        }
        let display = Display()
        area.listen(owner: display) { _, area in print(area) }  // prints 12

        width.set(5)  // prints 15
        graph.batch { batch in
            batch.set(width, 6)
            batch.set(height, 7)
        }  // prints 42
        try check()
    }
}
