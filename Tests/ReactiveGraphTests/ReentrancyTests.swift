import ReactiveGraph
import TestSupport
import Testing

@Suite("Re-entrancy and feedback")
struct ReentrancyTests {
    let graph = Graph()

    @Test("A set in the node's own pass waits; no listener sees values out of order (G-37)")
    func queues() {
        let node = graph.mutable(of: Int.self)
        let bag = CancellableBag()
        var heard: [String] = []
        node.listen(in: bag) { value in
            heard.append("a\(value)")
            if value == 1 {
                node.set(2)
                heard.append("reads \(node.value ?? -1)")
            }
        }
        node.listen(in: bag) { heard.append("b\($0)") }
        node.set(1)
        #expect(heard == ["a1", "reads 1", "b1", "a2", "b2"])
    }

    @Test("A set of another node inside a listener is nested and complete on return (G-38)")
    func nested() {
        let node = graph.mutable(of: Int.self)
        let other = graph.mutable(of: Int.self)
        let derived = other.map { $0 * 10 }
        let bag = CancellableBag()
        node.listen(in: bag) { value in
            other.set(value)
            #expect(derived.value == value * 10)
        }
        node.set(1)
        node.set(2)
        #expect(derived.value == 20)
    }

    @Test("Queued emissions keep their context and start with an empty path (G-39, G-45)")
    func contexts() {
        let node = graph.mutable(of: Int.self)
        let bag = CancellableBag()
        var heard: [String] = []
        node.listenEmissions(in: bag, paths: true) { emission, delivery in
            guard let value = emission.value else { return }
            heard.append("\(value) \(delivery.path.count) \(delivery.context?.value(as: String.self) ?? "-")")
            if value == 1 { node.set(2, context: Context("queued")) }
            if value == 2 { node.set(3, path: delivery.path, context: delivery.context) }
        }
        node.set(1, context: Context("first"))
        #expect(heard == ["1 1 first", "2 1 queued", "3 2 queued"])
    }

    @Test("A million queued sets use no native stack (G-49, G-154)")
    func million() {
        let graph = Graph(feedbackLimit: .max)
        let node = graph.mutable(of: Int.self)
        let bag = CancellableBag()
        var count = 0
        node.listen(in: bag) { value in
            count += 1
            if value < 1_000_000 { node.set(value + 1) }
        }
        node.set(1)
        #expect(count == 1_000_000)
    }

    @Test("Feedback that does not settle stops the turn, names the node, and leaves the graph usable (G-39)")
    func feedback() {
        let graph = Graph(feedbackLimit: 100)
        var errors: [String] = []
        graph.onError = { errors.append($0.description) }
        let a = graph.mutable(of: Int.self).named("a")
        let b = graph.mutable(of: Int.self).named("b")
        let bag = CancellableBag()
        var settles = false
        a.listen(in: bag) { if !settles { b.set($0 + 1) } }
        b.listen(in: bag) { if !settles { a.set($0 + 1) } }
        let later = Recorder(a.map { $0 })
        a.set(1)
        #expect(errors.count == 1)
        #expect(errors[0].contains("node a"))
        settles = true
        later.forget()
        a.set(-5)
        #expect(later.history == [-5])
        #expect(errors.count == 1)
        expectSound(graph, a, b)
    }

    @Test("A ring stops where it began; its closing function is not called (G-41)")
    func ring() {
        let x = graph.mutable(of: Int.self)
        let y = graph.mutable(of: Int.self)
        let z = graph.mutable(of: Int.self)
        var closing = 0
        z.link(to: y)
        x.link(to: z)
        y.link(
            to: x,
            via: TransformEdge { value in
                closing += 1
                return value
            }
        )
        let heard = [x, y, z].map { Recorder($0) }
        y.set(1)
        #expect(heard.map(\.history) == [[1], [1], [1]])
        #expect(closing == 0)
        y.removeUpstreamNodes()
    }

    @Test("On a triangle of two-way links y and z are set twice each (G-43)")
    func triangle() {
        let graph = Graph(propagation: .immediate)
        let nodes = (0..<3).map { _ in graph.mutable(of: Int.self) }
        for (i, j) in [(0, 1), (1, 2), (2, 0)] {
            nodes[i].link(to: nodes[j])
            nodes[j].link(to: nodes[i])
        }
        let heard = nodes.map { Recorder($0) }
        nodes[0].set(1)
        #expect(heard.map(\.history.count) == [1, 2, 2])
        for node in nodes { node.removeUpstreamNodes() }
    }

    @Test("Order: listeners first, then transforms, depth first (G-35, G-36)")
    func order() {
        let s = graph.mutable(of: Int.self)
        let p = s.map { $0 }
        let q = s.map { $0 }
        let r = p.map { $0 }
        let bag = CancellableBag()
        var order: [String] = []
        for (name, node) in [("r", r), ("q", q), ("p", p), ("s", s)] {
            node.listen(in: bag) { _ in order.append(name) }
        }
        s.set(1)
        #expect(order == ["s", "p", "r", "q"])
    }

    @Test("What is queued when the turn is stopped is not delivered any more (G-39)")
    func stoppedQueue() {
        let graph = Graph(feedbackLimit: 3)
        var errors = 0
        graph.onError = { _ in errors += 1 }
        let node = graph.mutable(0)
        let bag = CancellableBag()
        var heard: [Int] = []
        node.listen(in: bag, replay: false) { value in
            heard.append(value)
            node.set(value * 10)
            node.set(value * 10 + 1)
        }
        node.set(1)
        #expect(heard == [1, 10] && errors == 1)
        expectSound(graph, node)
    }

    @Test("The limit is one of a turn, not of a life (G-39)")
    func limitPerTurn() {
        let graph = Graph(feedbackLimit: 2)
        var errors = 0
        graph.onError = { _ in errors += 1 }
        let node = graph.mutable(0)
        let bag = CancellableBag()
        node.listen(in: bag) { if $0 % 10 != 0 { node.set($0 - 1) } }
        for turn in 1...10 { node.set(turn * 10 + 2) }
        #expect(errors == 0 && node.value == 100)
    }

    @Test("What an edge brings to a busy node waits with its path and context (G-34, G-40, G-45)")
    func broughtWhileBusy() {
        let busy = graph.mutable(0)
        let other = graph.mutable(0)
        let bag = CancellableBag()
        busy.link(to: other, replay: false)
        var heard: [String] = []
        busy.listenEmissions(in: bag, replay: false, paths: true) { emission, delivery in
            guard let value = emission.value else { return }
            heard.append(
                "\(value) over \(delivery.path.count) with \(delivery.context?.value(as: String.self) ?? "none")"
            )
            if value == 1 { other.set(2, context: Context("brought")) }
        }
        busy.set(1, context: Context("own"))
        #expect(heard == ["1 over 1 with own", "2 over 2 with brought"])
    }
}
