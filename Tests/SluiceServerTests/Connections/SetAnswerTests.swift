@testable import Graphs
import HTTP
import Support
import Testing

@testable import SluiceServer

@Suite("The answer to a set that stands ready")
struct SetAnswerTests {
    @Test("is what its parts make, whatever the rev, the epoch and the second")
    func parts() {
        let answer = SetAnswer()
        for (epoch, second) in [("abc", 0), ("abc", 1), ("another", 1), ("", 2)] as [(String, Int64)] {
            let encoder = ResponseEncoder(date: HTTPDate(unixSeconds: second))
            answer.forget()
            for rev: UInt64 in [1, 9, 10, 10, 99, 100, 7, 12_345, UInt64(UInt32.max)] {
                let applied = Applied(epoch: epoch, rev: rev, time: 5, changed: 1)
                var ready = ByteBuffer()
                ready.append("before")
                answer.append(applied, encoder, to: &ready)
                #expect(ready.bytes.text == "before" + Self.composed(applied, encoder))
            }
        }
    }

    @Test("follows a new epoch by itself")
    func epochs() {
        let answer = SetAnswer()
        let encoder = ResponseEncoder()
        for epoch in ["one", "two", "one"] {
            let applied = Applied(epoch: epoch, rev: 3, time: 5, changed: 1)
            var ready = ByteBuffer()
            answer.append(applied, encoder, to: &ready)
            #expect(ready.bytes.text == Self.composed(applied, encoder))
        }
    }

    private static func composed(_ applied: Applied, _ encoder: ResponseEncoder) -> String {
        var out = ByteBuffer()
        encoder.begin(.ok, ResponseFraming(), in: &out)
        out.field("ETag", string: "\"\(applied.epoch):\(applied.rev)\"")
        out.field("Content-Type", "application/json")
        var body = ByteBuffer()
        body.append(utf8: "{\"epoch\":\"\(applied.epoch)\",\"rev\":\(applied.rev)}\n")
        encoder.finish(body.bytes, ResponseFraming(), in: &out)
        return out.bytes.text
    }
}
