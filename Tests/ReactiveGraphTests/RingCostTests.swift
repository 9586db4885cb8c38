import ReactiveGraph
import TestSupport
import Testing

/// What is counted: ids of paths that are kept, nodes that are met in searches.
///
/// Lengths 100 and 1,000 are compared, so
/// that "in proportion" and "not at all" can be told apart without a look at a watch.
@Suite("The cost of rings (G-138a, G-155)")
struct RingCostTests {
    private let graph = Graph()

    private func chain(_ length: Int, from node: Node<Int>) -> Node<Int> {
        var last = node
        for _ in 0..<length { last = last.map { $0 } }
        return last
    }

    /// A ring of two maps, one of which `node` feeds; its joined value.
    private func ring(fedBy node: Node<Int>) -> (Node<Int>, CancelToken?) {
        let entry = node.map { $0 }
        let sum = Node.combineEach(entry, entry.map { $0 }) { max($0, $1) }
        return (sum, entry.link(to: sum))
    }

    @Test(
        "A join keeps of its path what lies on rings, however long the way was; beside a ring, nothing",
        arguments: [100, 1_000]
    )
    func outside(length: Int) {
        let source = graph.mutable(0)
        let (ringed, closing) = ring(fedBy: chain(length, from: source))
        let way = chain(length, from: ringed)
        let sum = Node.combineEach(way, way.map { $0 }, +)
        let beside = graph.mutable(0)
        let other = chain(length, from: beside)
        let apart = Node.combineEach(other, other.map { $0 }, +)
        source.set(0)
        let kept = graph.engine.route.keptIDs
        beside.set(1)
        #expect(apart.value == 2 && graph.engine.route.keptIDs == kept)
        source.set(2)
        #expect(sum.value == 4)
        // The two inputs of the join on the ring: the entry; the entry and the map. The two behind
        // it: as much as it kept.
        #expect(graph.engine.route.keptIDs - kept == 1 + 2 + 2 + 2)
        closing?.cancel()
    }

    @Test("A join on a ring keeps the ring's part of the way, not what led there", arguments: [100, 1_000])
    func part(length: Int) {
        let source = graph.mutable(0)
        let (sum, closing) = ring(fedBy: chain(length, from: source))
        source.set(1)
        let kept = graph.engine.route.keptIDs
        for value in 2...11 { source.set(value) }
        #expect(sum.value == 11)
        #expect(graph.engine.route.keptIDs - kept == 10 * 3)
        closing?.cancel()
        source.set(12)
        #expect(sum.value == 12)
        #expect(graph.engine.route.keptIDs - kept == 10 * 3)
    }

    @Test("On a long ring it keeps as much as the ring is long", arguments: [100, 1_000])
    func longRing(length: Int) {
        let source = graph.mutable(0)
        let end = chain(length, from: source)
        let sum = Node.combineEach(end, end, max)
        let closing = source.link(to: sum)
        source.set(1)
        let kept = graph.engine.route.keptIDs
        source.set(2)
        #expect(sum.value == 2)
        // The source and the chain, for each of the join's two inputs.
        #expect(graph.engine.route.keptIDs - kept == 2 * (length + 1))
        closing?.cancel()
    }

    @Test(
        "Edges that come and go beside a ring start no search; behind it, a search as often as it pays",
        arguments: [100, 1_000]
    )
    func moving(length: Int) {
        let source = graph.mutable(0)
        let (sum, closing) = ring(fedBy: source)
        let behind = chain(length, from: sum)
        let chosen = graph.mutable(0)
        let rooms = (0..<2).map { chain(3, from: graph.mutable($0)) }
        let shown = chosen.flattenMap { rooms[$0] }.map { $0 }
        source.set(1)
        let searched = graph.engine.ranks.searchedNodes
        for value in 2...11 {
            chosen.set(value & 1)
            source.set(value)
        }
        #expect(shown.value == 1 && behind.value == 11)
        #expect(graph.engine.ranks.searchedNodes == searched)
        closing?.cancel()
    }

    @Test(
        "Linking a chain backwards, closing a ring and syncing in a row search in proportion",
        arguments: [100, 1_000]
    )
    func building(length: Int) {
        let nodes = (0..<length).map { _ in graph.mutable(of: Int.self) }
        for index in stride(from: length - 1, to: 0, by: -1) { nodes[index].link(to: nodes[index - 1]) }
        let closing = nodes[0].link(to: nodes[length - 1])
        #expect(graph.engine.ranks.searchedNodes <= 2 * length)
        closing?.cancel()
        let synced = (0..<length).map { _ in graph.mutable(of: Int.self) }
        let bag = CancellableBag()
        for index in 1..<length { synced[index - 1].sync(with: synced[index]).store(in: bag) }
        synced[0].set(1)
        #expect(synced[length - 1].value == 1)
        #expect(graph.engine.ranks.searchedNodes <= 6 * length)
        bag.cancel()
    }
}
