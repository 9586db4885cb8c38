import TestSupport
import Testing

@testable import HTTP

@Suite("A head with the bytes of the one before is not read again")
struct RepeatedHeadTests {
    private static func post(_ body: String, to path: String = "/v1/graphs/g/nodes/x") -> String {
        "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    @Test("Each request has its own body")
    func bodies() {
        let lines = Transcript.of(["1", "2", "3", "44", "5"].map { Self.post($0) }.joined())
        let ends = ["1] keep", "2] keep", "3] keep", "44] keep", "5] keep"]
        #expect(lines.map { String($0.split(separator: "[")[1]) } == ends)
        let get = "GET /a%20b?c=%20 HTTP/1.1\r\nHost: a\r\n\r\n"
        #expect(Set(Transcript.of(get + get + get)) == ["GET /a b ?c=%20 @a Host=a; [] keep"])
    }

    @Test("One request after the other, each in an input of its own")
    func alone() {
        let parser = RequestParser()
        for body in ["21.5", "21.6", "21.7"] {
            let lines = Transcript.of([Array(Self.post(body).utf8)], by: parser)
            #expect(lines.count == 1 && lines[0].hasSuffix("[\(body)] keep") && parser.isIdle)
            #expect(parser.rememberedBytes > 0 && parser.heldBytes == 0)
        }
    }

    @Test("A request that is cut off is read as any other")
    func cut() {
        let parser = RequestParser()
        let bytes = Array(Self.post("21.5").utf8)
        #expect(Transcript.of([bytes, Array(bytes.dropLast(2))], by: parser).count == 1)
        #expect(parser.isReadingBody && parser.bodyBytes == 2 && parser.heldBytes > 0)
        #expect(Transcript.of([Array(bytes.suffix(2)), bytes], by: parser).count == 2)
        #expect(parser.isIdle && parser.heldBytes == 0)
    }

    @Test("Limits that have become smaller hold for a head that was accepted before")
    func limits() {
        let parser = RequestParser()
        #expect(Transcript.of([Array(Self.post("21.5").utf8)], by: parser).count == 1)
        parser.limits = Limits(bodyBytes: 3)
        #expect(Transcript.of([Array(Self.post("21.5").utf8)], by: parser) == ["failed too_large"])
    }

    @Test(
        "What ends the connection, comes in chunks or is long is not remembered",
        arguments: [
            ("GET / HTTP/1.0\r\nHost: a\r\n\r\n", false),
            ("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", false),
            ("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", false),
            ("GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n", false),
            ("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 4_096))\r\n\r\n", false),
            ("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 500))\r\n\r\n", true),
        ]
    )
    func forgotten(request: String, isRemembered: Bool) {
        let parser = RequestParser()
        #expect(Transcript.of([Array(request.utf8)], by: parser).count >= 1)
        #expect((parser.rememberedBytes > 0) == isRemembered)
    }

    @Test("A parser for another connection remembers nothing")
    func reset() {
        let parser = RequestParser()
        #expect(Transcript.of([Array(Self.post("1").utf8)], by: parser).count == 1)
        parser.reset()
        #expect(parser.rememberedBytes == 0)
        #expect(Transcript.of([Array(Self.post("2").utf8)], by: parser).count == 1)
    }

    /// Requests that resemble each other: often the one before again, sometimes with one byte of it
    /// changed.
    private static func requests(_ random: inout SeededGenerator) -> [String] {
        let paths = ["/a", "/a%20b", "/a?b=c", "http://h/a", "/"]
        let extras = ["", "", "", "X: y\r\n", "Connection: close\r\n", "Expect: 100-continue\r\n"]
        var requests: [String] = []
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            if var last = requests.last, Int.random(in: 0..<3, using: &random) > 0 {
                if Int.random(in: 0..<5, using: &random) == 0 {
                    var bytes = Array(last.utf8)
                    let place = Int.random(in: 0..<bytes.count, using: &random)
                    bytes[place] = Array("\r\n :/x0Z".utf8).randomElement(using: &random) ?? 0
                    last = String(decoding: bytes, as: UTF8.self)
                }
                requests.append(last)
                continue
            }
            let body = String(repeating: "b", count: Int.random(in: 0...3, using: &random))
            let framing =
                switch Int.random(in: 0..<4, using: &random) {
                case 0:
                    "Transfer-Encoding: chunked\r\n\r\n"
                        + (body.isEmpty ? "" : "\(body.count)\r\n\(body)\r\n") + "0\r\n\r\n"
                case 1: "\r\n"
                default: "Content-Length: \(body.count)\r\n\r\n\(body)"
                }
            let version = Int.random(in: 0..<12, using: &random) == 0 ? "1.0" : "1.1"
            let blank = Int.random(in: 0..<9, using: &random) == 0 ? "\r\n" : ""
            let path = paths.randomElement(using: &random) ?? ""
            let extra = extras.randomElement(using: &random) ?? ""
            requests.append("\(blank)PUT \(path) HTTP/\(version)\r\nHost: a\r\n\(extra)\(framing)")
        }
        return requests
    }

    @Test("It comes to the same as reading every head, wherever the bytes are cut")
    func same() {
        let seeds = environment("SLUICE_SEED").flatMap { UInt64($0) }.map { $0..<$0 + 1 }
        for seed in seeds ?? 0..<(Nightly.isOn ? 200_000 : 5_000) {
            var random = SeededGenerator(seed: seed)
            let bytes = Array(Self.requests(&random).joined().utf8)
            // Byte by byte nothing is taken at once.
            let read = Transcript.of(bytes.map { [$0] })
            var pieces: [[UInt8]] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Int.random(in: 1...max(1, rest.count * 3 / 2), using: &random)
                pieces.append(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            guard Transcript.of(pieces) != read || Transcript.of([bytes]) != read else { continue }
            #expect(Bool(false), "SLUICE_SEED=\(seed)")
            return
        }
    }
}
