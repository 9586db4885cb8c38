import ReactiveGraph
import Testing

extension Examples {
    @Test("Forms of listening (G-95, G-149)")
    func listening() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let count = graph.mutable(1)
        count.listen(in: bag) { print("value", $0) }  // prints value 1
        count.listen(in: bag, replay: false) { print("later", $0) }
        count.listenEmissions(in: bag, replay: false) { emission, delivery in
            print(emission, "from", delivery.context?.value(as: String.self) ?? "nobody")
        }
        count.set(2, context: Context("the keyboard"))
        // prints value 2, then later 2, then 2 from the keyboard
        try check()
    }

    @Test("A listener that ends itself (G-47)")
    func listenWhile() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let level = graph.mutable(1)
        level.listenWhile(in: bag) { value in
            print(value)
            return value < 3
        }  // prints 1
        for value in 2...5 { level.set(value) }  // prints 2, then 3
        try check()
    }

    @Test("Receiving emptiness (G-11)")
    func listenEmissions() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let selection = graph.mutable("Ada")
        selection.listenEmissions(in: bag) { emission, _ in print(emission) }  // prints Ada
        selection.clear()  // prints empty
        try check()
    }

    @Test("An edge of one's own (G-32)")
    func ownEdge() throws {
        final class Halves: TransformEdge<Int, Int> {
            override func receive(_ value: Int, _ delivery: Delivery) {
                if value.isMultiple(of: 2) { send(value / 2) }
            }
        }

        let graph = Graph()
        let numbers = graph.mutable(8)
        let halves = graph.node(of: Int.self)
        let link = halves.link(to: numbers, via: Halves())
        numbers.set(9)
        print(halves)  // prints undefined: 4
        link?.cancel()
        try check()
    }

    @Test("Re-aiming an edge (G-23)")
    func reaim() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let first = graph.mutable("first")
        let second = graph.mutable("second")
        let shown = graph.node(of: String.self)
        shown.listen(in: bag) { print($0) }
        let edge = TransformEdge<String, String>()
        edge.from = first
        edge.to = shown  // prints first
        edge.from = second  // prints second
        edge.from = nil
        second.set("nobody hears this")
        try check()
    }

    @Test("A method that listens (G-95)")
    func listenForOwner() throws {
        final class Gauge: ListenerOwner {
            let listenBag = CancellableBag()
            var shown: [Int] = []

            func show(_ value: Int) { shown.append(value) }
        }

        let graph = Graph()
        let speed = graph.mutable(50)
        let gauge = Gauge()
        speed.listen(owner: gauge) { $0.show($1) }
        speed.set(70)
        print(gauge.shown)  // prints [50, 70]
        try check()
    }
}
