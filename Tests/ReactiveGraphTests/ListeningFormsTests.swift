import ReactiveGraph
import TestSupport
import Testing

private final class Panel {
    var heard: [String] = []

    func show(_ value: Int) { heard.append("\(value)") }
    func explain(_ emission: Emission<Int>, _ context: Context?) {
        heard.append("\(emission) \(context?.value(as: String.self) ?? "-")")
    }
}

@Suite("Forms of listening (G-95)")
struct ListeningFormsTests {
    let graph = Graph()

    @Test("G-95: an owner is handed over, and its death ends what was begun in its name")
    func owner() {
        let node = graph.mutable(0)
        var panel: Panel? = Panel()
        weak let gone = panel
        node.listen(owner: panel!, replay: false) { $0.show($1) }
        let last = node.listenEmissions(owner: panel!, replay: false) { $0.explain($1, $2.context) }
        node.set(1, context: Context("why"))
        node.clear()
        last.cancel()
        node.set(2)
        #expect(panel?.heard == ["1", "1 why", "empty -", "2"])
        panel = nil
        #expect(gone == nil)
        node.set(3)
        #expect(!node.hasListener)
    }

    @Test("G-7: listening to a writable view is listening to its node")
    func writableView() {
        let node = graph.mutable(1)
        let (panel, bag) = (Panel(), CancellableBag())
        node.map { $0 * 2 }.writable().listen(in: bag) { panel.show($0) }
        node.writable().listen(owner: panel) { $0.show($1) }
        node.set(2)
        #expect(panel.heard == ["2", "1", "2", "4"])
        #expect(node.hasListener)
    }

    @Test("G-95: the value, or the emission with context and path, each with a bag and with an owner")
    func closures() {
        let source = graph.mutable(of: Int.self)
        let node = source.map { $0 }
        let ids = [source.id, node.id]
        let bag = CancellableBag()
        let recorder = Recorder<String>()
        let panel = Panel()
        node.listen(in: bag) { (value: Int) in panel.heard.append("a\(value)") }
        node.listenEmissions(in: bag, replay: false) { _, delivery in
            panel.heard.append("b\(delivery.context != nil)")
        }
        node.listenEmissions(in: bag, replay: false, paths: true) { _, delivery in
            panel.heard.append("c\(delivery.path.ids == ids)")
        }
        hear(node, ids, owner: panel, panel)
        hear(node, ids, owner: recorder, panel)
        source.set(1, context: Context(0))
        #expect(
            panel.heard == ["a1", "btrue", "ctrue"]
                + Array(repeating: ["d1", "etrue", "ftrue true"], count: 2).flatMap { $0 }
        )
    }

    private func hear<Owner: AnyObject>(_ node: Node<Int>, _ ids: [UInt64], owner: Owner, _ panel: Panel) {
        node.listen(owner: owner) { (_: Owner, value: Int) in panel.heard.append("d\(value)") }
        node.listenEmissions(owner: owner, replay: false) { _, _, delivery in
            panel.heard.append("e\(delivery.context != nil)")
        }
        node.listenEmissions(owner: owner, replay: false, paths: true) { _, _, delivery in
            panel.heard.append("f\(delivery.path.ids == ids) \(delivery.context != nil)")
        }
    }

    @Test("G-95: without an executor a listener runs on whatever calls the set, before it returns")
    func synchronous() {
        let node = graph.mutable(0)
        let panel = Panel()
        node.listen(owner: panel, replay: false) { $0.show($1) }
        node.set(1)
        panel.heard.append("returned")
        #expect(panel.heard == ["1", "returned"])
    }
}
