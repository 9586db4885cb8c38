import ReactiveGraph
import ReactiveGraphBinding
import ReactiveGraphDispatch
import Synchronization
import TestSupport
import Testing

/// Takes what the compiler refuses to another thread, which frees it.
private final class Parcel<Thing>: @unchecked Sendable {
    private var thing: Thing?

    init(_ thing: Thing) {
        self.thing = thing
    }

    func free() { thing = nil }
}

/// Frees on another thread what `make` returns, and nothing else holds.
private func freeElsewhere<Thing>(_ make: () -> Thing) {
    let parcel = Parcel(make())
    onThreads { _ in parcel.free() }
}

@Suite("What is freed on another thread ends at the graph's home")
struct EndsElsewhereTests {
    let loop = ManualExecutor()
    let graph: Graph

    init() {
        graph = Graph(executor: loop)
    }

    private final class Token {}

    // MARK: - Bags

    @Test("G-165: a bag freed elsewhere ends in a post; until then its listens are served")
    func bag() {
        let node = graph.mutable(0)
        let heard = Notes<Int>()
        weak var captured: Token?
        freeElsewhere {
            let bag = CancellableBag()
            let token = Token()
            captured = token
            node.listen(in: bag, replay: false) { [token] in
                heard.add($0)
                withExtendedLifetime(token) {}
            }
            return bag
        }
        #expect(graph.counts.liveListeners == 1)
        node.set(1)
        loop.run()
        #expect(graph.counts.liveListeners == 0)
        #expect(captured == nil)
        node.set(2)
        #expect(heard.all == [1])
    }

    @Test("G-165: the end keeps its place among the posts of its thread")
    func order() {
        let node = graph.mutable(0)
        let handle = node.handle
        let heard = Notes<Int>()
        let bag = CancellableBag()
        node.listen(in: bag, replay: false) { heard.add($0) }
        let parcel = Parcel(
            {
                let bag = CancellableBag()
                node.listen(in: bag, replay: false) { heard.add(-$0) }
                return bag
            }()
        )
        onThreads { _ in
            handle.set(1)
            parcel.free()
            handle.set(2)
        }
        loop.run()
        #expect(heard.all == [1, -1, 2])
    }

    @Test("G-165: links, syncs and other cancellables in a bag end with it")
    func cancellables() {
        let a = graph.mutable(1)
        let (b, c) = (graph.node(of: Int.self), graph.mutable(0))
        var cancelled = 0
        freeElsewhere {
            let inner = CancellableBag()
            let bag = CancellableBag()
            b.link(to: a)?.store(in: inner)
            a.sync(with: c).store(in: inner)
            inner.store(in: bag)
            CancelToken { cancelled += 1 }.store(in: bag)
            return bag
        }
        #expect(graph.counts.liveEdges == 3 && cancelled == 0)
        loop.run()
        #expect(graph.counts.liveEdges == 0 && cancelled == 1)
    }

    @Test("G-165: listens of several graphs of one home end together")
    func severalGraphs() {
        let other = Graph(executor: ManualExecutor())
        let (a, b) = (graph.mutable(1), other.mutable(2))
        freeElsewhere {
            let bag = CancellableBag()
            a.listen(in: bag) { _ in }
            b.listen(in: bag) { _ in }
            return bag
        }
        #expect((graph.counts.liveListeners, other.counts.liveListeners) == (1, 1))
        loop.run()
        #expect((graph.counts.liveListeners, other.counts.liveListeners) == (0, 0))
    }

    @Test("G-165: a bag whose graph is gone, or has no executor, ends where it is freed")
    func goneGraph() {
        var cancelled = 0
        freeElsewhere {
            let bag = CancellableBag()
            do {
                let graph = Graph(executor: ManualExecutor())
                graph.mutable(1).listen(in: bag) { _ in }.cancel()
            }
            CancelToken { cancelled += 1 }.store(in: bag)
            return bag
        }
        freeElsewhere {
            let bag = CancellableBag()
            CancelToken { cancelled += 1 }.store(in: bag)
            return bag
        }
        #expect(cancelled == 2)
    }

    @Test("G-165: a graph that dies first ends what was posted to it")
    func graphDiesFirst() {
        var cancelled = 0
        do {
            let graph = Graph(executor: ManualExecutor())
            let node = graph.mutable(1)
            freeElsewhere {
                let bag = CancellableBag()
                let listen = node.listen(in: bag) { _ in }
                listen.cancel()
                CancelToken { cancelled += 1 }.store(in: bag)
                return bag
            }
            #expect(cancelled == 0)
        }
        #expect(cancelled == 1)
    }

    private final class Gauge: ListenerOwner, NodeListener {
        let listenBag = CancellableBag()
        let heard: Notes<Int>

        init(_ heard: Notes<Int>) {
            self.heard = heard
        }

        func node<Value>(_ node: Node<Value>, event: NodeEvent<Value>) { heard.add(0) }
    }

    @Test("G-165: an owner freed elsewhere is not called any more")
    func owner() {
        let node = graph.mutable(1)
        let heard = Notes<Int>()
        freeElsewhere {
            let gauge = Gauge(heard)
            node.listen(owner: gauge, replay: false) { $0.heard.add($1) }
            node.listenEmissions(owner: gauge, replay: false) { gauge, emission, _ in
                guard let value = emission.value else { return }
                gauge.heard.add(value)
            }
            node.listen(owner: gauge, on: loop, replay: false) { $0.heard.add($1) }
            return gauge
        }
        freeElsewhere {
            let gauge = Gauge(Notes())
            node.addListener(gauge)
            return gauge
        }
        #expect(graph.counts.liveListeners == 4)
        node.set(2)
        loop.run()
        #expect(heard.all == [])
        #expect(graph.counts.liveListeners == 0)
    }

    @Test("G-165: a token dropped elsewhere changes nothing")
    func token() {
        let node = graph.mutable(1)
        let bag = CancellableBag()
        let heard = Notes<Int>()
        freeElsewhere { node.listen(in: bag, replay: false) { heard.add($0) } }
        node.set(2)
        #expect(heard.all == [2])
        bag.cancel()
        #expect(graph.counts.liveListeners == 0)
    }

    // MARK: - Nodes

    /// Says on which thread it is freed.
    private final class Probe: Sendable {
        private let ends: @Sendable () -> Void

        init(_ ends: @escaping @Sendable () -> Void) {
            self.ends = ends
        }

        deinit { ends() }
    }

    @Test("G-165: a node freed elsewhere ends in a post, with its value and all that only it needed")
    func node() {
        let source = graph.mutable(1)
        let isHome = Mutex<[Bool]>([])
        weak var gone: AnyNode?
        var calls = 0
        freeElsewhere {
            let values = source.map { _ in
                Probe { [loop = Parcel(loop)] in isHome.withLock { $0.append(loop.isCurrent) } }
            }
            let counted = values.map { _ in calls += 1 }
            gone = counted
            return counted
        }
        #expect(gone == nil)
        #expect((graph.counts.liveNodes, graph.counts.liveEdges, calls) == (3, 2, 1))
        #expect(source.hasDownstreamNode)
        source.set(2)
        #expect(calls == 2)
        var released: [UInt64] = []
        graph.onRelease = { released.append($0) }
        loop.run()
        #expect((graph.counts.liveNodes, graph.counts.liveEdges) == (1, 0))
        #expect(released.count == 2 && !source.hasDownstreamNode)
        #expect(isHome.withLock { $0 } == [true, true])
        #expect(graph.validate(roots: [source]) == [])
    }

    @Test("G-165: a node whose end is on its way is absent: no neighbour, no node of its name")
    func absent() {
        let source = graph.mutable(1)
        let registry = Registry(graph: graph)
        freeElsewhere { source.map { $0 + 1 } }
        freeElsewhere { registry.mutable("https://example.org/a", as: Int.self) }
        #expect(source.downstreamNodes == [] && source.downstreamTransforms.allSatisfy { $0.toNode == nil })
        #expect(!source.whyAlive().contains("Map"))
        let again = registry.mutable("https://example.org/a", as: Int.self)
        again.set(5)
        #expect(graph.counts.liveNodes == 4)
        loop.run()
        #expect(graph.counts.liveNodes == 2)
        #expect(registry.find("https://example.org/a", as: Int.self) === again)
        #expect(registry.names == ["https://example.org/a"])
    }

    @Test("G-165: an edge of one's own, a load and a graph may be freed elsewhere")
    func others() {
        let (source, target) = (graph.mutable(1), graph.mutable(0))
        freeElsewhere {
            let edge = TransformEdge<Int, Int> { $0 + 1 }
            edge.from = source
            return edge
        }
        var aborted = 0
        freeElsewhere {
            let load = target.beginLoad()
            load.onCancel = { aborted += 1 }
            return load
        }
        #expect(target.isLoading && aborted == 0)
        loop.run()
        #expect(!target.isLoading && aborted == 1)
        let clock = ManualClock()
        weak var gone: Graph?
        freeElsewhere {
            let graph = Graph(clock: clock, executor: loop)
            gone = graph
            graph.mutable(1).listen(owner: clock) { _, _ in }.cancel()
            return graph
        }
        #expect(gone == nil && clock.pendingCount == 1)
        loop.run()
        #expect(clock.pendingCount == 0)
    }

    // MARK: - Models

    /// What a program makes of a graph: nodes of all kinds, listens, links, names.
    private final class Model: ListenerOwner, Bindable {
        let listenBag = CancellableBag()
        let bag = CancellableBag()
        let bindings: Bindings
        @Bound var level = 0
        var heard = 0
        private var nodes: [AnyNode] = []
        private let edge = TransformEdge<Int, Int> { $0 + 1 }

        init(_ feed: Node<Int>) {
            let graph = feed.graph
            bindings = Bindings(graph: graph)
            let own = graph.mutable(0)
            let sum = feed.combine(with: own) { $0 + $1 }
            let cases = feed.switch { $0 % 3 }
            let gathered = graph.gather(GatherList<Int>())
            let inner = feed.flattenMap { [own] in $0.isMultiple(of: 2) ? own : feed }
            let target = graph.node(of: Int.self)
            nodes = [own, sum, cases.case(1), gathered, inner, target, feed.scan(0, +), graph.weak(self)]
            gathered.insert(own)
            edge.from = feed
            edge.to = target
            sum.listen(owner: self, replay: false) { model, _ in model.heard += 1 }
            inner.listen(in: bag) { [weak self] _ in self?.heard += 1 }
            own.sync(with: node(\.level)).store(in: bag)
            own.set(1)
        }
    }

    @Test("G-165: models freed elsewhere while the graph runs leave nothing behind")
    func models() {
        let feed = graph.mutable(0)
        let bag = CancellableBag()
        feed.map { $0 + 1 }.listen(in: bag) { _ in }
        let before = graph.counts
        let other = ThreadQueue()
        for round in 0..<(Nightly.isOn ? 20_000 : 2_000) {
            let parcel = Parcel(Model(feed))
            other.post { parcel.free() }
            feed.set(round)
            if round.isMultiple(of: 3) { loop.run() }
        }
        other.finish()
        loop.run()
        #expect(graph.counts.liveNodes == before.liveNodes)
        #expect(graph.counts.liveEdges == before.liveEdges)
        #expect(graph.counts.liveListeners == before.liveListeners)
        #expect(graph.counts.liveFollowings == 0)
        #expect(graph.validate(roots: [feed]) == [])
    }

    /// As a program with a user interface has it.
    @MainActor
    private final class Screen {
        let graph = Graph(executor: DispatchExecutor.main)
        let celsius: MutableNode<Double>
        let fahrenheit: Node<Double>
        let bag = CancellableBag()
        var shown = ""

        init() {
            celsius = graph.mutable(20)
            fahrenheit = celsius.map { $0 * 9 / 5 + 32 }
            fahrenheit.listen(in: bag) { [weak self] in self?.shown = "\($0)" }
        }
    }

    @Test("G-165: a model of the main actor whose last reference a detached task drops")
    @MainActor
    func mainActor() async {
        var graphs = [Weak<Graph>]()
        for round in 0..<1_000 {
            var screen: Screen? = Screen()
            graphs.append(Weak(screen!.graph))
            screen?.celsius.set(Double(round))
            let task = Task.detached { [parcel = Parcel(screen)] in parcel.free() }
            screen = nil
            if round.isMultiple(of: 7) { await task.value }
        }
        while graphs.contains(where: { $0.object != nil }) { try? await Task.sleep(for: .milliseconds(5)) }
    }

    #if DEBUG
        @Test("G-165: without an executor an end elsewhere is stopped in debug builds, as cancelling is")
        func stopped() async {
            await #expect(processExitsWith: .failure) {
                let node = Graph().mutable(1)
                freeElsewhere {
                    let bag = CancellableBag()
                    node.listen(in: bag) { _ in }
                    return bag
                }
            }
            await #expect(processExitsWith: .failure) {
                let graph = Graph()
                freeElsewhere { graph.mutable(1) }
            }
            await #expect(processExitsWith: .failure) {
                let node = Graph(executor: ManualExecutor()).mutable(1)
                let bag = CancellableBag()
                let listen = Parcel(node.listen(in: bag) { _ in })
                onThreads { _ in listen.cancel() }
            }
        }
    #endif
}

extension Parcel where Thing: Cancellable {
    func cancel() { thing?.cancel() }
}

extension Parcel where Thing == ManualExecutor {
    var isCurrent: Bool { thing?.isCurrent == true }
}

/// What listeners note, on one thread.
private final class Notes<Value> {
    private(set) var all: [Value] = []

    func add(_ value: Value) { all.append(value) }
}
