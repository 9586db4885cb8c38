import CAllocations
import ReactiveGraph

/// The life of a very long chain: build, set, free.
///
/// Recursion would end it early.
struct Million {
    let length: Int

    struct Result {
        var build = 0.0
        var set = 0.0
        var free = 0.0
        var bytes = 0.0
    }

    /// Nanoseconds per node, and live bytes per node.
    func run() -> Result {
        var result = Result()
        let bytes = allocations_live_bytes()
        var time = thread_nanoseconds()
        let graph = Graph()
        let source = graph.mutable(0)
        let sink = Sink()
        var last: Node<Int>? = source
        for _ in 0..<length { last = last.map { $0.map { $0 &+ 1 } } }
        last?.listen(in: sink.bag, replay: false) { sink.take($0) }
        result.build = lap(&time)
        if allocations_live_bytes() > bytes {
            result.bytes = Double(allocations_live_bytes() - bytes) / Double(length)
        }
        time = thread_nanoseconds()
        for value in 0..<5 { source.set(value) }
        result.set = lap(&time) / 5
        precondition(sink.count == 5 && last?.value == length + 4, "the chain did not deliver")
        last = nil
        sink.bag.cancel()
        result.free = lap(&time)
        precondition(graph.counts.liveNodes == 1, "the chain was not freed")
        withExtendedLifetime(source) {}
        return result
    }

    private func lap(_ time: inout UInt64) -> Double {
        let now = thread_nanoseconds()
        defer { time = now }
        return Double(now - time) / Double(length)
    }
}
