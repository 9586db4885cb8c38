import ReactiveGraph
import TestSupport
import Testing

@Suite("Submitting")
struct SubmitTests {
    let loop = ManualExecutor()
    let graph: Graph

    init() {
        graph = Graph(executor: loop)
    }

    // MARK: - From elsewhere

    @Test("G-109: a handle of a node sets it from another thread, later, on the graph's own")
    func handle() {
        let node = graph.mutable(0)
        let heard = EmissionRecorder(node)
        let handle = node.handle
        onThreads { _ in
            handle.set(1)
            handle.clear()
            handle.send(.value(2))
        }
        #expect(heard.history == [.value(0)])
        loop.run()
        #expect(heard.history == [.value(0), .value(1), .empty, .value(2)])
    }

    @Test("G-109: a closure submitted from another thread gets the graph, on the graph's thread")
    func submit() {
        let node = graph.mutable(0)
        let (door, handle) = (graph.handle, node.handle)
        let born = graph.counts.bornNodes
        onThreads { _ in
            door.submit { graph in
                let made = graph.mutable(5)
                made.set(6)
            }
            handle.set(1)
        }
        #expect(graph.counts.bornNodes == born)
        loop.run()
        #expect(graph.counts.bornNodes == born + 1)
        #expect(node.value == 1)
    }

    @Test("G-109: posts of one thread keep their order, those of several are all there")
    func order() {
        let node = graph.mutable(of: [Int].self)
        let handle = node.handle
        let (threads, posts) = (4, 500)
        onThreads(threads) { thread in
            for number in 0..<posts { handle.set([thread, number]) }
        }
        let heard = Recorder(node)
        loop.run()
        #expect(heard.history.count == threads * posts)
        for thread in 0..<threads {
            #expect(heard.history.filter { $0[0] == thread }.map { $0[1] } == Array(0..<posts))
        }
    }

    @Test("G-109: every kind of post of one thread stands in one order")
    func mixed() {
        let node = graph.mutable(0)
        let heard = Recorder(node, replay: false)
        let handle = node.handle
        graph.submit { node.set(1) }
        handle.set(2)
        node.setLater(3)
        graph.handle.submit { _ in handle.set(5) }
        graph.submit { node.set(4) }
        loop.run()
        #expect(heard.history == [1, 2, 3, 4, 5])
    }

    @Test("G-110: each post is a turn of its own: a join settles once for each")
    func turns() {
        let a = graph.mutable(0)
        let b = graph.mutable(0)
        let heard = Recorder<String>()
        Node.combine(a, b).listen(owner: heard, replay: false) { $0.note("\($1.0) \($1.1)") }
        a.handle.set(1)
        b.handle.set(2)
        loop.run()
        #expect(heard.history == ["1 0", "1 2"])
    }

    @Test("G-110: a post never runs inside another turn")
    func notNested() {
        let a = graph.mutable(0)
        let b = graph.mutable(0)
        let bag = CancellableBag()
        var log: [String] = []
        a.listen(in: bag, replay: false) { value in
            log.append("a\(value)")
            b.handle.set(value)
            graph.submit { log.append("post\(value)") }
            log.append("end of a\(value)")
        }
        b.listen(in: bag, replay: false) { log.append("b\($0)") }
        graph.submit { a.set(1) }
        loop.run()
        #expect(log == ["a1", "end of a1", "b1", "post1"])
    }

    @Test("G-110: an executor that runs a post inside a turn is stopped")
    func runInside() async {
        await #expect(processExitsWith: .failure) {
            let loop = ManualExecutor()
            let graph = Graph(executor: loop)
            let node = graph.mutable(0)
            let bag = CancellableBag()
            graph.submit {}
            node.listen(in: bag) { _ in loop.run() }
        }
    }

    @Test("G-45: the context comes along")
    func context() {
        let node = graph.mutable(0)
        let bag = CancellableBag()
        var heard: [String?] = []
        node.listenEmissions(in: bag, replay: false) { emission, delivery in
            guard !emission.isEmpty else { return }
            heard.append(delivery.context?.value())
        }
        let handle = node.handle
        onThreads { _ in handle.set(1, context: Context("elsewhere")) }
        node.setLater(2, context: Context("here"))
        loop.run()
        #expect(heard == ["elsewhere", "here"])
    }

    @Test("A handle holds neither node nor graph; what is sent to a node that is gone is dropped")
    func weakly() {
        weak var goneNode: AnyNode?
        weak var goneGraph: Graph?
        let handle: NodeHandle<Int>
        do {
            let graph = Graph(executor: loop)
            goneGraph = graph
            do {
                let node = graph.mutable(1)
                goneNode = node
                handle = node.handle
            }
            #expect(goneNode == nil)
            #expect(handle.set(2))
            loop.run()
            #expect(handle.set(3))
        }
        #expect(goneGraph == nil)
        #expect(!handle.set(4))
        #expect(!handle.graph.submit { _ in Issue.record("the graph is gone") })
        loop.run()
    }

    @Test("G-147: a node's number is not used again, so a handle never reaches another node")
    func numbers() {
        let handle: NodeHandle<Int>
        do { handle = graph.mutable(1).handle }
        let nodes = (0..<100).map { _ in graph.mutable(0) }
        handle.set(7)
        loop.run()
        #expect(nodes.allSatisfy { $0.value == 0 })
    }

    @Test("Without an executor there is nothing to post to")
    func missing() async {
        await #expect(processExitsWith: .failure) {
            Graph().submit {}
        }
        await #expect(processExitsWith: .failure) {
            _ = Graph().mutable(1).handle
        }
        await #expect(processExitsWith: .failure) {
            Graph().mutable(1).setLater(2)
        }
    }

    @Test("G-108, G-113: work goes to another thread and its result comes back")
    func work() {
        let question = graph.mutable(of: Int.self)
        let answer = graph.mutable(of: Int.self)
        let heard = Recorder(answer)
        let workers = ThreadQueue()
        let handle = answer.handle
        let bag = CancellableBag()
        question.listen(in: bag, on: workers) { handle.set($0 * $0) }
        for value in 1...5 { question.set(value) }
        workers.finish()
        #expect(answer.isEmpty)
        loop.run()
        #expect(heard.history == [1, 4, 9, 16, 25])
    }

    // MARK: - Deferred sets

    @Test("G-150: a deferred set is the next turn of the loop, not nested")
    func deferred() {
        let a = graph.mutable(0)
        let b = graph.mutable(0)
        let bag = CancellableBag()
        var log: [String] = []
        a.listen(in: bag, replay: false) { value in
            b.setLater(value)
            log.append("first of a\(value)")
        }
        a.listen(in: bag, replay: false) { log.append("second of a\($0)") }
        b.listen(in: bag, replay: false) { log.append("b\($0)") }
        a.set(1)
        #expect(b.value == 0)
        loop.run()
        #expect(log == ["first of a1", "second of a1", "b1"])
    }

    @Test(
        "G-150: with deferred sets listeners of two nodes see changes in the same order; nested ones differ"
    )
    func sameOrder() {
        for isDeferred in [false, true] {
            let x = graph.mutable(0)
            let y = graph.mutable(0)
            let bag = CancellableBag()
            var (one, other): ([String], [String]) = ([], [])
            // The first listener of x sets y, before the second one has received x.
            x.listen(in: bag, replay: false) { value in
                one.append("x")
                if isDeferred { y.setLater(value) } else { y.set(value) }
            }
            y.listen(in: bag, replay: false) { _ in
                one.append("y")
                other.append("y")
            }
            x.listen(in: bag, replay: false) { _ in other.append("x") }
            x.set(1)
            loop.run()
            #expect(one == ["x", "y"])
            #expect(other == (isDeferred ? ["x", "y"] : ["y", "x"]))
        }
    }

    @Test("G-150: deferred sets keep their order, and hold their node until they are done")
    func holding() {
        weak var gone: AnyNode?
        let heard = Recorder<Int>()
        do {
            let node = graph.mutable(0)
            gone = node
            node.listen(owner: heard, replay: false) { $0.note($1) }
            node.setLater(1)
            node.setLater(2)
            node.clearLater()
            heard.listenBag.cancel()
        }
        #expect(gone != nil)
        loop.run()
        #expect(gone == nil)
    }
}
