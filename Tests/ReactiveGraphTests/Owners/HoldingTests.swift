import ReactiveGraph
import TestSupport
import Testing

private final class Thing {}

@Suite("References between nodes, edges and owners (G-52 … G-62)")
struct HoldingTests {
    let graph = Graph()

    @Test("G-52: a node holds its value, and no longer than it stores it")
    func value() {
        let node = graph.mutable(of: Thing.self)
        weak var first: Thing?
        weak var second: Thing?
        do {
            let made = (Thing(), Thing())
            (first, second) = made
            node.set(made.0)
            #expect(first != nil)
            node.set(made.1)
        }
        #expect(first == nil && second != nil)
        node.clear()
        #expect(second == nil)
    }

    @Test("G-52: a node dies with its value")
    func valueOfDead() {
        weak var gone: Thing?
        do {
            let node = graph.mutable(Thing())
            gone = node.value
            #expect(gone != nil)
        }
        #expect(gone == nil)
    }

    @Test(
        "G-52: a transform edge holds its source and not its target; a holder of the edge keeps neither target nor value"
    )
    func edge() {
        var source: MutableNode<Int>? = graph.mutable(1)
        var target: MutableNode<Int>? = graph.mutable(of: Int.self)
        weak let weakSource = source
        weak let weakTarget = target
        var edge: TransformEdge<Int, Int>? = TransformEdge { $0 + 1 }
        edge?.from = source
        edge?.to = target
        source = nil
        #expect(weakSource != nil && target?.value == 2)
        target = nil
        #expect(weakTarget == nil && edge?.to == nil && weakSource != nil)
        edge = nil
        #expect(weakSource == nil && edge == nil && graph.counts.liveNodes == 0)
    }

    @Test("G-52, G-30: the cancellable of a link keeps neither node nor edge")
    func linkCancellable() {
        var link: CancelToken?
        weak var gone: Node<Int>?
        do {
            let source = graph.mutable(1)
            let target = graph.mutable(of: Int.self)
            gone = source
            link = target.link(to: source)
            #expect(link?.isActive == true)
        }
        #expect(gone == nil && graph.counts.liveEdges == 0 && link?.isActive == false)
        link?.cancel()
    }

    @Test("G-52: a bag holds its cancellables")
    func bag() {
        let bag = CancellableBag()
        weak var gone: CancelToken?
        do {
            let item = CancelToken {}
            gone = item
            bag.add(item)
        }
        #expect(gone != nil)
        bag.cancel()
        #expect(gone == nil)
    }

    @Test("G-53: each of holder, downstream node and listener keeps a node by itself", arguments: 0..<3)
    func each(way: Int) {
        weak var node: MutableNode<Int>?
        var held: AnyObject?
        do {
            let made = graph.mutable(1)
            node = made
            switch way {
            case 0: held = made
            case 1: held = made.map { $0 }
            default: held = Recorder(made)
            }
        }
        #expect(node != nil && held != nil)
        held = nil
        #expect(node == nil && graph.counts.liveNodes == 0)
    }

    @Test("G-54: dropping the last node frees the middle ones, and the source if nothing else holds it")
    func chain() {
        var last: Node<Int>? = graph.mutable(1).map { $0 + 1 }.filter { $0 > 0 }.map { $0 * 2 }
        #expect(last?.value == 4 && graph.counts.liveNodes == 4)
        last = nil
        #expect(graph.counts.liveNodes == 0 && graph.counts.liveEdges == 0)
    }

    @Test(
        "G-56, G-88: a ring is freed by a cancel, by removing a neighbour, or by unsetting an end",
        arguments: 0..<4
    )
    func ring(way: Int) {
        var link: CancelToken?
        var edge: TransformEdge<Int, Int>?
        weak var inside: MutableNode<Int>?
        do {
            let a = graph.mutable(1)
            let b = graph.mutable(of: Int.self)
            inside = a
            switch way {
            case 0: link = a.sync(with: b)
            case 1:
                let made = TransformEdge<Int, Int> { $0 }
                edge = made
                a.link(to: b, via: made)
                b.link(to: a)
            default:
                link = a.link(to: b)
                b.link(to: a)
            }
        }
        #expect(graph.counts.liveNodes == 2 && graph.leakedRings().map(\.count) == [2] || way == 1)
        switch way {
        case 0, 2: link?.cancel()
        case 1: edge?.from = nil
        default: inside?.removeUpstreamNodes()
        }
        edge = nil
        #expect(graph.counts.liveNodes == 0 && graph.leakedRings().isEmpty)
    }

    @Test("G-57: a listener of any type owns its listens, on all nodes")
    func anyType() {
        let nodes = (0..<3).map { graph.mutable($0) }
        var heard: [Int] = []
        var owner: Thing? = Thing()
        for node in nodes { node.listen(owner: owner!, replay: false) { _, value in heard.append(value) } }
        for node in nodes { node.set(5) }
        owner = nil
        for node in nodes { node.set(6) }
        #expect(heard == [5, 5, 5] && graph.counts.liveListeners == 0)
    }

    @Test("G-60: dropping the cancellable does not end the listen; cancelling one leaves the others")
    func dropping() {
        let node = graph.mutable(0)
        let owner = Recorder<Int>()
        var first: CancelToken? = node.listen(owner: owner, replay: false) { $0.note($1) }
        let second = node.listen(owner: owner, replay: false) { $0.note(-$1) }
        #expect(first != nil)
        first = nil
        second.cancel()
        second.cancel()
        node.set(1)
        #expect(owner.history == [1] && node.listenerCount == 1)
    }

    @Test("G-62: a closure that captures its listener strongly makes a ring, which a cancel opens")
    func capturing() {
        let node = graph.mutable(0)
        weak var gone: Recorder<Int>?
        var listen: CancelToken?
        do {
            let owner = Recorder<Int>()
            gone = owner
            listen = node.listen(owner: owner, replay: false) { _, value in owner.note(value) }
        }
        node.set(1)
        #expect(gone?.history == [1])
        listen?.cancel()
        #expect(gone == nil)
    }

    @Test("G-67: whatever notices the death, the chain above is free by then", arguments: 0..<4)
    func noticed(way: Int) {
        let source = graph.mutable(0)
        weak var chain: Node<Int>?
        var owner: Thing? = Thing()
        do {
            let made = source.map { $0 }.map { $0 }
            chain = made
            if way == 3 {
                made.addListener(owner: owner!) { _, _, _ in }
            } else {
                made.listen(owner: owner!) { _, _ in }
            }
        }
        owner = nil
        switch way {
        case 0: source.set(1)
        case 1: #expect(chain?.hasListener == false)
        default: graph.collect()
        }
        #expect(chain == nil && graph.counts.liveNodes == 1)
    }
}
