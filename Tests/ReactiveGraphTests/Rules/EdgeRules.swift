import ReactiveGraph
import Testing

@Suite("Rules of edges")
struct EdgeRules {
    let graph = Graph()
    let trace = Trace()

    private func logging(_ name: String) -> TransformEdge<Int, Int> {
        TransformEdge(name: name) { [trace] value in
            trace.note("\(name)\(value)")
            return value
        }
    }

    @Test("G-18 … G-20: ends are set in any order, half an edge delivers nothing")
    func ends() {
        let source = graph.mutable(1)
        let target = graph.node(of: Int.self)
        let edge = logging("e")
        edge.to = target
        #expect(target.isEmpty && !edge.isConnected && !target.hasUpstreamNode)
        #expect(target.upstreamTransforms.count == 1)
        edge.from = source
        #expect(target.value == 1 && edge.isConnected)
        edge.to = nil
        source.set(2)
        #expect(target.value == 1 && source.downstreamTransforms.count == 1 && !source.hasDownstreamNode)
        edge.to = target
        #expect(target.value == 2)
        #expect(trace.lines == ["e1", "e2"])
    }

    @Test("G-21, G-22: a complete edge is fed the current value once, with the source as path and no context")
    func replay() {
        let source = graph.mutable(of: Int.self)
        source.set(1, context: Context("old"))
        let empty = graph.mutable(of: Int.self)
        let target = graph.node(of: Int.self)
        trace.hearAll(target, as: "t")
        target.link(to: empty)
        #expect(trace.lines.isEmpty)
        target.link(to: source)
        #expect(trace.lines == ["t1 via \(source.id) \(target.id) with none"])
    }

    @Test("G-23: the same source again re-attaches at the end and replays")
    func again() {
        let source = graph.mutable(1)
        let target = graph.node(of: Int.self)
        let first = logging("a")
        let second = logging("b")
        target.link(to: source, via: first)
        target.link(to: source, via: second)
        first.from = source
        #expect(trace.take() == ["a1", "b1", "a1"])
        source.set(2)
        #expect(trace.lines == ["b2", "a2"])
    }

    @Test("G-24, G-25: a new target is pushed the value; what is detached keeps its own")
    func target() {
        let source = graph.mutable(1)
        let old = graph.node(of: Int.self)
        let new = graph.node(of: Int.self)
        let edge = logging("e")
        old.link(to: source, via: edge)
        edge.to = new
        source.set(2)
        #expect(old.value == 1 && new.value == 2)
        edge.from = nil
        #expect(new.value == 2)
    }

    @Test("G-26: a link replays exactly once")
    func link() {
        let source = graph.mutable(1)
        let target = graph.node(of: Int.self)
        #expect(target.link(to: source, via: logging("e")) != nil)
        #expect(trace.lines == ["e1"])
    }

    @Test("G-27: a node is not linked to itself, nor by hand")
    func itself() {
        let node = graph.mutable(1)
        trace.hear(node, as: "n")
        #expect(node.link(to: node) == nil)
        let edge = logging("e")
        edge.from = node
        edge.to = node
        #expect(edge.to == nil)
        edge.from = nil
        edge.to = node
        edge.from = node
        #expect(edge.from == nil)
        node.set(2)
        #expect(trace.lines == ["n2"])
    }

    @Test("G-28: an edge that has an end is refused and left as it is")
    func used() {
        let source = graph.mutable(1)
        let target = graph.node(of: Int.self)
        let edge = logging("e")
        edge.from = source
        graph.onError = { [trace] error in
            if case .edgeInUse = error { trace.note("error") }
        }
        #expect(target.link(to: graph.mutable(2), via: edge) == nil)
        #expect(edge.from === source && edge.to == nil && target.isEmpty)
        #expect(trace.lines == ["error"])
    }

    @Test("G-29: several edges between a pair each replay and each deliver")
    func several() {
        let source = graph.mutable(1)
        let target = graph.node(of: Int.self)
        trace.hear(target, as: "t")
        target.link(to: source)
        let second = target.link(to: source)
        source.set(2)
        #expect(trace.take() == ["t1", "t1", "t2", "t2"])
        second?.cancel()
        source.set(3)
        #expect(trace.lines == ["t3"])
    }

    @Test(
        "G-30: a cancel unsets both ends, twice does no harm; the cancellable holds nothing and need not be kept"
    )
    func cancel() {
        let source = graph.mutable(1)
        let target = graph.node(of: Int.self)
        let edge = logging("e")
        let cancellable = target.link(to: source, via: edge)
        target.link(to: source)
        cancellable?.cancel()
        cancellable?.cancel()
        #expect(edge.from == nil && edge.to == nil && target.value == 1)
        source.set(2)
        #expect(target.value == 2)
        weak var gone: Node<Int>?
        var kept: CancelToken?
        do {
            let short = graph.node(of: Int.self)
            gone = short
            kept = short.link(to: source)
        }
        #expect(gone == nil && kept?.isActive == false)
        kept?.cancel()
    }

    @Test("G-31: removing neighbours ends every edge to them and no listen", arguments: [true, false])
    func remove(fromAbove: Bool) {
        let source = graph.mutable(1)
        let other = graph.mutable(5)
        let target = source.flattenMap { _ in other }
        target.link(to: source)
        target.link(to: other)
        trace.hear(source, as: "s")
        if fromAbove { source.removeDownstreamNode(target) } else { target.removeUpstreamNode(source) }
        #expect(target.upstreamNodes.map(\.id) == [other.id])
        source.set(2)
        #expect(trace.lines == ["s2"] && target.value == 5)
        target.removeUpstreamNode(source)
        target.removeUpstreamNodes()
        #expect(!other.hasDownstreamNode && !other.hasListener)
    }

    @Test("G-32: an edge of the user's own forwards path and context unchanged")
    func own() {
        final class Twice: TransformEdge<Int, Int> {
            override func receive(_ value: Int, _ delivery: Delivery) {
                send(value)
                send(value * 2)
            }
        }
        let source = graph.mutable(of: Int.self)
        let target = graph.node(of: Int.self)
        target.link(to: source, via: Twice())
        trace.hearAll(target, as: "t")
        source.set(1, context: Context("c"))
        let passed = "via \(source.id) \(target.id) with c"
        #expect(trace.lines == ["t1 \(passed)", "t2 \(passed)"])
    }

    @Test("G-33: a listen edge of the user's own is owned by its listener")
    func listenEdge() {
        final class Hearing: ListenEdge<Int> {
            var heard: [Int] = []
            override func receive(_ value: Int, _ delivery: Delivery) { heard.append(value) }
        }
        let source = graph.mutable(1)
        let edge = Hearing()
        var owner: NSObjectLike? = NSObjectLike()
        if let owner { source.listen(edge, owner: owner) }
        source.set(2)
        owner = nil
        graph.collect()
        source.set(3)
        #expect(edge.heard == [1, 2] && !source.hasListener)
    }

    /// Any object at all.
    private final class NSObjectLike {}
}
