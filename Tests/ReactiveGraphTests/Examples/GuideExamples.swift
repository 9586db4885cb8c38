import ReactiveGraph
import Testing

extension Examples {
    @Test("A writable view of a derived node (G-7)")
    func writableView() throws {
        let graph = Graph()
        let measured = graph.mutable(19.5)
        let shown = measured.map { $0.rounded() }.named("shown")
        let override = shown.writable()
        override.set(25)
        print(shown, shown.isMutable)  // prints shown: 25.0 false
        measured.set(21.2)  // the next value from upstream goes before it
        print(shown)  // prints shown: 21.0
        try check()
    }

    @Test("A value if there is one (G-8, G-9)")
    func valueIfAny() throws {
        let graph = Graph()
        let name = graph.mutable(of: String?.self)
        name.ifValue { print("name", $0 ?? "nobody") }
        print(name.value(default: "unknown") ?? "nobody")  // prints unknown
        name.set(nil)  // a value like any other
        name.ifValue { print("name", $0 ?? "nobody") }  // prints name nobody
        print(name.value(default: "unknown") ?? "nobody")  // prints nobody
        try check()
    }

    @Test("A set that continues a path (G-10, G-41)")
    func setWithPath() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let local = graph.mutable(1)
        let remote = graph.mutable(1)
        // What comes from `local` goes to `remote` by a listener, and back by a link.
        local.link(to: remote, replay: false)
        local.listenEmissions(in: bag, replay: false, paths: true) { emission, delivery in
            guard let value = emission.value else { return }
            print("send", value)
            remote.set(value, path: delivery.path, context: delivery.context)
        }
        local.set(2)  // prints send 2
        print(remote)  // prints undefined: 2
        try check()
    }

    @Test("Cutting a node off its neighbours (G-31)")
    func removeNeighbours() throws {
        let graph = Graph()
        let bag = CancellableBag()
        let source = graph.mutable(1)
        let doubled = source.map { $0 * 2 }
        doubled.listen(in: bag) { print($0) }  // prints 2
        source.removeDownstreamNode(doubled)
        source.set(5)
        print(doubled, doubled.hasUpstreamNode)  // prints undefined: 2 false
        doubled.link(to: source)  // prints 5
        try check()
    }

    @Test("Several owners of one listen (G-114, G-120)")
    func severalOwners() throws {
        final class Screen {}

        let graph = Graph()
        let price = graph.mutable(1)
        var (list, detail): (Screen?, Screen?) = (Screen(), Screen())
        for screen in [list, detail].compactMap({ $0 }) {
            price.addListener(owner: screen, identity: "ticker") { print($0) }
        }  // prints added(1)
        list = nil
        price.set(2)  // prints newValue(2, source: local)
        price.removeListeners(ownedBy: detail)  // prints stopped
        detail = nil
        price.set(3)
        print(price.hasListener)  // prints false
        try check()
    }

    @Test("Ending listens (G-59, G-60)")
    func endingListens() throws {
        final class Gauge: ListenerOwner {
            let listenBag = CancellableBag()
        }

        let graph = Graph()
        let (speed, height) = (graph.mutable(50), graph.mutable(300))
        let gauge = Gauge()
        let first = speed.listen(owner: gauge, replay: false) { _, value in print("first", value) }
        speed.listen(owner: gauge, replay: false) { _, value in print("second", value) }
        height.listen(owner: gauge, replay: false) { _, value in print("height", value) }
        first.cancel()
        speed.set(60)  // prints second 60
        gauge.stopListening(to: speed)
        speed.set(70)
        height.set(310)  // prints height 310
        height.listenWhile(in: gauge.listenBag) { value in
            print("until 320:", value)
            return value < 320
        }  // prints until 320: 310
        gauge.stopListening(to: height)
        print(height.hasListener)  // prints false
        try check()
    }
}
