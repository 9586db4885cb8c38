import ReactiveGraph
import TestSupport
import Testing

@Suite("Depth: no native stack in proportion to a graph (G-49, G-68, G-138)")
struct DeepGraphTests {
    @Test("A chain of 100,000 nodes is built, set ten times and freed on 512 KiB")
    func chain() {
        onThread(stackBytes: 512 * 1024) {
            let graph = Graph()
            let source = graph.mutable(0)
            var chain: Node<Int>? = source
            for _ in 0..<100_000 { chain = chain?.map { $0 + 1 } }
            for value in 1...10 { source.set(value) }
            #expect(chain?.value == 100_010)
            chain = nil
            #expect(graph.counts.liveNodes == 1)
        }
    }

    @Test("So are 100,000 linked backwards, a ring of them, and stacked combines")
    func others() {
        onThread(stackBytes: 512 * 1024) {
            let graph = Graph()
            let nodes = (0..<100_000).map { _ in graph.mutable(of: Int.self) }
            for index in stride(from: nodes.count - 1, to: 0, by: -1) {
                nodes[index].link(to: nodes[index - 1])
            }
            let closing = nodes[0].link(to: nodes[nodes.count - 1])
            nodes[50].set(7)
            #expect(nodes[49].value == 7)
            #expect(graph.validate(roots: [nodes[0]]) == [])
            closing?.cancel()
            var joined: Node<Int>? = nodes[nodes.count - 1]
            for _ in 0..<20_000 { joined = joined.map { Node.combineEach($0, $0, &+) } }
            nodes[0].set(1)
            #expect(joined?.value == 0 || joined != nil)
            joined = nil
        }
    }

    @Test("A million nodes propagate and are freed on 8 MiB", .enabled(if: Nightly.isOn))
    func million() {
        onThread(stackBytes: 8 * 1024 * 1024) {
            let graph = Graph()
            let source = graph.mutable(0)
            var chain: Node<Int>? = source
            for _ in 0..<1_000_000 { chain = chain?.map { $0 + 1 } }
            source.set(5)
            #expect(chain?.value == 1_000_005)
            chain = nil
            #expect(graph.counts.liveNodes == 1)
        }
    }

    @Test("A listener that cuts a long chain in the middle of a turn frees it at once")
    func cutInTurn() {
        onThread(stackBytes: 512 * 1024) {
            let graph = Graph()
            let source = graph.mutable(0)
            var chain: Node<Int>? = source
            for _ in 0..<100_000 { chain = chain?.map { $0 + 1 } }
            let bag = CancellableBag()
            source.listen(in: bag, replay: false) { _ in
                chain = nil
                #expect(graph.counts.liveNodes == 1)
            }
            source.set(1)
            #expect(graph.counts.liveEdges == 0)
        }
    }
}
