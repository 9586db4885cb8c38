import ReactiveGraph
import TestSupport
import Testing

@Suite("Where closures were attached (G-163)")
struct PlaceTests {
    let graph = Graph()
    let loop = ManualExecutor()
    let thread = ManualThread()

    /// The places on the node of all listens of `owner`, which was given as a name.
    private func places(_ node: AnyNode, _ owner: String) -> [CodePlace] {
        node.ownerPaths().first {
            if case .listener(owner, _) = $0.holder { $0.nodes == [node] } else { false }
        }?.places ?? []
    }

    @Test("G-163: every form of listening knows file and line, and whyAlive shows them")
    func forms() {
        let node = graph.mutable(1).named("speed")
        let bag = CancellableBag(name: "panel")
        let first = #line + 1
        node.listen(in: bag) { _ in }
        node.listenEmissions(in: bag) { _, _ in }
        node.listenEmissions(in: bag, on: loop) { _, _ in }
        node.listenEmissions(in: bag, on: thread) { _, _ in }
        node.listenWhile(in: bag) { _ in true }
        node.listen(in: bag, on: loop) { _ in }
        node.listen(in: bag, on: thread) { _ in }
        #expect(places(node, "panel").map(\.line) == Array(first..<first + 7))
        #expect(Set(places(node, "panel").map(\.file)) == [#fileID])
        let shown = (first..<first + 3).map { "\(#fileID):\($0)" }.joined(separator: ", ")
        #expect(node.whyAlive().contains("    7 listens of panel → speed (\(shown), and 4 more)\n"))
    }

    @Test("G-163: listens of an owner, foreign or not, and event listens")
    func owners() {
        let node = graph.mutable(1)
        let gauge = BagKeeper()
        let keeper = Keeper()
        let first = #line + 1
        node.listen(owner: gauge) { _, _ in }
        node.listenEmissions(owner: gauge) { _, _, _ in }
        node.listenWhile(owner: gauge) { _, _ in true }
        node.listen(owner: keeper) { _, _ in }
        node.listenEmissions(owner: keeper, paths: true) { _, _, _ in }
        node.listen(owner: keeper, on: loop) { _, _ in }
        node.addListener(owner: keeper) { _ in }
        node.addListener(owner: keeper) { _, _, _ in }
        #expect(places(node, "BagKeeper").map(\.line) == [first, first + 1, first + 2])
        #expect(places(node, "Keeper").map(\.line) == Array(first + 3..<first + 8))
        let path = node.ownerPaths().first { $0.holder == .reference }
        #expect(path?.places == [])
    }

    @Test("G-163: a place is not taken for a place among rings, and a listen edge of one's own has none")
    func rings() {
        let (a, b) = (graph.mutable(1), graph.mutable(2))
        let bag = CancellableBag(name: "bag")
        a.listen(in: bag) { _ in }
        a.sync(with: b)
        let token = b.listen(in: bag) { _ in }
        b.listen(ListenEdge<Int>(), owner: bag)
        expectSound(graph, a, b)
        token.cancel()
        #expect(places(b, "bag").count == 0 && places(a, "bag").count == 1)
        a.set(3)
        #expect(b.value == 3)
        a.removeUpstreamNodes()
        expectSound(graph, a, b)
    }
}
