import ReactiveGraph
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
            node.listenWithContext(owner: gauge, replay: false) { gauge, value, _ in gauge.heard.add(value) }
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

/// What listeners note, on one thread.
private final class Notes<Value> {
    private(set) var all: [Value] = []

    func add(_ value: Value) { all.append(value) }
}
