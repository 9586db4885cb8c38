import EventLoop
import Testing

@testable import Graphs
@testable import SluiceServer
import Support

@Suite("Pipelines that take long to read are read on other threads")
struct PipelineQueueTests {
    @Test("Short texts do not wait for long ones")
    func order() throws {
        let loop = try Loop()
        let queue = PipelineQueue(Configuration(), ExpressionSystem(), on: loop)
        let patience = try LoopTimer(on: loop) {}
        patience.start(after: .seconds(600))
        var sizes: [Int] = []
        func read(_ expression: String, stages: Int) {
            let pipe = Array(repeating: #"{"map":"\#(expression)"}"#, count: stages)
            let text = Array("[\(pipe.joined(separator: ","))]".utf8)
            let unread = text.withBorrowedBytes { PipelineText(stages: $0) }
            queue.parse(unread) { parsed in
                sizes.append(text.count)
                #expect((try? parsed.stages.get())?.count == stages)
                if sizes.count == 21 { patience.stop() }
            }
        }
        // Some ten milliseconds each.
        let numbers = Array(repeating: "1", count: 400).joined(separator: ",")
        for _ in 0..<20 { read("value + [\(numbers)].size()", stages: 12) }
        read("value", stages: 1)
        loop.run()
        #expect(sizes.count == 21 && sizes.last ?? 0 > 1 << 10)
    }
}
