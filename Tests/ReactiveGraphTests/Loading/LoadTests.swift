import ReactiveGraph
import TestSupport
import Testing

@Suite("Facets of a node that mirrors a remote thing")
struct LoadTests {
    let graph = Graph()
    let log = EventLog()
    let owner = Keeper()

    func mirror() -> MutableNode<Int> {
        let node = graph.mutable(of: Int.self)
        node.addListener(owner: owner) { [log, unowned node] event in
            let error = node.latestError.map { "\($0)" } ?? "-"
            log.note("\(text(event)) | \(node.isLoading ? "loading" : "idle") \(error)")
        }
        _ = log.take()
        return node
    }

    @Test("G-135: value, error and loading are independent; listeners are called after the facets changed")
    func facets() {
        let node = mirror()
        node.beginLoad().finish(1)
        node.beginLoad().fail(Failure("down"))
        #expect(node.value == 1)
        node.beginLoad().notModified()
        #expect(
            log.take() == [
                "requested | loading -", "progress(1.0) | loading -", "1 from network | idle -",
                "requested | loading -", "progress(1.0) | loading -", "error(down) | idle down",
                "requested | loading down", "progress(1.0) | loading down", "notModified | idle -",
            ]
        )
        node.beginLoad().cancel()
        #expect(log.take() == ["requested | loading -", "progress(1.0) | loading -", "cancelled | idle -"])
    }

    @Test("G-135: a new value clears the error, wherever it comes from", arguments: 0..<4)
    func valueClears(way: Int) {
        let node = mirror()
        let other = graph.mutable(of: Int.self)
        node.link(to: other)
        node.fail(Failure("down"))
        node.fail(Failure("still"))
        #expect(node.latestError != nil && node.listenerCount == 1)
        expectSound(graph, node)
        switch way {
        case 0: node.set(1)
        case 1: other.set(1)
        case 2: graph.batch { $0.set(node, 1) }
        default: node.beginLoad().finish(1, source: .local)
        }
        #expect(node.latestError == nil && log.lines.last == "1 | idle -")
        node.fail(Failure("again"))
        #expect(log.lines.last == "error(again) | idle again")
        node.clear()
        #expect(node.latestError != nil && log.lines.last == "empty | idle again")
        expectSound(graph, node)
    }

    @Test("G-135: loading is true while at least one load is running; each ends once")
    func several() {
        let node = mirror()
        let first = node.beginLoad()
        let second = node.beginLoad()
        #expect(node.loadCount == 2)
        first.finish(1)
        #expect(node.isLoading && !first.isRunning)
        first.fail(Failure("late"))
        first.cancel()
        #expect(node.isLoading && node.latestError == nil)
        second.cancel()
        second.finish(9)
        #expect(!node.isLoading && node.value == 1)
    }

    @Test("A load that is dropped counts as cancelled; a running one holds its node")
    func dropped() {
        var node: MutableNode<Int>? = graph.mutable(of: Int.self)
        weak let gone = node
        var load = node?.beginLoad()
        node = nil
        #expect(gone?.isLoading == true)
        load = nil
        #expect(gone == nil && load == nil)
    }

    @Test("Signals queue after the running pass, so no listener receives them out of order (G-37)")
    func queued() {
        let node = graph.mutable(0)
        let first = Ear("a", log)
        let second = Ear("b", log)
        node.addListener(first).addListener(second)
        first.onEvent = { event in
            switch event {
            case "1": node.beginLoad().finish(2)
            case "2 from network": node.fail(Failure("x"))
            case "error(x)": node.set(3)
            default: break
            }
        }
        _ = log.take()
        node.set(1)
        #expect(
            log.lines == [
                "a 1", "b 1", "a requested", "b requested", "a progress(1.0)", "b progress(1.0)",
                "a 2 from network", "b 2 from network",
                "a error(x)", "b error(x)", "a 3", "b 3",
            ]
        )
        #expect(node.latestError == nil && !node.isLoading)
        first.onEvent = nil
        expectSound(graph, node)
    }

    @Test("Signals go to the event listeners of that node only")
    func notDownstream() {
        let node = graph.mutable(1)
        let heard = Recorder(node)
        node.map { $0 }.addListener(owner: owner) { [log] in log.note(text($0)) }
        node.fail(Failure("x"))
        _ = node.beginLoad()
        #expect(log.lines == ["added(1)"] && heard.history == [1])
    }

    @Test("A node freed while it has an error leaves nothing behind")
    func freed() {
        do {
            let node = graph.mutable(of: Int.self)
            node.fail(Failure("x"))
            node.set(1)
            node.fail(Failure("y"))
        }
        #expect(graph.counts.liveNodes == 0 && graph.counts.liveListeners == 0)
    }

    @Test("A derived node can be loaded through its writable view")
    func writable() {
        let node = graph.mutable(1).map { $0 }
        let load = node.writable().beginLoad()
        #expect(node.isLoading)
        load.finish(2)
        #expect(node.value == 2 && !node.isLoading)
    }
}
