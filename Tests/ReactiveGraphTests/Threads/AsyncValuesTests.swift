import ReactiveGraph
import TestSupport
import Testing

@Suite("Values as an asynchronous sequence")
struct AsyncValuesTests {
    let loop = ManualExecutor()

    @Test(
        "G-142: the newest values wait, or all of them; the present one comes first unless it is not wanted"
    )
    func buffers() async {
        let graph = Graph(executor: loop)
        let node = graph.mutable(1)
        let newest = node.values()
        let two = node.values(buffering: .newest(2))
        let all = node.values(buffering: .all)
        let later = node.values(buffering: .all, replay: false)
        for value in 2...4 { node.set(value) }
        node.clear()
        var iterator = newest.makeAsyncIterator()
        #expect(await iterator.next() == 4)
        #expect(await take(2, of: two) == [3, 4])
        #expect(await take(4, of: all) == [1, 2, 3, 4])
        #expect(await take(3, of: later) == [2, 3, 4])
    }

    private func take(_ count: Int, of values: AsyncStream<Int>) async -> [Int] {
        var taken: [Int] = []
        for await value in values {
            taken.append(value)
            if taken.count == count { break }
        }
        return taken
    }

    @Test("G-52, G-109: it holds the node until its task is cancelled, and then ends as a turn of its own")
    func cancelled() async {
        let graph = Graph(executor: loop)
        let source = graph.mutable(1)
        let values = source.map { $0 * 10 }.values()
        #expect(graph.counts.liveNodes == 2 && source.whyAlive().contains("an asynchronous sequence"))
        let task = Task {
            var heard: [Int] = []
            for await value in values {
                heard.append(value)
                withUnsafeCurrentTask { $0?.cancel() }
            }
            return heard
        }
        #expect(await task.value == [10])
        #expect(graph.counts.liveListeners == 1)
        loop.run()
        #expect(graph.counts.liveListeners == 0 && graph.counts.liveNodes == 1)
        source.set(2)
        expectSound(graph, source)
    }

    @Test("A sequence that is dropped releases node and graph")
    func dropped() {
        weak var gone: Graph?
        do {
            let graph = Graph(executor: loop)
            gone = graph
            var values: AsyncStream<Int>? = graph.mutable(1).values()
            #expect(values != nil && graph.counts.liveListeners == 1)
            values = nil
            loop.run()
            #expect(graph.counts.liveListeners == 0 && graph.counts.liveNodes == 0)
        }
        #expect(gone == nil)
    }
}
