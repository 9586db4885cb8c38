import Dispatch
import ReactiveGraph
import ReactiveGraphDispatch
import Testing

extension Examples {
    @Test("The values of a node in a task (G-109)")
    func asyncValues() async throws {
        let loop = ManualExecutor()
        let graph = Graph(executor: loop)
        let speed = graph.mutable(0)
        let values = speed.values(buffering: .newest(2))
        for value in 1...5 { speed.set(value) }
        for await value in values {
            print(value)  // prints 4, then 5
            if value == 5 { break }
        }
        try check()
    }

    @Test("The graph of the main thread (G-112)")
    @MainActor
    func dispatchMainGraph() async throws {
        let typed = Graph.main.mutable(of: String.self)
        let queries = typed.debounce(for: .milliseconds(5)).values()
        typed.set("s")
        typed.set("sw")
        typed.set("swift")
        for await query in queries {
            print("search for", query)  // prints search for swift
            break
        }
        try check()
    }

    @Test("A graph on a queue of its own (G-109, G-113)")
    func dispatchQueueGraph() async throws {
        let queue = DispatchQueue(label: "prices")
        let worker = DispatchQueue(label: "worker")
        let total = await withCheckedContinuation { done in
            queue.async {
                let graph = Graph(queue: queue)
                let prices = graph.mutable([17, 25])
                let sum = graph.mutable(of: Int.self)
                let bag = CancellableBag()
                let result = sum.handle
                prices.listen(in: bag, on: worker) { result.set($0.reduce(0, +)) }
                sum.listen(in: bag) { value in
                    bag.cancel()
                    done.resume(returning: value)
                }
            }
        }
        print(total)  // prints 42
        try check()
    }
}
