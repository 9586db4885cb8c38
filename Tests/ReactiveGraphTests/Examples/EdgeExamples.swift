import ReactiveGraph
import Testing

extension Examples {
    @Test("An edge that leads emissions through a further node (G-159)")
    func pathExtended() throws {
        final class Chosen: TransformEdge<Node<Int>, Int> {
            override func receive(_ node: Node<Int>, _ delivery: Delivery) {
                send(node.emission, path: delivery.path.appending(node), context: delivery.context)
            }
        }

        let graph = Graph()
        let bag = CancellableBag()
        let price = graph.mutable(5)
        let choice = graph.mutable(price as Node<Int>)
        let shown = graph.node(of: Int.self)
        shown.link(to: choice, via: Chosen())
        price.link(to: shown)  // a ring over `price`: it stops there
        shown.listenEmissions(in: bag, paths: true) { print($1.path.count) }  // prints 1
        choice.set(price)  // prints 3
        try check()
    }

    @Test("An edge fed by hand (G-19)")
    func feed() throws {
        let graph = Graph()
        let celsius = graph.mutable(20)
        let text = graph.node(of: String.self)
        let edge = TransformEdge<Int, String> { "\($0) °C" }
        text.link(to: celsius, via: edge)
        edge.feed(100)
        print(text, celsius)  // prints undefined: 100 °C undefined: 20
        try check()
    }

    @Test("The edge of a link (G-26)")
    func linkEdge() throws {
        let graph = Graph()
        let (inside, outside) = (graph.mutable(20), graph.mutable(8))
        let display = graph.node(of: Int.self)
        let edge = display.link(to: inside)?.edges.first
        edge?.name = "Shown"
        edge?.fromNode = outside
        print(display)  // prints undefined: 8
        edge?.propagatesEmpty = true
        outside.clear()
        print(display)  // prints undefined: empty
        try check()
    }
}
