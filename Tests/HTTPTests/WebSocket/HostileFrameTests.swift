import HTTP
import Testing

@Suite("Malformed frames fail with the close code of RFC 6455")
struct HostileFrameTests {
    static let mask: [UInt8] = [0, 0, 0, 0]

    /// Bytes a server reads, what came of them, and the reason, for the failure message.
    static let cases: [([UInt8], [String], String)] =
        headers.map { ($0.0, ["failed 1002"], $0.1) } + sequences + closes + texts

    static let headers: [([UInt8], String)] = [
        ([0x83, 0x80] + mask, "opcode 3"), ([0x84, 0x80] + mask, "opcode 4"),
        ([0x85, 0x80] + mask, "opcode 5"),
        ([0x86, 0x80] + mask, "opcode 6"), ([0x87, 0x80] + mask, "opcode 7"),
        ([0x8B, 0x80] + mask, "opcode 11"),
        ([0x8C, 0x80] + mask, "opcode 12"), ([0x8D, 0x80] + mask, "opcode 13"),
        ([0x8E, 0x80] + mask, "opcode 14"),
        ([0x8F, 0x80] + mask, "opcode 15"),
        ([0xC1, 0x80] + mask, "RSV1"), ([0xA1, 0x80] + mask, "RSV2"), ([0x91, 0x80] + mask, "RSV3"),
        ([0xF1, 0x80] + mask, "all RSV"), ([0xC8, 0x80] + mask, "RSV1 on close"),
        ([0xC0, 0x80] + mask, "RSV1 on continuation"),
        ([0x81, 0x05, 72, 101, 108, 108, 111], "unmasked text"), ([0x89, 0x00], "unmasked ping"),
        ([0x88, 0x00], "unmasked close"), ([0x81, 0x00], "unmasked empty text"),
        ([0x08, 0x80] + mask, "fragmented close"), ([0x09, 0x80] + mask, "fragmented ping"),
        ([0x0A, 0x80] + mask, "fragmented pong"),
        ([0x89, 0xFE, 0, 126] + mask, "ping of 126"), ([0x88, 0xFE, 0, 126] + mask, "close of 126"),
        ([0x8A, 0xFF, 0, 0, 0, 0, 0, 1, 0, 0] + mask, "pong of 65536"),
        ([0x81, 0xFE, 0, 125] + mask, "125 in 16 bits"), ([0x81, 0xFE, 0, 0] + mask, "0 in 16 bits"),
        ([0x81, 0xFF, 0, 0, 0, 0, 0, 0, 0, 125] + mask, "125 in 64 bits"),
        ([0x81, 0xFF, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] + mask, "65535 in 64 bits"),
        ([0x81, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0] + mask, "the highest bit of a length"),
        ([0x80, 0x80] + mask, "continuation of nothing"),
        ([0x00, 0x80] + mask, "first fragment a continuation"),
    ]

    static let sequences: [([UInt8], [String], String)] = [
        (
            Frame.masked(.text, "a", isFinal: false) + Frame.masked(.text, "b"), ["failed 1002"],
            "text within text"
        ),
        (
            Frame.masked(.text, "a", isFinal: false) + Frame.masked(.binary, "b"), ["failed 1002"],
            "binary within text"
        ),
        (
            Frame.masked(.text, "a", isFinal: false) + Frame.masked(.text, "b", isFinal: false),
            ["failed 1002"],
            "fragment within text"
        ),
        (
            Frame.masked(.text, "a") + Frame.masked(.continuation, "b"), ["text a", "failed 1002"],
            "continuation after all"
        ),
        (
            Frame.masked(.ping, "p") + Frame.masked(.continuation, "b"), ["ping p", "failed 1002"],
            "continuation of a ping"
        ),
        ([0x81, 0xFE, 0xFF, 0xFF] + mask, ["failed 1009"], "65535 bytes where 1000 are allowed"),
        ([0x82, 0xFF, 0, 0, 0, 0, 0, 1, 0, 0] + mask, ["failed 1009"], "65536 bytes"),
        (
            [0x82, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF] + mask, ["failed 1009"],
            "2^63 - 1 bytes"
        ),
        (
            Frame.masked(.text, String(repeating: "a", count: 1000), isFinal: false)
                + Frame.masked(.continuation, "b"),
            ["failed 1009"], "fragments larger than a message"
        ),
    ]

    static let closes: [([UInt8], [String], String)] =
        [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535].map { (code: UInt16) in
            (
                Frame.masked(.close, [UInt8(code >> 8), UInt8(code & 255)]), ["failed 1002"],
                "close code \(code)"
            )
        } + [
            (Frame.masked(.close, [3]), ["failed 1002"], "close of one byte"),
            (Frame.masked(.close, [3, 232, 0xFF]), ["failed 1007"], "close reason not UTF-8"),
            (Frame.masked(.close, [3, 232, 0xE2, 0x82]), ["failed 1007"], "close reason cut"),
        ]

    static let texts: [([UInt8], [String], String)] = [
        [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xE0, 0x80, 0x80],
        [0xE0, 0x9F, 0xBF],
        [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xE2, 0x82], [0xF0, 0x8F, 0xBF, 0xBF],
        [0xF4, 0x90, 0x80, 0x80],
        [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0xF0, 0x9F, 0x98],
    ].map { (Frame.masked(.text, $0), ["failed 1007"], "text \($0)") }

    @Test("whole and at every split", arguments: cases)
    func refused(bytes: [UInt8], expected: [String], reason: String) {
        #expect(FrameTranscript.atEverySplit(bytes, limitBytes: 1000) == expected, "\(reason)")
    }

    @Test("a client refuses a server's masked frame")
    func maskedByServer() {
        #expect(FrameTranscript.atEverySplit(Frame.masked(.text, "a"), role: .client) == ["failed 1002"])
    }

    @Test("what the first bytes rule out is refused before the rest comes")
    func early() {
        #expect(FrameTranscript.of([[0x83]]) == ["failed 1002"])
        #expect(FrameTranscript.of([[0x89], [0xFE]]) == ["failed 1002"])
        #expect(FrameTranscript.of([[0x81], [0x05]]) == ["failed 1002"])
    }

    @Test(
        "codes that may be sent are taken",
        arguments: [1000, 1001, 1002, 1003, 1007, 1011, 1014, 3000, 4000, 4999]
    )
    func goodCodes(code: Int) {
        let bytes = Frame.masked(.close, [UInt8(code >> 8), UInt8(code & 255)] + Array("bye".utf8))
        #expect(FrameTranscript.atEverySplit(bytes) == ["close \(code) bye"])
    }

    @Test("there are at least forty of them")
    func count() {
        #expect(Self.cases.count >= 40)
    }
}
