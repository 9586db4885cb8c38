import ReactiveGraph
import TestSupport
import Testing

@Suite("Rules: additions")
struct AdditionRules {
    // MARK: - Emptiness

    /// The ways from a node to a derived one over which every emptiness travels.
    enum Way: CaseIterable {
        case map, filter, distinct, link, combine, combineList, combineThree, zip

        func derive(_ a: MutableNode<Int>, _ b: MutableNode<Int>) -> Node<Int> {
            switch self {
            case .map: return a.map { $0 }
            case .filter: return a.filter { _ in true }
            case .distinct: return a.distinct()
            case .link:
                let target = a.graph.node(of: Int.self)
                target.link(to: a)
                return target
            case .combine: return Node.combineEach(a, b, +)
            case .combineList: return Node.combineEach([a, b]) { $0.reduce(0, +) }
            case .combineThree: return Node.combineEach(a, b, b) { $0 + $1 + $2 }
            case .zip: return Node.zipEach(a, b, +)
            }
        }
    }

    @Test(
        "G-156: every emptiness of an input is forwarded, also when the node is empty already",
        arguments: Way.allCases,
        [Graph.Propagation.settled, .immediate]
    )
    func everyEmptiness(way: Way, propagation: Graph.Propagation) {
        let graph = Graph(propagation: propagation, propagatesEmpty: true)
        let (a, b) = (graph.mutable(1), graph.mutable(2))
        let derived = way.derive(a, b)
        let heard = EmissionRecorder(derived, replay: false)
        for _ in 0..<3 { a.clear() }
        #expect(heard.history == [.empty, .empty, .empty])
        #expect(derived.isEmpty)
    }

    @Test("G-156: an emptied combine stays silent until an input is emptied again or all are filled")
    func silentUntilRefilled() {
        let graph = Graph(propagatesEmpty: true)
        let (a, b) = (graph.mutable(1), graph.mutable(2))
        let sum = Node.combineEach(a, b, +)
        let heard = EmissionRecorder(sum, replay: false)
        a.clear()
        b.set(3)
        b.clear()
        b.set(4)
        a.set(5)
        #expect(heard.history == [.empty, .empty, .value(9)])
    }

    @Test(
        "G-156: a combine that is emptied and refilled in one turn emits the value only; one that got another is emptied"
    )
    func withinATurn() {
        let graph = Graph(propagatesEmpty: true)
        let (a, b, c) = (graph.mutable(1), graph.mutable(2), graph.mutable(7))
        let sum = Node.combineEach(a, b, +)
        sum.link(to: c)
        let heard = EmissionRecorder(sum, replay: false)
        let bag = CancellableBag()
        a.listenEmissions(in: bag, replay: false) { emission, _ in
            if emission.isEmpty { a.set(10) }
        }
        a.clear()
        #expect(heard.history == [.value(12)])
        b.clear()
        c.set(8)
        b.clear()
        #expect(heard.history == [.value(12), .empty, .value(8), .empty])
    }

    // MARK: - Switch

    /// What cuts the edge of a switch.
    enum Cut: CaseIterable {
        case removeUpstream, removeDownstream, disconnect, unsetTarget

        func perform(_ source: MutableNode<Int>, _ switched: Node<Switched<String, Int>>) {
            switch self {
            case .removeUpstream: switched.removeUpstreamNode(source)
            case .removeDownstream: source.removeDownstreamNode(switched)
            case .disconnect: switched.upstreamTransforms[0].disconnect()
            case .unsetTarget:
                (switched.upstreamTransforms[0] as? TransformEdge<Int, Switched<String, Int>>)?.to = nil
            }
        }
    }

    @Test(
        "G-157: a switch cut by a listener of the switched node in the same pass does not set the inner node",
        arguments: Cut.allCases,
        [true, false]
    )
    func cutSwitch(cut: Cut, isKeyNew: Bool) {
        let graph = Graph()
        let source = graph.mutable(1)
        let switched = source.switch { $0 < 10 ? "low" : "high" }
        let low = switched.case("low")
        let high = switched.case("high")
        let heard = Recorder(low)
        let bag = CancellableBag()
        switched.listen(in: bag, replay: false) { _ in cut.perform(source, switched) }
        source.set(isKeyNew ? 11 : 2)
        #expect(heard.history == [1] && low.value == 1 && high.isEmpty)
        source.set(3)
        #expect(low.value == 1)
        expectSound(graph, source, low, high)
    }
}
