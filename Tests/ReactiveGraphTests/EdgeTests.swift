import ReactiveGraph
import TestSupport
import Testing

/// Passes even values on, halved; counts its inputs.
private final class Halves: TransformEdge<Int, Int> {
    var heard: [String] = []

    override func receive(_ value: Int, _ delivery: Delivery) {
        heard.append("\(value) \(delivery.path.ids)")
        if value.isMultiple(of: 2) { send(value / 2) }
    }

    override func becameEmpty(_ delivery: Delivery) {
        heard.append("empty")
        send(emission: .empty)
    }
}

/// Emits each value twice, one after the other.
private final class Twice: TransformEdge<Int, Int> {
    override func receive(_ value: Int, _ delivery: Delivery) {
        send(value)
        send(-value)
    }
}

private final class Log: ListenEdge<Int> {
    var heard: [String] = []

    override func receive(_ value: Int, _ delivery: Delivery) {
        heard.append("\(value) \(delivery.context?.value(as: String.self) ?? "-")")
    }

    override func becameEmpty(_ delivery: Delivery) {
        heard.append("empty")
    }
}

@Suite("Edges of one's own")
struct EdgeTests {
    let graph = Graph()

    @Test(
        "Ends may be set in any order; whenever it gets complete it is fed once (G-20, G-21)",
        arguments: [true, false]
    )
    func anyOrder(fromFirst: Bool) {
        let source = graph.mutable(4)
        let target = graph.node(of: Int.self)
        let edge = Halves()
        if fromFirst { edge.from = source } else { edge.to = target }
        #expect(!edge.isConnected)
        #expect(target.isEmpty)
        source.set(8)
        if fromFirst { edge.to = target } else { edge.from = source }
        #expect(target.value == 4)
        #expect(edge.heard == ["8 [\(source.id)]"])
        source.set(6)
        #expect(target.value == 3)
        expectSound(graph, source)
    }

    @Test("An empty source feeds nothing, not even emptiness (G-22)")
    func emptySource() {
        let edge = Halves()
        let target = graph.node(9)
        edge.from = graph.mutable(of: Int.self)
        edge.to = target
        #expect(edge.heard == [])
        #expect(target.value == 9)
    }

    @Test("Setting `from` again goes to the end of the order and replays (G-23)")
    func fromAgain() {
        let source = graph.mutable(2)
        let edge = Halves()
        let target = graph.node(of: Int.self)
        edge.from = source
        edge.to = target
        let bag = CancellableBag()
        var order: [String] = []
        let other = source.map { order.append("map \($0)") }
        target.listen(in: bag, replay: false) { order.append("edge \($0)") }
        source.set(4)
        edge.from = source
        source.set(6)
        #expect(order == ["map 2", "edge 2", "map 4", "edge 2", "map 6", "edge 3"])
        withExtendedLifetime(other) {}
    }

    @Test("Another target is given the source's value; the old one keeps its own (G-24, G-25)")
    func anotherTarget() {
        let source = graph.mutable(4)
        let first = graph.node(of: Int.self)
        let second = graph.node(of: Int.self)
        let edge = Halves()
        edge.from = source
        edge.to = first
        edge.to = second
        source.set(8)
        #expect(first.value == 2)
        #expect(second.value == 4)
        edge.to = nil
        source.set(10)
        #expect(second.value == 4)
        #expect(source.downstreamTransforms == [edge])
        #expect(!source.hasDownstreamNode)
        edge.from = nil
        #expect(source.downstreamTransforms.isEmpty)
        expectSound(graph, source, first, second)
    }

    @Test("Both ends on one node are refused (G-27)")
    func selfEdge() {
        let node = graph.mutable(2)
        let edge = Halves()
        edge.from = node
        edge.to = node
        #expect(edge.to == nil)
        #expect(edge.from === node)
    }

    @Test("Receives empties with path and context; sends them on (G-13)")
    func empties() {
        let source = graph.mutable(4)
        let edge = Halves()
        let target = graph.node(of: Int.self)
        target.link(to: source, via: edge)
        source.clear()
        #expect(edge.heard.last == "empty")
        #expect(target.isEmpty)
    }

    @Test("An edge may emit several values; each is served before the next (G-35)")
    func several() {
        let source = graph.mutable(1)
        let target = graph.node(of: Int.self)
        target.link(to: source, via: Twice())
        let heard = Recorder(target.map { $0 * 10 })
        source.set(2)
        #expect(heard.history == [-10, 20, -20])
        #expect(target.value == -2)
    }

    @Test("What is sent later is a set of its own, or continues a kept path")
    func later() {
        let source = graph.mutable(1)
        let target = graph.node(of: Int.self)
        let edge = Halves()
        target.link(to: source, via: edge)
        let heard = Recorder(target)
        edge.send(7)
        edge.send(.value(8), path: Path.empty, context: nil)
        #expect(heard.history == [7, 8])
    }

    @Test("A linking edge that has an end is refused, and the error reported (G-28)")
    func inUse() {
        let source = graph.mutable(1)
        let target = graph.node(of: Int.self)
        var errors: [String] = []
        graph.onError = { errors.append($0.description) }
        let edge = Halves()
        edge.from = source
        #expect(target.link(to: graph.mutable(2), via: edge) == nil)
        #expect(errors.count == 1)
        #expect(edge.from === source)
        #expect(edge.to == nil)
    }

    @Test("Re-aiming from inside its own function is safe (G-23)")
    func reaimsItself() {
        final class Mover: TransformEdge<Int, Int> {
            var next: Node<Int>?
            override func receive(_ value: Int, _ delivery: Delivery) {
                if let next {
                    self.next = nil
                    to = next
                } else {
                    send(value)
                }
            }
        }
        let source = graph.mutable(of: Int.self)
        let first = graph.node(of: Int.self)
        let second = graph.node(of: Int.self)
        let edge = Mover()
        first.link(to: source, via: edge)
        edge.next = second
        source.set(5)
        #expect(first.isEmpty)
        #expect(second.value == 5)
        expectSound(graph, source, first, second)
    }

    @Test("The target holds the edge; another holder of it keeps its source, not its target (G-52)")
    func ownership() {
        weak var edge: Halves?
        var source: MutableNode<Int>? = graph.mutable(2)
        var target: Node<Int>? = graph.node(of: Int.self)
        weak let weakSource = source
        weak let weakTarget = target
        do {
            let made = Halves()
            made.from = source
            made.to = target
            edge = made
        }
        #expect(edge != nil)
        source = nil
        #expect(weakSource != nil)
        var kept = edge
        target = nil
        #expect(weakTarget == nil)
        #expect(kept?.to == nil)
        #expect(weakSource != nil)
        kept = nil
        #expect(edge == nil)
        #expect(weakSource == nil)
        #expect(graph.counts.liveNodes == 0)
    }

    @Test(
        "An edge whose target is unset in a turn, and that nothing holds, releases its source at once (G-66a)"
    )
    func dropsInTurn() {
        let source = graph.mutable(1)
        let target = graph.node(of: Int.self)
        target.link(to: source, via: Halves())
        let bag = CancellableBag()
        source.listen(in: bag, replay: false) { _ in
            (target.upstreamTransforms.first as? Halves)?.to = nil
            #expect(source.downstreamTransforms.isEmpty)
        }
        source.set(2)
        expectSound(graph, source, target)
    }

    @Test(
        "An edge whose target died in a turn releases its source with its last holder, at once (G-52, G-66a)"
    )
    func lastHolderInTurn() {
        var source: MutableNode<Int>? = graph.mutable(2)
        var target: Node<Int>? = graph.node(of: Int.self)
        var edge: Halves? = Halves()
        target?.link(to: source!, via: edge!)
        let trigger = graph.mutable(0)
        let bag = CancellableBag()
        trigger.listen(in: bag, replay: false) { [graph] _ in
            target = nil
            source = nil
            #expect(graph.counts.liveNodes == 2)
            edge = nil
            #expect(graph.counts.liveNodes == 1)
        }
        trigger.set(1)
        #expect(target == nil && source == nil && edge == nil)
    }

    @Test("An operator's edge can be looked at and re-aimed; it is the same object each time")
    func operatorEdge() throws {
        let source = graph.mutable(1)
        let text = source.map { "\($0)" }
        let edge = try #require(text.upstreamTransforms.first as? TransformEdge<Int, String>)
        #expect(edge === source.downstreamTransforms.first)
        #expect(edge.name == "Map")
        edge.from = graph.mutable(7)
        #expect(text.value == "7")
        edge.disconnect()
        #expect(!text.hasUpstreamNode)
        expectSound(graph, source, text)
    }

    @Test("An edge from a function drops, changes and receives emptiness, but not at connection (G-22, G-32)")
    func emissions() throws {
        let graph = Graph()
        let source = graph.mutable(of: Int.self)
        let target = graph.mutable(7)
        var heard: [String] = []
        let edge = TransformEdge<Int, Int>(name: "Even") { emission, context in
            heard.append("\(emission) \(context?.value as? String ?? "-")")
            guard case .value(let value) = emission else { return .empty }
            return value.isMultiple(of: 2) ? .value(value / 2) : nil
        }
        let link = try #require(target.link(to: source, via: edge))
        #expect(heard.isEmpty && target.value == 7)
        source.set(3, context: Context("c"))
        #expect(target.value == 7)
        source.set(4)
        #expect(target.value == 2)
        source.clear()
        #expect(target.isEmpty)
        #expect(heard.count == 3 && heard[0].hasSuffix(" c"))
        link.cancel()
        source.set(6)
        #expect(target.isEmpty)
        expectSound(graph, source, target)
    }

    @Test("A listen edge hears values, contexts and empties for its listener (G-33)")
    func listenEdge() {
        let source = graph.mutable(1)
        let edge = Log()
        var owner: Recorder<Int>? = Recorder()
        source.listen(edge, owner: owner!)
        source.set(2, context: Context("c"))
        source.clear()
        #expect(edge.heard == ["1 -", "2 c", "empty"])
        owner = nil
        source.set(3)
        #expect(edge.heard.count == 3)
        #expect(!source.hasListener)
        expectSound(graph, source)
    }

    private final class Panel: ListenerOwner {
        let listenBag = CancellableBag()
    }

    @Test("G-33, G-61: a listen edge lives with its owner, and its node with it")
    func listenEdgeLivesWithOwner() {
        weak var edge: Log?
        weak var node: Node<Int>?
        var owner: Panel? = Panel()
        let source = graph.mutable(1)
        do {
            let (made, derived) = (Log(), source.map { $0 + 1 })
            owner.map { _ = derived.listen(made, owner: $0) }
            (edge, node) = (made, derived)
        }
        source.set(2)
        #expect(edge?.heard == ["2 -", "3 -"])
        #expect(edge?.from === node && edge?.to === owner)
        expectSound(graph, source)
        owner = nil
        #expect(edge == nil && node == nil)
        expectSound(graph, source)
    }

    @Test("G-67: a listen edge whose listener has died hears nothing, and ends with the next emission")
    func listenEdgeOfTheDead() {
        final class Stranger {}
        let source = graph.mutable(1)
        let edge = Log()
        do {
            let stranger = Stranger()
            source.listen(edge, owner: stranger)
            withExtendedLifetime(stranger) {}
        }
        source.set(2)
        #expect(edge.heard == ["1 -"] && !edge.isConnected)
        expectSound(graph, source)
    }

    @Test("G-59, G-60: a listen edge that was ended has no ends, and can be aimed again", arguments: 0..<4)
    func listenEdgeEnds(by way: Int) {
        let owner = Panel()
        let (source, other) = (graph.mutable(1), graph.mutable(5))
        let edge = Log()
        let cancellable = source.listen(edge, owner: owner)
        switch way {
        case 0: cancellable.cancel()
        case 1: edge.disconnect()
        case 2: source.stopListening(owner: owner)
        default: owner.listenBag.cancel()
        }
        #expect(edge.from == nil && edge.to == nil && !edge.isConnected)
        #expect(!source.hasListener && !cancellable.isActive && owner.listenBag.isEmpty)
        source.set(2)
        edge.to = owner
        edge.from = other
        #expect(edge.heard == ["1 -", "5 -"])
        #expect(edge.isConnected && owner.listenBag.count == 1)
        expectSound(graph, source, other)
    }

    @Test("G-20, G-102: a listen edge without listener keeps its node, and is no listener of it")
    func listenEdgeWithoutListener() {
        weak var node: MutableNode<Int>?
        let edge = Log()
        do {
            let made = graph.mutable(1)
            edge.from = made
            node = made
            #expect(!made.hasListener && graph.counts.liveListeners == 0)
            expectSound(graph, made)
        }
        node?.set(2)
        #expect(edge.heard == [] && edge.from === node && node != nil)
        edge.disconnect()
        #expect(node == nil)
    }

    @Test("G-66a: a listen edge may end itself in its own call, and nothing else need hold it")
    func listenEdgeEndsItself() {
        final class Once: ListenEdge<Int> {
            let heard: Recorder<Int>
            init(_ heard: Recorder<Int>) {
                self.heard = heard
                super.init(name: "Once")
            }
            override func receive(_ value: Int, _ delivery: Delivery) {
                disconnect()
                heard.note(value)
            }
        }
        let (owner, heard) = (Panel(), Recorder<Int>())
        let source = graph.mutable(of: Int.self)
        for _ in 0..<2 { source.listen(Once(heard), owner: owner) }
        source.set(1)
        source.set(2)
        #expect(heard.history == [1, 1] && !source.hasListener)
        expectSound(graph, source)
    }

    @Test("G-64: a bag gives up a listen that has no node, as any other")
    func listenWithoutNodeInBag() {
        weak var edge: Log?
        let bag = CancellableBag()
        do {
            let (first, second) = (Log(), Log())
            bag.insert(first)
            bag.insert(second)
            edge = second
            first.disconnect()
            #expect(bag.listens(as: Log.self).map(ObjectIdentifier.init) == [ObjectIdentifier(second)])
        }
        #expect(edge != nil)
        bag.cancel()
        #expect(edge == nil && bag.isEmpty)
    }

    @Test("A listen edge can be re-aimed in any order (G-20)")
    func reaimListen() {
        final class Owner {}
        let owner = Owner()
        let edge = Log()
        edge.to = owner
        edge.from = graph.mutable(1)
        edge.from = graph.mutable(2)
        edge.to = nil
        edge.from?.writable().set(9)
        #expect(edge.heard == ["1 -", "2 -"])
    }

    @Test(
        "G-20, G-23: a listen edge goes over to a node of another graph, also in a pass of its node, and both stay sound"
    )
    func listenInAnotherGraph() {
        final class Owner {}
        let owner = Owner()
        let other = Graph()
        let (here, there) = (graph.mutable(1), other.mutable(2))
        let edge = Log()
        here.listen(in: CancellableBag()) { _ in }
        let bag = CancellableBag()
        here.listen(in: bag, replay: false) { _ in edge.from = there }
        edge.to = owner
        edge.from = here
        here.set(3)
        there.set(4)
        #expect(edge.heard == ["1 -", "2 -", "4 -"])
        #expect(graph.counts.liveListeners == 1 && other.counts.liveListeners == 1)
        expectSound(graph, here)
        expectSound(other, there)
        edge.disconnect()
        #expect(other.counts.liveListeners == 0 && !there.hasListener)
        withExtendedLifetime(owner) {}
    }
}
