import EventLoop
import Testing

@testable import GraphHost
@testable import SluiceServer

@Suite("Parts of requests that take long to read are read on other threads")
struct PartQueueTests {
    @Test("Short parts do not wait for long ones")
    func order() throws {
        let loop = try Loop()
        let queue = PartQueue(Configuration(), ExpressionSystem(), on: loop)
        let patience = try LoopTimer(on: loop) {}
        patience.start(after: .seconds(60))
        var sizes: [Int] = []
        func read(_ expression: String, stages: Int) {
            let pipe = Array(repeating: #"{"map":"\#(expression)"}"#, count: stages)
            let text = Array("[\(pipe.joined(separator: ","))]".utf8)
            queue.read(UnreadPart(text: .json(text), bytes: text.count)) { part in
                sizes.append(text.count)
                if case .stages(.success(let read)) = part {
                    #expect(read.count == stages)
                } else {
                    Issue.record()
                }
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
