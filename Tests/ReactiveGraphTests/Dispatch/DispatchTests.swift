import Dispatch
import ReactiveGraph
import ReactiveGraphDispatch
import TestSupport
import Testing

/// Refers to a graph without holding it; used on the graph's queue only.
private final class WeakGraph: @unchecked Sendable {
    weak var graph: Graph?
}

@Suite("Graphs on dispatch queues")
struct DispatchTests {
    /// Runs `body` on `queue`, and gives what it leads to.
    private func on<Result: Sendable>(
        _ queue: DispatchQueue,
        _ body: @escaping @Sendable (CheckedContinuation<Result, Never>) -> Void
    ) async -> Result {
        await withCheckedContinuation { continuation in
            queue.async { body(continuation) }
        }
    }

    @Test("G-112: timed operators run by the time of the system, on the queue")
    func clock() async {
        let queue = DispatchQueue(label: "graph")
        let heard: [Int] = await on(queue) { done in
            let graph = Graph(queue: queue)
            let source = graph.mutable(of: Int.self)
            let last = Node.merge([
                source.delay(for: .milliseconds(2)), source.debounce(for: .milliseconds(1)),
            ])
            let bag = CancellableBag()
            var heard: [Int] = []
            last.listen(in: bag) { value in
                dispatchPrecondition(condition: .onQueue(queue))
                heard.append(value)
                if heard.count == 3 {
                    bag.cancel()
                    done.resume(returning: heard)
                }
            }
            source.set(1)
            source.set(2)
        }
        #expect(heard.sorted() == [1, 2, 2])
    }

    @Test("A schedule that is cancelled does not run; one in the past runs later, not at once")
    func schedule() async {
        let queue = DispatchQueue(label: "clock")
        let order: [String] = await on(queue) { done in
            let clock = DispatchClock(queue: queue)
            var order: [String] = []
            let cancelled = clock.schedule(at: clock.now) { order.append("cancelled") }
            cancelled.cancel()
            _ = clock.schedule(at: clock.now - .seconds(1)) { order.append("past") }
            _ = clock.schedule(at: clock.now + .milliseconds(1)) { done.resume(returning: order) }
            order.append("here")
        }
        #expect(order == ["here", "past"])
    }

    @Test(
        "G-109, G-110: handles come in by the queue, in order, each as a turn of its own; the loop knows its queue"
    )
    func handles() async {
        let queue = DispatchQueue(label: "graph")
        let worker = DispatchQueue(label: "worker")
        let heard: [Int] = await on(queue) { done in
            let graph = Graph(queue: queue)
            let question = graph.mutable(1)
            let answer = graph.mutable(of: Int.self)
            let bag = CancellableBag()
            let result = answer.handle
            question.listen(in: bag, on: worker) { value in
                for factor in 1...3 { result.set(value * factor) }
            }
            var heard: [Int] = []
            answer.listen(in: bag) { value in
                heard.append(value)
                if heard.count == 3 {
                    #expect(graph.executor?.isCurrent == true)
                    bag.cancel()
                    done.resume(returning: heard)
                }
            }
        }
        #expect(heard == [1, 2, 3])
        #expect(!DispatchExecutor(queue: queue).isCurrent)
    }

    @Test("G-150: what is set later comes after what is posted before it")
    func later() async {
        let queue = DispatchQueue(label: "graph")
        let heard: [Int] = await on(queue) { done in
            let graph = Graph(queue: queue)
            let node = graph.mutable(0)
            let bag = CancellableBag()
            var heard: [Int] = []
            node.listen(in: bag) { heard.append($0) }
            graph.executor?.post { node.set(1) }
            node.setLater(2)
            graph.submit {
                bag.cancel()
                done.resume(returning: heard)
            }
            heard.append(9)
        }
        #expect(heard.prefix(2) == [0, 9] && heard.contains(2))
    }

    @Test("The graph of the main thread: one, with clock and executor")
    @MainActor func mainGraph() async {
        #expect(Graph.main === Graph.main && Graph.main.executor?.isCurrent == true)
        let node = Graph.main.mutable(0)
        let values = node.debounce(for: .milliseconds(1)).values()
        node.set(5)
        var iterator = values.makeAsyncIterator()
        #expect(await iterator.next() == 5)
    }

    @Test("G-67: it goes when the last owner without a bag has died, although no loop looks")
    func collects() async {
        let queue = DispatchQueue(label: "graph")
        let isGone: Bool = await on(queue) { done in
            let reference = WeakGraph()
            do {
                let graph = Graph(
                    clock: DispatchClock(queue: queue),
                    executor: DispatchExecutor(queue: queue),
                    collectsEvery: .milliseconds(1)
                )
                reference.graph = graph
                graph.mutable(1).listen(owner: Keeper()) { _, _ in }
            }
            let wasAlive = reference.graph != nil
            queue.asyncAfter(deadline: .now() + .seconds(1)) {
                done.resume(returning: wasAlive && reference.graph == nil)
            }
        }
        #expect(isGone)
    }
}
