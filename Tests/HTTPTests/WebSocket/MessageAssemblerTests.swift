import HTTP
import Testing

@Suite("MessageAssembler puts frames together to messages")
struct MessageAssemblerTests {
    @Test("the examples of RFC 6455 §5.7")
    func examples() {
        let unmasked: [UInt8] = [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F]
        #expect(FrameTranscript.atEverySplit(unmasked, role: .client) == ["text Hello"])
        let masked: [UInt8] = [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
        #expect(FrameTranscript.atEverySplit(masked) == ["text Hello"])
        let fragmented: [UInt8] = [0x01, 0x03, 0x48, 0x65, 0x6C, 0x80, 0x02, 0x6C, 0x6F]
        #expect(FrameTranscript.atEverySplit(fragmented, role: .client) == ["text Hello"])
        let ping: [UInt8] = [0x89, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F]
        #expect(FrameTranscript.atEverySplit(ping, role: .client) == ["ping Hello"])
        let pong: [UInt8] = [0x8A, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
        #expect(FrameTranscript.atEverySplit(pong) == ["pong Hello"])
        let middle: [UInt8] = [0x82, 0x7E, 0x01, 0x00] + Array(repeating: 7, count: 256)
        #expect(FrameTranscript.of([middle], role: .client) == ["binary \(Array(repeating: 7, count: 256))"])
        let large: [UInt8] = [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0] + Array(repeating: 7, count: 65536)
        #expect(FrameTranscript.of([large], role: .client) == ["binary \(Array(repeating: 7, count: 65536))"])
    }

    @Test("control frames may stand between fragments")
    func interleaved() {
        let bytes =
            Frame.masked(.text, "Hä", isFinal: false) + Frame.masked(.ping, "are you there")
            + Frame.masked(.continuation, "", isFinal: false) + Frame.masked(.pong, "")
            + Frame.masked(.continuation, "llo") + Frame.masked(.binary, [1, 2])
            + Frame.masked(.close, [3, 232, 104])
        #expect(
            FrameTranscript.atEverySplit(bytes)
                == ["ping are you there", "pong ", "text Hällo", "binary [1, 2]", "close 1000 h"]
        )
    }

    @Test("a character may be cut by a fragment's end")
    func cutCharacter() {
        let euro: [UInt8] = [0xE2, 0x82, 0xAC]
        let bytes =
            Frame.masked(.text, Array(euro[..<1]), isFinal: false)
            + Frame.masked(.continuation, Array(euro[1..<2]), isFinal: false)
            + Frame.masked(.continuation, Array(euro[2...]))
        #expect(FrameTranscript.atEverySplit(bytes) == ["text €"])
    }

    @Test("empty messages, empty fragments and empty close are messages")
    func empty() {
        let bytes =
            Frame.masked(.text, "") + Frame.masked(.binary, "") + Frame.masked(.text, "", isFinal: false)
            + Frame.masked(.continuation, "") + Frame.masked(.ping, "") + Frame.masked(.close, "")
        #expect(
            FrameTranscript.atEverySplit(bytes) == ["text ", "binary []", "text ", "ping ", "close 1005 "]
        )
    }

    @Test("ill-formed text fails at the byte that makes it so, not at the end of the message")
    func failFast() {
        var bytes = Frame.masked(.text, [0x48, 0xCE, 0xBA, 0xF4, 0x90, 0x80, 0x80, 0x41], isFinal: false)
        bytes.removeLast(3)
        #expect(FrameTranscript.of([bytes]) == ["failed 1007"])
    }

    @Test("a length beyond the limit fails before the payload is read")
    func sizeBeforePayload() {
        #expect(
            FrameTranscript.of([[0x81, 0x80 | 126, 0x03, 0xE9, 1, 2, 3, 4]], limitBytes: 1000) == [
                "failed 1009"
            ]
        )
        let first = Frame.masked(.binary, Array(repeating: 0, count: 600), isFinal: false)
        #expect(
            FrameTranscript.of([first + [0x80, 0x80 | 126, 0x01, 0x91, 1, 2, 3, 4]], limitBytes: 1000) == [
                "failed 1009"
            ]
        )
        #expect(
            FrameTranscript.of([first + [0x80, 0x80 | 126, 0x01, 0x90, 1, 2, 3, 4]], limitBytes: 1000) == [
                "unfinished"
            ]
        )
    }

    @Test("a control frame may be longer than the message limit")
    func controlBeyondLimit() {
        let bytes = Frame.masked(.ping, String(repeating: "p", count: 125))
        #expect(FrameTranscript.atEverySplit(bytes, limitBytes: 10).count == 1)
        #expect(FrameTranscript.of([Frame.masked(.text, "0123456789a")], limitBytes: 10) == ["failed 1009"])
        #expect(
            FrameTranscript.of([Frame.masked(.text, "0123456789")], limitBytes: 10) == ["text 0123456789"]
        )
    }

    @Test("nothing is parsed after a failure")
    func afterFailure() {
        var assembler = MessageAssembler(role: .server)
        var bytes: [UInt8] = [0xFF, 0xFF]
        for _ in 0..<2 {
            bytes.withUnsafeMutableBytes {
                var input = $0
                guard case .failed(let failure) = assembler.parse(&input) else {
                    return #expect(Bool(false), "accepted")
                }
                #expect(failure.code == .protocolError)
            }
            bytes = Frame.masked(.text, "fine")
        }
    }

    @Test("a message cut off is collected and given back")
    func memory() {
        var assembler = MessageAssembler(role: .server)
        var bytes = Frame.masked(.text, "0123456789")
        let half = bytes.count - 4
        bytes.withUnsafeMutableBytes {
            var input = UnsafeMutableRawBufferPointer(rebasing: $0[..<half])
            guard case .more = assembler.parse(&input) else { return #expect(Bool(false), "too early") }
        }
        #expect(assembler.heldBytes == 6 && assembler.isUnfinished)
        bytes.withUnsafeMutableBytes {
            var input = UnsafeMutableRawBufferPointer(rebasing: $0[half...])
            guard case .text(let text) = assembler.parse(&input) else {
                return #expect(Bool(false), "no text")
            }
            #expect(text.text == "0123456789")
            guard case .more = assembler.parse(&input) else { return #expect(Bool(false), "more than one") }
        }
        #expect(assembler.heldBytes == 0 && !assembler.isUnfinished)
    }
}
