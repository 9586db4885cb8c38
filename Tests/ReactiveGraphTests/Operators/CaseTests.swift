import ReactiveGraph
import TestSupport
import Testing

@Suite("Cases of a switch")
struct CaseTests {
    let graph = Graph()
    let bag = CancellableBag()

    @Test("G-91: follows the values of its key, and keeps its value when other keys come")
    func emits() {
        let source = graph.mutable(1)
        let switched = source.switch { $0 % 3 }
        let one = Recorder(switched.case(1))
        let two = Recorder(switched.case(2))
        for value in 2...7 { source.set(value) }
        #expect(one.history == [1, 4, 7])
        #expect(two.history == [2, 5])
    }

    @Test(
        "G-91: the same inner node again changes nothing; it continues following while other keys are current"
    )
    func sameAgain() {
        let source = graph.mutable(1)
        let switched = source.switch { $0 % 2 }
        let odd = switched.case(1)
        let heard = Recorder(odd, replay: false)
        let inner = switched.value?.node
        source.set(3)
        source.set(2)
        #expect(inner?.hasListener == true)
        inner?.writable().set(9)
        #expect(heard.history == [3, 9])
        #expect(graph.counts.liveFollowings == 1)
    }

    @Test("G-91: works on any node of pairs, and replays what a newly named node holds")
    func ownPairs() {
        let (first, second) = (graph.mutable("a"), graph.mutable("b"))
        let hollow = graph.mutable(of: String.self)
        let pairs = graph.mutable(Switched(key: 1, node: first as Node<String>))
        let one = pairs.case(1)
        let heard = EmissionRecorder(one)
        let bag = CancellableBag()
        var paths: [[UInt64]] = []
        one.listenEmissions(in: bag, replay: false, paths: true) { emission, delivery in
            guard !emission.isEmpty else { return }
            paths.append(delivery.path.ids)
        }
        pairs.set(Switched(key: 2, node: second))
        pairs.set(Switched(key: 1, node: second))
        first.set("not heard")
        second.set("c")
        pairs.set(Switched(key: 1, node: hollow))
        second.set("not heard")
        hollow.set("d")
        #expect(heard.history == ["a", "b", "c", "d"].map { .value($0) })
        #expect(paths == [[pairs.id, second.id, one.id], [second.id, one.id], [hollow.id, one.id]])
        expectSound(graph, pairs, first, second, hollow)
    }

    @Test("G-91: a pair that names the inner node already followed changes nothing")
    func sameInner() {
        let inner = graph.mutable("a")
        let pairs = graph.mutable(Switched(key: 1, node: inner as Node<String>))
        let heard = EmissionRecorder(pairs.case(1))
        let order = CancellableBag()
        var served: [String] = []
        inner.listen(in: order, replay: false) { served.append("\($0), \(heard.history.count) heard") }
        pairs.set(Switched(key: 1, node: inner))
        #expect(heard.history == [.value("a")])
        // It keeps its place among the listeners of the inner node, too.
        inner.set("b")
        #expect(served == ["b, 2 heard"])
        expectSound(graph, pairs, inner)
    }

    @Test("G-92: a case made late sees the current pair only, and replays no stale value")
    func late() {
        let source = graph.mutable(1)
        let switched = source.switch { $0 % 2 }
        source.set(2)
        let odd = switched.case(1)
        let even = switched.case(0)
        #expect(odd.isEmpty && even.value == 2)
        let heard = Recorder(odd)
        source.set(3)
        #expect(heard.history == [3])
    }

    @Test("G-46, G-92: a case made while its pair is served hears the value once")
    func madeInPass() {
        let source = graph.mutable(of: Int.self)
        let switched = source.switch { _ in 0 }
        var recorder: Recorder<Int>?
        switched.listen(in: bag) { _ in
            if recorder == nil, source.value == 2 { recorder = Recorder(switched.case(0)) }
        }
        source.set(1)
        source.set(2)
        #expect(recorder?.history == [2])
    }

    @Test("G-103: a case counts as a listener of its inner node; another source releases it")
    func listener() throws {
        let source = graph.mutable(1)
        let switched = source.switch { $0 }
        let one = switched.case(1)
        let inner = try #require(switched.value?.node)
        #expect(inner.hasListener)
        #expect(one.followedNodes == [inner])
        let edge = try #require(one.upstreamTransforms.first as? TransformEdge<Switched<Int, Int>, Int>)
        edge.from = nil
        #expect(!inner.hasListener)
        #expect(one.value == 1)
    }

    @Test("G-94: if, then, else", arguments: [true, false])
    func split(settled: Bool) {
        let graph = Graph(propagation: settled ? .settled : .immediate)
        let source = graph.mutable(5)
        var calls: [String] = []
        let split = source.split { $0 > 0 }
            .then { calls.append("then \($0.value ?? 0)") }
            .else { calls.append("else \($0.isEmpty)") }
        #expect(calls == ["then 5", "else true"])
        let positive = Recorder(split.thenNode)
        let other = Recorder(split.elseNode)
        source.set(-1)
        #expect(split.thenNode.value == 5)
        source.set(7)
        #expect(split.elseNode.value == -1)
        #expect(positive.history == [5, 7] && other.history == [-1])
    }

    @Test("A pair that names the case's own node delivers nothing and holds nothing")
    func itself() {
        let pairs = graph.mutable(of: Switched<Int, Int>.self)
        let one = pairs.case(1)
        pairs.set(Switched(key: 1, node: one))
        #expect(one.isEmpty)
        pairs.clear()
        expectSound(graph, pairs, one)
    }
}
