import ReactiveGraph
import TestSupport
import Testing

private final class Panel {
    var heard: [String] = []

    func refresh() { heard.append("refresh") }
    func show(_ value: Int) { heard.append("\(value)") }
    func explain(_ value: Int, _ context: Context?) {
        heard.append("\(value) \(context?.value(as: String.self) ?? "-")")
    }
}

@Suite("Forms of listening (G-95)")
struct ListeningFormsTests {
    let graph = Graph()

    @Test("G-95: a method of the listener with none, one or two parameters")
    func methods() {
        let node = graph.mutable(0)
        var panel: Panel? = Panel()
        weak let gone = panel
        node.listen(owner: panel!, calling: Panel.refresh)
        node.listen(owner: panel!, replay: false, calling: Panel.show)
        let last = node.listen(owner: panel!, replay: false, calling: Panel.explain)
        node.set(1, context: Context("why"))
        last.cancel()
        node.set(2)
        #expect(panel?.heard == ["refresh", "refresh", "1", "1 why", "refresh", "2"])
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

    @Test(
        "G-11: a change listener is called for each change, reads the present value, and gets no replay"
    )
    func changes() {
        let node = graph.mutable(1)
        let bag = CancellableBag()
        let recorder = Recorder<String>()
        node.listenChanges(in: bag) { [unowned node] isEmpty in
            recorder.note("\(isEmpty) \(node.value.map(String.init) ?? "-")")
        }
        #expect(recorder.history == [])
        node.set(2)
        node.clear()
        node.set(3)
        bag.cancel()
        node.set(4)
        #expect(recorder.history == ["false 2", "true -", "false 3"])
    }

    @Test("G-95: value, value and context, value and path and context, each with a bag and with an owner")
    func closures() {
        let source = graph.mutable(of: Int.self)
        let node = source.map { $0 }
        let ids = [source.id, node.id]
        let bag = CancellableBag()
        let recorder = Recorder<String>()
        let panel = Panel()
        node.listen(in: bag) { (value: Int) in panel.heard.append("a\(value)") }
        node.listenWithContext(in: bag) { (value: Int, context: Context?) in
            panel.heard.append("b\(context != nil)")
        }
        node.listenWithPath(in: bag) { (value: Int, path: Path, context: Context?) in
            panel.heard.append("c\(path.ids == ids)")
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
        node.listenWithContext(owner: owner) { (_: Owner, _: Int, context: Context?) in
            panel.heard.append("e\(context != nil)")
        }
        node.listenWithPath(owner: owner) { (_: Owner, _: Int, path: Path, context: Context?) in
            panel.heard.append("f\(path.ids == ids) \(context != nil)")
        }
    }

    @Test("G-95: without an executor a listener runs on whatever calls the set, before it returns")
    func synchronous() {
        let node = graph.mutable(0)
        let panel = Panel()
        node.listen(owner: panel, replay: false, calling: Panel.show)
        node.set(1)
        panel.heard.append("returned")
        #expect(panel.heard == ["1", "returned"])
    }
}
