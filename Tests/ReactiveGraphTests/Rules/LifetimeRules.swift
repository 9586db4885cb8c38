import ReactiveGraph
import Testing

@Suite("Rules of lifetime")
struct LifetimeRules {
    let graph = Graph()
    let trace = Trace()

    /// An owner that keeps a bag.
    private final class BagOwner: ListenerOwner {
        let listenBag = CancellableBag()
    }

    /// An owner that knows nothing of graphs.
    private final class Stranger {}

    @Test("G-52 … G-54: consumers hold providers, dropping the last node frees the middle")
    func chain() {
        let a = graph.mutable(1)
        weak var middle: Node<Int>?
        var last: Node<Int>?
        do {
            let made = a.map { $0 + 1 }
            middle = made
            last = made.filter { _ in true }
        }
        #expect(middle != nil && a.hasDownstreamNode && last?.value == 2)
        last = nil
        #expect(middle == nil && !a.hasDownstreamNode && graph.counts.liveNodes == 1)
    }

    @Test("G-53: a listener keeps the whole chain, sources included")
    func listener() {
        var source: MutableNode<Int>? = graph.mutable(1)
        weak let weakSource = source
        let bag = CancellableBag()
        source?.map { $0 + 1 }.listen(in: bag) { _ in }
        source = nil
        #expect(weakSource != nil && graph.counts.liveNodes == 2)
        bag.cancel()
        #expect(weakSource == nil && graph.counts.liveNodes == 0)
    }

    @Test("G-55: a node that is not kept is freed at the end of the statement, its function has run once")
    func unkept() {
        let source = graph.mutable(1)
        var runs = 0
        _ = source.map { value in
            runs += 1
            return value
        }
        source.set(2)
        #expect(runs == 1 && graph.counts.liveNodes == 1)
    }

    @Test("G-56: a ring holds itself until one of its edges is cut, and is reported")
    func ring() {
        var link: CancelToken?
        do {
            let x = graph.mutable(1)
            let y = x.map { $0 }
            link = x.link(to: y)
        }
        #expect(graph.counts.liveNodes == 2 && graph.leakedRings().count == 1)
        link?.cancel()
        #expect(graph.counts.liveNodes == 0 && graph.leakedRings().isEmpty)
    }

    @Test("G-57, G-67: all listens of an owner with a bag end at its death, on all nodes, at once")
    func bagOwner() {
        let nodes = [graph.mutable(0), graph.mutable(0)]
        var owner: BagOwner? = BagOwner()
        for node in nodes {
            if let owner {
                node.listen(owner: owner, replay: false) { [trace] _, value in trace.note("\(value)") }
            }
        }
        nodes[0].set(1)
        owner = nil
        #expect(nodes.allSatisfy { !$0.hasListener } && graph.counts.liveListeners == 0)
        nodes[1].set(2)
        #expect(trace.lines == ["1"])
    }

    @Test("G-58: several listens of one listener on one node each replay and fire, in order")
    func several() {
        let node = graph.mutable(1)
        let owner = BagOwner()
        node.listen(owner: owner) { [trace] _, value in trace.note("a\(value)") }
        node.listen(owner: owner) { [trace] _, value in trace.note("b\(value)") }
        node.set(2)
        #expect(trace.lines == ["a1", "b1", "a2", "b2"])
    }

    @Test("G-59: stopListening ends all of one listener's listens on that node, and nothing else")
    func stop() {
        let node = graph.mutable(0)
        let other = graph.mutable(0)
        let owner = BagOwner()
        let stranger = Stranger()
        for (listened, name) in [(node, "n"), (other, "o")] {
            listened.listen(owner: owner, replay: false) { [trace] _, value in trace.note("\(name)\(value)") }
            listened.listen(owner: stranger, replay: false) { [trace] _, value in
                trace.note("s\(name)\(value)")
            }
        }
        node.stopListening(owner: owner)
        node.stopListening(owner: owner)
        node.set(1)
        other.set(1)
        node.stopListening(owner: stranger)
        node.set(2)
        #expect(trace.lines == ["sn1", "o1", "so1"])
    }

    @Test("G-60, G-61: cancelling ends one listen; the cancellable holds neither node nor listener")
    func cancellable() {
        var node: MutableNode<Int>? = graph.mutable(0)
        weak let weakNode = node
        var owner: BagOwner? = BagOwner()
        weak let weakOwner = owner
        var kept: [CancelToken] = []
        if let node, let owner {
            for name in ["a", "b"] {
                kept.append(
                    node.listen(owner: owner, replay: false) { [trace] _, value in
                        trace.note("\(name)\(value)")
                    }
                )
            }
        }
        kept[0].cancel()
        kept[0].cancel()
        node?.set(1)
        #expect(trace.lines == ["b1"])
        owner = nil
        #expect(weakOwner == nil && node?.hasListener == false && !kept[1].isActive)
        node = nil
        #expect(weakNode == nil)
        kept[1].cancel()
    }

    @Test("G-62: the owner is handed over, so nothing need be captured")
    func handed() {
        let node = graph.mutable(1)
        var owner: BagOwner? = BagOwner()
        weak let weakOwner = owner
        if let owner {
            node.listen(owner: owner) { [trace] (given: BagOwner, _: Int) in
                trace.note(given === weakOwner ? "same" : "other")
            }
        }
        owner = nil
        #expect(weakOwner == nil && trace.lines == ["same"])
    }

    @Test("G-64: a bag cancels in order of insertion, once, and can be used again")
    func bag() {
        let bag = CancellableBag()
        let items = ["a", "b", "c"].map { name in CancelToken { [trace] in trace.note(name) } }
        for item in items { bag.add(item) }
        bag.remove(items[1])
        bag.cancel()
        bag.cancel()
        #expect(trace.take() == ["a", "c"] && bag.isEmpty)
        bag.add(items[1])
        #expect(trace.lines.isEmpty)
        bag.add(
            CancelToken { [trace] in
                trace.note("x")
                bag.add(CancelToken { trace.note("late") })
            }
        )
        bag.cancel()
        #expect(trace.lines.prefix(2) == ["b", "x"])
    }

    @Test("G-64: a dying bag cancels what it still holds")
    func dyingBag() {
        var bag: CancellableBag? = CancellableBag()
        bag?.add(CancelToken { [trace] in trace.note("cancelled") })
        bag = nil
        #expect(trace.lines == ["cancelled"])
    }

    @Test("G-65: a closure is run at most once and then dropped")
    func closure() {
        var token: Stranger? = Stranger()
        weak let weakToken = token
        let cancellable = CancelToken { [token, trace] in withExtendedLifetime(token) { trace.note("run") }
        }
        token = nil
        #expect(weakToken != nil)
        cancellable.cancel()
        cancellable.cancel()
        #expect(weakToken == nil && trace.lines == ["run"])
    }

    @Test(
        "G-66: a listener that dies during a pass is not called for it; the pass continues",
        arguments: [true, false]
    )
    func dying(hasBag: Bool) {
        let node = graph.mutable(0)
        var owner: AnyObject? = hasBag ? BagOwner() : Stranger()
        node.listen(in: trace.bag, replay: false) { (_: Int) in owner = nil }
        if let bagOwner = owner as? BagOwner {
            node.listen(owner: bagOwner, replay: false) { [trace] _, _ in trace.note("dead called") }
        } else if let stranger = owner as? Stranger {
            node.listen(owner: stranger, replay: false) { [trace] _, _ in trace.note("dead called") }
        }
        trace.hear(node, as: "n")
        node.set(1)
        #expect(trace.lines == ["n1"])
    }

    @Test("G-66: a node that loses its last holder in its own pass completes it")
    func dyingNode() {
        let source = graph.mutable(0)
        var derived: Node<Int>? = source.map { $0 }
        let bag = CancellableBag()
        var tail: Node<Int>? = derived?.map { [trace] value in
            trace.note("tail\(value)")
            return value
        }
        derived?.listen(in: bag, replay: false) { [trace] (value: Int) in
            derived = nil
            trace.note("first\(value)")
        }
        _ = trace.take()
        source.set(1)
        #expect(trace.take() == ["first1", "tail1"])
        bag.cancel()
        tail = nil
        #expect(graph.counts.liveNodes == 1 && tail == nil)
    }

    @Test("G-66a: a branch that dies in a turn is not called any more; its closures go when the turn ends")
    func branch() {
        let source = graph.mutable(0)
        var token: Stranger? = Stranger()
        weak let weakToken = token
        var branch: Node<Int>? = graph.node(of: Int.self)
        source.listen(in: trace.bag, replay: false) { [trace, graph] (_: Int) in
            branch = nil
            trace.note("nodes \(graph.counts.liveNodes), closure \(weakToken == nil ? "gone" : "kept")")
        }
        branch = source.map { [token, trace] value in
            withExtendedLifetime(token) { trace.note("dead called") }
            return value
        }
        token = nil
        _ = trace.take()
        source.set(1)
        #expect(trace.lines == ["nodes 1, closure kept"] && weakToken == nil && branch == nil)
    }

    @Test("G-67: the death of a foreign owner is noticed at the next delivery, by looking, and by collecting")
    func foreign() {
        for look in 0..<3 {
            let graph = Graph()
            let source = graph.mutable(0)
            var owner: Stranger? = Stranger()
            if let owner {
                source.map { $0 }.listen(owner: owner, replay: false) { [trace] _, _ in
                    trace.note("dead called")
                }
            }
            owner = nil
            switch look {
            case 0:
                source.set(1)
            case 1:
                let derived = source.downstreamNodes
                #expect(derived.first?.hasListener == false)
            default:
                graph.collect()
            }
            #expect(graph.counts.liveNodes == 1 && graph.counts.liveListeners == 0)
        }
        #expect(trace.lines.isEmpty && !Graph().mutable(0).hasListener)
    }

    @Test("G-67: a new owner at an old address is another owner")
    func reusedAddress() {
        let node = graph.mutable(0)
        for round in 0..<50 {
            let owner = Stranger()
            node.listen(owner: owner, replay: false) { [trace] _, value in trace.note("\(round)") }
            node.set(round)
        }
        #expect(trace.lines == (0..<50).map(String.init))
    }

    @Test("G-49, G-68, G-138: long chains are passed and freed without native stack")
    func depth() {
        let source = graph.mutable(0)
        var last: Node<Int>? = source
        for _ in 0..<50_000 { last = last.map { $0.map { $0 + 1 } } }
        source.set(1)
        #expect(last?.value == 50_001)
        last = nil
        #expect(graph.counts.liveNodes == 1)
    }
}
