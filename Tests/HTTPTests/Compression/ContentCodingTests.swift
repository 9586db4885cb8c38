import HTTP
import Support
import Testing

@Suite("A body in the content coding gzip is inflated in slices, up to the limit of a body")
struct ContentCodingTests {
    @Test(
        "codings",
        arguments: [
            (nil, .none), ("", .none), ("identity", .none), ("gzip", .gzip), ("GZip", .gzip),
            ("x-gzip", .gzip), ("identity, gzip", .gzip), ("br", .unknown), ("deflate", .unknown),
            ("gzip, gzip", .unknown), ("gzip, br", .unknown), ("br, gzip", .unknown), ("gzip;q=1", .unknown),
        ] as [(String?, ContentCoding)]
    )
    func codings(value: String?, expected: ContentCoding) {
        #expect((value.map { lend($0) { ContentCoding($0) } } ?? ContentCoding(nil)) == expected)
    }

    /// What inflating a body gives, and in how many slices.
    private struct Outcome: Equatable {
        var body: [UInt8]?
        var slices = 1
        var end = ""
    }

    /// Posts a body, which is gone from memory before its second slice, and another after it.
    private func inflate(_ body: [UInt8], limit: Int = 64 * 1024) -> Outcome {
        let parser = RequestParser(limits: Limits(bodyBytes: max(limit, body.count)))
        let head =
            "POST /n?a HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n"
        var outcome = Outcome()
        var step = RequestParser.Inflation.more
        (Array(head.utf8) + body).withBorrowedBytes { bytes in
            var input = bytes
            guard case .request = parser.parse(&input) else { return }
            parser.limits.bodyBytes = limit
            step = parser.inflateBody()
        }
        while case .more = step {
            #expect(parser.isInflating && parser.heldBytes > body.count)
            #expect(parser.head.query.elementsEqual("a".utf8) && parser.body.elementsEqual(body))
            outcome.slices += 1
            step = parser.inflateBody()
        }
        #expect(!parser.isInflating)
        if case .done = step { outcome.body = Array(parser.body) } else { outcome.end = "\(step)" }
        #expect(
            Transcript.of([Array("GET / HTTP/1.1\r\nHost: b\r\n\r\n".utf8)], by: parser) == [
                "GET / @b Host=b; [] keep"
            ]
        )
        return outcome
    }

    private func gzip(_ bytes: [UInt8]) -> [UInt8] { bytes.withBorrowedBytes { Gzip.compress($0) } }

    @Test("whole bodies, and several members")
    func whole() {
        let text = Array("{\"a\":[1,2,3]}".utf8)
        #expect(inflate(gzip(text)).body == text)
        #expect(inflate(gzip(text) + gzip([]) + gzip(text)).body == text + text)
        #expect(inflate(gzip([])).body == [])
    }

    @Test("cut off, damaged, or followed by something else")
    func damaged() {
        let body = gzip(Array("a text that is long enough to be compressed a little, a little".utf8))
        for end in 1..<body.count { #expect(inflate(Array(body[..<end])).end == "malformed", "\(end)") }
        // The last eight bytes are the checksum and the size.
        for place in body.count - 8..<body.count {
            var other = body
            other[place] ^= 1
            #expect(inflate(other).end == "malformed")
        }
        #expect(inflate(body + [0]).end == "malformed")
        #expect(inflate(Array("21.5".utf8)).end == "malformed")
    }

    @Test("The limit is on the inflated size, to the byte")
    func limit() {
        let body = gzip([UInt8](repeating: 32, count: 10_000))
        #expect(inflate(body, limit: 10_000).body?.count == 10_000)
        #expect(inflate(body, limit: 9_999).end == "tooLarge")
        #expect(inflate(body, limit: 9_999).slices == 1)
    }

    @Test("A long body takes several slices, whether it is its input or its output that is long")
    func slices() {
        let size = 4 << 20
        let long = inflate(gzip([UInt8](repeating: 32, count: size)), limit: size)
        #expect(long.body?.count == size && (14...18).contains(long.slices))
        let bomb = inflate(gzip([UInt8](repeating: 32, count: 4 * size)), limit: size)
        #expect(bomb.end == "tooLarge" && bomb.slices <= 18)
        let empty = gzip([])
        let members = inflate((0..<50_000).flatMap { _ in empty }, limit: size)
        #expect(members.body == [] && members.slices == 50_000 * empty.count / (256 * 1024) + 1)
    }
}
