import ReactiveGraph
import TestSupport
import Testing

@Suite("What tokens, edges and listeners give")
struct ApiTests {
    let graph = Graph()

    // MARK: - Listening

    @Test("G-95: on a node of tuples a closure of as many parameters takes the tuple apart")
    func tuples() {
        let bag = CancellableBag()
        let pairs = graph.mutable((1, "a" as String?))
        let triples = graph.mutable((1, 2, 3))
        var heard: [String] = []
        pairs.listen(in: bag) { number, text in heard.append("\(number) \(text ?? "-")") }
        triples.listen(in: bag) { a, b, c in heard.append("\(a + b + c)") }
        pairs.listenEmissions(in: bag, replay: false) { emission, delivery in
            guard let pair = emission.value else { return }
            heard.append("\(pair.0) \(delivery.context?.value(as: String.self) ?? "-")")
        }
        pairs.set((2, nil), context: Context("why"))
        #expect(heard == ["1 a", "6", "2 -", "2 why"])
    }

    @Test("G-47, G-21: a listener may end itself, also during its replay", arguments: 0..<3)
    func endsItself(form: Int) {
        let node = graph.mutable(1)
        let (bag, keeper, gauge) = (CancellableBag(), Keeper(), BagKeeper())
        var heard: [Int] = []
        func listen(until last: Int) -> CancelToken {
            switch form {
            case 0:
                node.listenWhile(in: bag) { value in
                    heard.append(value)
                    return value < last
                }
            case 1:
                node.listenWhile(owner: keeper) { _, value in
                    heard.append(value)
                    return value < last
                }
            default:
                node.listenWhile(owner: gauge) { _, value in
                    heard.append(value)
                    return value < last
                }
            }
        }
        let inReplay = listen(until: 1)
        #expect(heard == [1] && !inReplay.isActive && !node.hasListener && bag.isEmpty)
        let later = listen(until: 2)
        #expect(later.isActive)
        node.set(2)
        node.set(3)
        #expect(heard == [1, 1, 2] && !later.isActive)
        expectSound(graph, node)
    }

    // MARK: - Tokens and edges

    @Test("G-26, G-30: the token of a link gives its edge, and holds nothing itself")
    func linkEdge() throws {
        var source: MutableNode<Int>? = graph.mutable(1)
        weak let gone = source
        let target = graph.node(of: Int.self)
        let token = target.link(to: source!)
        var edge = token?.edges.first
        #expect(edge?.fromNode === source && edge?.toNode === target && token?.edges.first === edge)
        edge?.propagatesEmpty = true
        source?.clear()
        #expect(target.isEmpty)
        edge = nil
        token?.cancel()
        #expect(token?.edges == [])
        source = nil
        #expect(gone == nil)
        #expect(target.link(to: target)?.edges == nil)
        let text = graph.node(of: String.self)
        let named = text.link(to: target, named: "Text") { emission, _ in emission.map { "\($0)" } }
        #expect(named?.edges.map(\.name) == ["Text"])
    }

    @Test("G-88: the token of a sync gives both edges, and is active while one of them is there")
    func syncEdges() {
        let (a, b) = (graph.mutable(1), graph.mutable(2))
        let token = a.sync(with: b)
        let edges = token.edges
        #expect(edges.map(\.fromNode) == [b, a] && edges.map(\.toNode) == [a, b])
        edges[0].disconnect()
        #expect(token.isActive && token.edges == [edges[1]])
        token.cancel()
        #expect(!token.isActive)
        b.set(5)
        a.set(6)
        #expect(b.value == 5)
        #expect(a.sync(with: a).isActive == false)
        let bag = CancellableBag()
        #expect(a.listen(in: bag) { _ in }.edges == [] && CancelToken {}.edges == [])
    }

    @Test("G-20: both ends of an edge can be set when its types are not known")
    func anyEnds() {
        let (a, b) = (graph.mutable(1), graph.mutable(2))
        let derived = a.map { $0 * 10 }
        let edge: AnyEdge = derived.upstreamTransforms[0]
        edge.fromNode = b
        #expect(derived.value == 20)
        let other = graph.node(of: Int.self)
        edge.toNode = other
        b.set(3)
        #expect(derived.value == 20 && other.value == 30)
        edge.fromNode = nil
        edge.toNode = nil
        #expect(!edge.isConnected && edge.fromNode == nil && edge.toNode == nil)
        let ear = ListenEdge<Int>()
        ear.from = a
        ear.to = nil
        #expect(ear.from === a && ear.to == nil)
        expectSound(graph, a, b, derived, other)
    }

    @Test("G-145: whether emptiness travels is a property of graph, node and edge")
    func propagatesEmpty() {
        let (a, b) = (graph.mutable(1), graph.mutable(2))
        let merged = Node.merge([a, b])
        #expect(!merged.propagatesEmpty && !graph.propagatesEmpty && !a.propagatesEmpty)
        merged.propagatesEmpty = true
        #expect(merged.propagatesEmpty && merged.upstreamTransforms.allSatisfy(\.propagatesEmpty))
        merged.upstreamTransforms[0].propagatesEmpty = false
        #expect(!merged.propagatesEmpty)
        a.clear()
        #expect(merged.value == 2)
        b.clear()
        #expect(merged.isEmpty)
        merged.propagatesEmpty = false
        #expect(!merged.upstreamTransforms.contains { $0.propagatesEmpty })
    }

    @Test("G-71: pairs and triples that are the same are not repeated")
    func distinctTuples() {
        let pairs = graph.mutable((1, "a"))
        let triples = graph.mutable((1, 2, 3))
        let twos = Recorder(pairs.distinct().map { "\($0)" })
        let threes = Recorder(triples.distinct().map { $0.2 })
        pairs.set((1, "a"))
        pairs.set((1, "b"))
        pairs.set((2, "b"))
        triples.set((1, 2, 3))
        triples.set((1, 2, 4))
        #expect(twos.history.count == 3 && threes.history == [3, 4])
    }
}

@Suite("Owners without a bag, and graphs with a clock")
struct CollectingTests {
    let clock = ManualClock()

    @Test(
        "G-67: a graph with a clock looks for dead owners by itself, so none keeps it alive",
        arguments: 0..<4
    )
    func collects(form: Int) {
        weak var gone: Graph?
        var keeper: Keeper? = Keeper()
        do {
            let graph = Graph(clock: clock, collectsEvery: .seconds(5))
            gone = graph
            let node = graph.mutable(1)
            switch form {
            case 0: node.map { $0 }.listen(owner: keeper!) { _, _ in }
            case 1: node.listen(ListenEdge<Int>(), owner: keeper!)
            case 2: node.addListener(owner: keeper!) { _ in }
            default: node.sync(with: graph.mutable(2), owner: keeper!)
            }
        }
        clock.advance(by: .seconds(60))
        #expect(gone != nil && clock.pendingCount == 1)
        keeper = nil
        clock.advance(by: .seconds(4))
        #expect(gone != nil)
        clock.advance(by: .seconds(1))
        #expect(gone == nil && clock.pendingCount == 0)
    }

    @Test("It looks only while it is listened to in this way, and not where a loop does")
    func onlyWhenNeeded() {
        let graph = Graph(clock: clock)
        let bag = CancellableBag()
        let node = graph.mutable(1)
        node.listen(in: bag) { _ in }
        node.listen(owner: BagKeeper()) { _, _ in }
        #expect(clock.pendingCount == 0)
        let keeper = Keeper()
        let token = node.listen(owner: keeper) { _, _ in }
        node.listen(owner: keeper) { _, _ in }.cancel()
        #expect(clock.pendingCount == 1)
        token.cancel()
        clock.advance(by: .seconds(1))
        #expect(clock.pendingCount == 0)
        let looped = Graph(clock: clock, collectsEvery: nil)
        looped.mutable(1).listen(owner: keeper) { _, _ in }
        #expect(clock.pendingCount == 0)
        looped.collect()
    }
}
