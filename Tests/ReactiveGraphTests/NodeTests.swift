import ReactiveGraph
import TestSupport
import Testing

@Suite("Nodes and emissions")
struct NodeTests {
    let graph = Graph()

    @Test("Empty is not nil (G-2, G-3)")
    func emptiness() {
        let holdsNil = graph.mutable(Int?.none)
        let empty = graph.mutable(of: Int?.self)
        #expect(!holdsNil.isEmpty)
        #expect(empty.isEmpty)
        #expect(Recorder(holdsNil).history == [nil])
        #expect(Recorder(empty).history.isEmpty)
        #expect(Emission<Int?>.empty != .value(nil))
        #expect(holdsNil.value(default: 5) == nil)
        #expect(empty.value(default: 5) == 5)
    }

    @Test("ifValue runs at once, once, for a stored nil too (G-9)")
    func ifValue() {
        var calls = 0
        graph.mutable(Int?.none).ifValue { _ in calls += 1 }
        graph.mutable(of: Int.self).ifValue { _ in calls += 1 }
        #expect(calls == 1)
    }

    @Test("An equal value is a full emission (G-4)")
    func equalValues() {
        let node = graph.mutable(1)
        let heard = Recorder(node)
        node.set(1)
        #expect(heard.history == [1, 1])
    }

    @Test("A writable view sets the same node, which stays what it is for others (G-7)")
    func writable() {
        let derived = graph.mutable(1).map { $0 }
        let heard = Recorder(derived)
        derived.writable().set(5, context: Context(1))
        derived.writable().clear()
        #expect(derived.writable().node === derived)
        #expect(heard.history == [1, 5])
        #expect(derived.isEmpty)
        #expect(!derived.isMutable)
    }

    @Test("A set that continues a path leaves its nodes alone (G-10)")
    func paths() {
        let a = graph.mutable(of: Int.self)
        let b = graph.mutable(of: Int.self)
        let c = graph.mutable(of: Int.self)
        b.link(to: a)
        c.link(to: a)
        let bag = CancellableBag()
        var path = Path.empty
        b.listenEmissions(in: bag, paths: true) { emission, delivery in
            guard !emission.isEmpty else { return }
            path = delivery.path
        }
        b.set(0)
        a.set(1, path: path, context: nil)
        #expect(b.value == 0)
        #expect(c.value == 1)
        #expect(path.contains(b) && !path.contains(a))
    }

    @Test("Setting a node without listeners is reported in debug builds, if asked for (G-17)")
    func idle() {
        var told: [UInt64] = []
        graph.onIdleSet = { told.append($0.id) }
        let node = graph.mutable(1)
        node.set(2)
        #if DEBUG
            #expect(told == [node.id])
        #else
            #expect(told.isEmpty)
        #endif
    }

    @Test("Counts tell what is alive, and validate finds them right")
    func counts() {
        let a = graph.mutable(1)
        let heard = Recorder(a.map { $0 })
        #expect(graph.counts.liveNodes == 2)
        #expect(graph.counts.liveEdges == 1)
        #expect(graph.counts.liveListeners == 1)
        #expect(graph.counts.bornNodes == 2)
        expectSound(graph, a)
        withExtendedLifetime(heard) {}
    }
}
