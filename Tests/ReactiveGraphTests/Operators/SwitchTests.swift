import ReactiveGraph
import TestSupport
import Testing

@Suite("Switch")
struct SwitchTests {
    let graph = Graph()
    let bag = CancellableBag()

    @Test("G-90: first the pair is emitted, then its inner node is set", arguments: [true, false])
    func order(settled: Bool) {
        let graph = Graph(propagation: settled ? .settled : .immediate)
        let source = graph.mutable(of: Int.self)
        let switched = source.switch { $0 % 2 }
        var heard: [String] = []
        switched.case(1).listen(in: bag) { heard.append("odd \($0)") }
        switched.map { $0.key }.listen(in: bag) { heard.append("transform \($0 ?? -1)") }
        switched.listen(in: bag) { heard.append("pair \($0.key ?? -1) \($0.node.value ?? -1)") }
        source.set(3)
        source.set(5)
        source.set(4)
        #expect(
            heard == [
                "pair 1 -1", "transform 1", "odd 3",
                "pair 1 3", "transform 1", "odd 5",
                "pair 0 -1", "transform 0",
            ]
        )
        #expect(switched.value?.node.value == 4)
        expectSound(graph, source, switched)
    }

    @Test("G-90: the inner node is set with the same context, and a path through the switched node")
    func pathAndContext() {
        let source = graph.mutable(0)
        let switched = source.switch { _ in 0 }
        let value = switched.case(0)
        var paths: [[UInt64]] = []
        var contexts: [String?] = []
        value.listenEmissions(in: bag, replay: false, paths: true) { emission, delivery in
            guard !emission.isEmpty else { return }
            paths.append(delivery.path.ids)
            contexts.append(delivery.context?.value())
        }
        source.set(1, context: Context("why"))
        let inner = switched.value?.node.id ?? 0
        #expect(paths == [[source.id, switched.id, inner, value.id]])
        #expect(contexts == ["why"])
    }

    @Test("G-90: a missing key is a key of its own")
    func nilKey() {
        let source = graph.mutable(Int?.none)
        let switched = source.switch { $0 }
        #expect(switched.defaultCase().value == .some(nil))
        source.set(1)
        #expect(switched.value?.key == 1)
        #expect(switched.defaultCase().isEmpty)
    }

    @Test("G-90: inner nodes are kept until `from` is set to a different node")
    func anotherSource() throws {
        let source = graph.mutable(1)
        let switched = source.switch { _ in 0 }
        let edge = try #require(
            switched.upstreamTransforms.first as? TransformEdge<Int, Switched<Int, Int>>
        )
        weak let first = switched.value?.node
        edge.from = source
        #expect(switched.value?.node === first && first != nil)
        edge.from = nil
        #expect(first?.value == 1)
        edge.from = graph.mutable(2)
        #expect(first == nil)
        #expect(switched.value?.node.value == 2)
        expectSound(graph, source, switched)
    }

    @Test("G-90: sets in the pass of the switched node wait, each pair with its inner node's value")
    func queued() {
        let source = graph.mutable(of: Int.self)
        let other = graph.mutable(of: Int.self)
        let merged = Node.merge([source, other])
        let switched = merged.switch { $0 % 2 }
        var heard: [String] = []
        switched.listen(in: bag) { pair in
            heard.append("pair \(pair.key ?? -1)")
            if pair.key == 1, pair.node.isEmpty {
                other.set(2)
                other.set(3)
            }
        }
        switched.case(0).listen(in: bag) { heard.append("even \($0)") }
        switched.case(1).listen(in: bag) { heard.append("odd \($0)") }
        source.set(1)
        #expect(heard == ["pair 1", "odd 1", "pair 0", "even 2", "pair 1", "odd 3"])
        expectSound(graph, source, other)
    }

    @Test(
        "G-11, G-145: emptiness travels only where asked: the switched node, its cases, the current inner node"
    )
    func empty() {
        let silent = graph.mutable(1)
        let kept = silent.switch { $0 % 2 }
        silent.clear()
        #expect(kept.value?.node.value == 1)

        let graph = Graph(propagatesEmpty: true)
        let source = graph.mutable(1)
        let switched = source.switch { $0 % 2 }
        let (odd, even) = (switched.case(1), switched.case(0))
        source.set(2)
        let inner = switched.value?.node
        source.clear()
        #expect(switched.isEmpty && odd.isEmpty && even.isEmpty)
        #expect(inner?.isEmpty == true && inner?.hasListener == false)
        source.set(3)
        #expect(odd.value == 3 && even.isEmpty)
        source.set(4)
        #expect(even.value == 4)
        expectSound(graph, source, odd, even)
    }

    @Test("G-50: the way from the switched node to its inner nodes counts for the order of joins")
    func rank() throws {
        // A join behind an inner node, and one in front of the switch that is made after it.
        let front = graph.mutable(1)
        let relay = graph.node(of: Int.self)
        relay.link(to: front)
        let switched = relay.switch { _ in 0 }
        let behind = try #require(switched.value?.node.map { $0 })
        var tuples: [String] = []
        Node.combineEach(behind, front) { "\($0) \($1)" }.listen(in: bag, replay: false) { tuples.append($0) }
        relay.removeUpstreamNodes()
        relay.link(to: Node.combineEach(front.map { $0 * 10 }, front.map { $0 }, +), replay: false)
        front.set(2)
        #expect(tuples == ["22 2"])
        expectSound(graph, front, relay, switched)
    }

    @Test("G-50: a settled join behind the cases of a switch sees no half of a change")
    func glitchFree() {
        let source = graph.mutable(1)
        let sum = Node.combineEach(source.map { $0 * 10 }, source.map { $0 + 1 }, +)
        let sides = sum.split { $0 > 50 }
        var heard: [String] = []
        Node.combineEach(sides.thenNode, source, sum) { "\($0) \($1) \($2)" }
            .listen(in: bag) { heard.append($0) }
        source.set(5)
        source.set(6)
        #expect(heard == ["56 5 56", "67 6 67"])
    }

    @Test("G-41: a ring over a switch stops where it began")
    func ring() {
        let source = graph.mutable(1)
        let switched = source.switch { _ in 0 }
        let inner = switched.value?.node ?? source
        let next = inner.map { $0 + 1 }
        source.link(to: next, replay: false)
        let heard = Recorder(inner, replay: false)
        source.set(5)
        #expect(source.value == 5 && inner.value == 5 && next.value == 6)
        #expect(heard.history == [5])
        inner.writable().set(7)
        #expect(source.value == 8 && inner.value == 7)
        source.removeUpstreamNodes()
        expectSound(graph, source, next, inner)
    }

    @Test("G-104: a switched node is upstream of its inner nodes")
    func upstream() {
        let source = graph.mutable(1)
        let switched = source.switch { _ in 0 }
        let after = switched.value?.node.map { $0 } ?? source
        #expect(source.isUpstream(of: after))
        #expect(!after.isUpstream(of: source))
    }

    @Test("G-47: a switch that is cut while its pair is served sets no inner node")
    func cut() {
        let source = graph.mutable(of: Int.self)
        let switched = source.switch { _ in 0 }
        let value = switched.case(0)
        var inner: Node<Int>?
        switched.listen(in: bag) { pair in
            inner = pair.node
            switched.removeUpstreamNodes()
        }
        source.set(1)
        #expect(inner?.isEmpty == true && value.isEmpty)
        inner?.writable().set(9)
        #expect(value.value == 9)
        inner = nil
        expectSound(graph, source, switched, value)
    }

    @Test("G-49: a long chain of switches needs no native stack")
    func deep() {
        onThread(stackBytes: 512 * 1024) {
            let graph = Graph()
            let source = graph.mutable(1)
            var node: Node<Int> = source
            for _ in 0..<10_000 { node = node.split { $0 > 0 }.thenNode }
            for value in 2...4 { source.set(value) }
            #expect(node.value == 4)
        }
    }

    @Test("G-66a: inner nodes go at once with their switch, in the middle of a turn too")
    func innersGoAtOnce() {
        let source = graph.mutable(1)
        let other = graph.mutable(1)
        var switched: Node<Switched<Int, Int>>? = source.switch { $0 }
        source.set(2)
        #expect(graph.counts.liveNodes == 5)
        other.listen(in: bag, replay: false) { _ in
            switched = nil
            #expect(self.graph.counts.liveNodes == 2)
        }
        other.set(2)
        #expect(switched == nil)
    }

    @Test("Is released with its last holder, inner nodes too")
    func release() {
        expectReleased { $0.switch { $0 } }
        expectReleased { $0.switch { $0 }.case(1) }
        expectReleased { $0.split { $0 > 1 }.thenNode }
        expectReleased { $0.switch { $0 }.otherwise(excluding: [1]) }
    }

    @Test("A function that releases the switched node, or cuts it, does no harm", arguments: [true, false])
    func misbehaves(letsGo: Bool) {
        let source = graph.mutable(1)
        var switched: Node<Switched<Int, Int>>?
        switched = source.switch { value in
            if value == 2 {
                if letsGo { switched = nil } else { switched?.removeUpstreamNodes() }
            }
            return 0
        }
        source.set(2)
        source.set(3)
        #expect(switched?.value?.node.value == (letsGo ? nil : 1))
        switched = nil
        expectSound(graph, source)
        #expect(graph.counts.liveNodes == 1)
    }

    @Test("G-39: feedback through the pairs is stopped, and the switch works on")
    func feedback() {
        let graph = Graph(feedbackLimit: 10)
        var errors = 0
        graph.onError = { _ in errors += 1 }
        let source = graph.mutable(1)
        let again = graph.mutable(of: Int.self)
        let switched = Node.merge([source, again]).switch { _ in 0 }
        let value = switched.case(0)
        let cancellable = switched.listen(in: bag) { _ in again.set((again.value ?? 0) + 1) }
        #expect(errors == 1)
        cancellable.cancel()
        source.set(100)
        #expect(value.value == 100)
        expectSound(graph, source, again, value)
    }
}
