import HTTP
import Support
import TestSupport
import Testing

@Suite("Messages are compressed and inflated (RFC 7692 §7.2)")
struct DeflateTests {
    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static func deflated(_ message: [UInt8], by deflater: Deflater) -> [UInt8] {
        var buffer = ByteBuffer()
        message.withBorrowedBytes { deflater.deflate($0, to: &buffer) }
        return Array(buffer.bytes)
    }

    private static func deflated(_ message: [UInt8]) -> [UInt8] {
        deflated(message, by: Deflater(keepsContext: false))
    }

    @Test(
        "the examples of RFC 7692 §7.2.3",
        arguments: [
            ("one block", [[0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]]),
            ("no compression", [[0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00]]),
            ("the last block marked as such", [[0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00]]),
            ("two blocks", [[0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00]]),
            ("two fragments", [[0xF2, 0x48, 0xCD], [0xC9, 0xC9, 0x07, 0x00]]),
        ]
    )
    func examples(what: String, fragments: [[UInt8]]) {
        var bytes: [UInt8] = []
        for (index, fragment) in fragments.enumerated() {
            bytes += Frame.masked(
                index == 0 ? .text : .continuation,
                fragment,
                isFinal: index == fragments.count - 1,
                isCompressed: index == 0
            )
        }
        #expect(
            FrameTranscript.atEverySplit(bytes, inflation: FrameTranscript.shared) == ["text Hello"],
            "\(what)"
        )
    }

    @Test("with a context, a message may refer to the one before")
    func takeover() {
        let bytes =
            Frame.masked(.text, [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], isCompressed: true)
            + Frame.masked(.text, [0xF2, 0x00, 0x11, 0x00, 0x00], isCompressed: true)
        #expect(
            FrameTranscript.atEverySplit(bytes, inflation: FrameTranscript.own) == [
                "text Hello", "text Hello",
            ]
        )
        #expect(
            FrameTranscript.atEverySplit(bytes, inflation: FrameTranscript.shared) == [
                "text Hello", "failed 1007",
            ]
        )
    }

    @Test("a context outlives a block that calls itself the last")
    func takeoverBeyondLastBlock() {
        let bytes =
            Frame.masked(.text, [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00], isCompressed: true)
            + Frame.masked(.text, [0xF2, 0x00, 0x11, 0x00, 0x00], isCompressed: true)
        #expect(
            FrameTranscript.atEverySplit(bytes, inflation: FrameTranscript.own) == [
                "text Hello", "text Hello",
            ]
        )
    }

    @Test("compressed and plain messages, control frames between fragments, empty messages")
    func mixture() {
        let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
        let bytes =
            Frame.masked(.text, Array(hello[..<2]), isFinal: false, isCompressed: true)
            + Frame.masked(.ping, "p") + Frame.masked(.continuation, "", isFinal: false)
            + Frame.masked(.continuation, Array(hello[2...])) + Frame.masked(.text, "plain")
            + Frame.masked(.binary, [0x00], isCompressed: true) + Frame.masked(.text, [], isCompressed: true)
            + Frame.masked(.binary, hello, isCompressed: true)
        let expected = [
            "ping p", "text Hello", "text plain", "binary []", "text ", "binary \(Self.bytes("Hello"))",
        ]
        #expect(FrameTranscript.atEverySplit(bytes, inflation: FrameTranscript.shared) == expected)
    }

    @Test(
        "the first reserved bit belongs to the first frame of a data message",
        arguments: [Opcode.continuation, .ping, .pong, .close]
    )
    func reservedBit(opcode: Opcode) {
        let before =
            opcode == .continuation ? Frame.masked(.text, [0xF2], isFinal: false, isCompressed: true) : []
        let bytes = before + Frame.masked(opcode, [], isCompressed: true)
        #expect(FrameTranscript.atEverySplit(bytes, inflation: FrameTranscript.shared) == ["failed 1002"])
    }

    @Test("the other reserved bits stay errors", arguments: [0xE1, 0xD1, 0xA1, 0x91] as [UInt8])
    func otherBits(first: UInt8) {
        let bytes: [UInt8] = [first, 0x80, 0, 0, 0, 0]
        #expect(FrameTranscript.atEverySplit(bytes, inflation: FrameTranscript.shared) == ["failed 1002"])
    }

    @Test(
        "invalid or incomplete deflated data fails",
        arguments: [
            [0xFF], [0x07, 0x00], [0x01, 0x05, 0x00, 0x00, 0x00], [0xF2, 0x48, 0xCD],
            [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48], [0xF2, 0x00, 0x11, 0x00, 0x00],
            [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0],
        ] as [[UInt8]]
    )
    func malformed(payload: [UInt8]) {
        let bytes = Frame.masked(.binary, payload, isCompressed: true)
        #expect(FrameTranscript.atEverySplit(bytes, inflation: FrameTranscript.shared) == ["failed 1007"])
    }

    @Test("ill-formed text fails as it is inflated, before the message is complete")
    func failFast() {
        let payload = Self.deflated(Self.bytes("abc") + [0xED, 0xA0, 0x80] + Self.bytes("def"))
        let bytes = Frame.masked(.text, payload, isFinal: false, isCompressed: true)
        #expect(FrameTranscript.of([bytes], inflation: FrameTranscript.shared) == ["failed 1007"])
        let cut = Frame.masked(.text, Self.deflated([0x61, 0xE2, 0x82]), isCompressed: true)
        #expect(FrameTranscript.atEverySplit(cut, inflation: FrameTranscript.shared) == ["failed 1007"])
    }

    @Test("a message that is too large and no text fails for what comes first, however it is cut")
    func firstMistake() {
        let large = Array(repeating: UInt8(ascii: "a"), count: 200)
        for (place, expected) in [(50, 1007), (99, 1007), (100, 1009), (150, 1009)] {
            var message = large
            message[place] = 0xFF
            let bytes = Frame.masked(.text, Self.deflated(message), isCompressed: true)
            let heard = FrameTranscript.atEverySplit(
                bytes,
                limitBytes: 100,
                inflation: FrameTranscript.shared
            )
            #expect(heard == ["failed \(expected)"], "\(place)")
        }
    }

    @Test("the limit is one on the inflated message, to the byte")
    func limit() {
        func heard(_ count: Int) -> [String] {
            let payload = Self.deflated(Array(repeating: 0, count: count))
            let bytes = Frame.masked(.binary, payload, isCompressed: true)
            return FrameTranscript.of([bytes], limitBytes: 1000, inflation: FrameTranscript.shared)
        }
        #expect(heard(1000) == ["binary \(Array(repeating: 0, count: 1000))"])
        #expect(heard(1001) == ["failed 1009"])
        #expect(heard(100_000) == ["failed 1009"])
    }

    @Test("data that compression makes longer is accepted, and nothing above that")
    func incompressible() {
        var random = SeededGenerator(seed: 7)
        let noise = (0..<1000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let bytes = Frame.masked(.binary, Self.deflated(noise), isCompressed: true)
        #expect(bytes.count > 1000)
        let heard = FrameTranscript.of([bytes], limitBytes: 1000, inflation: FrameTranscript.shared)
        #expect(heard == ["binary \(noise)"])
        // Blocks without content make no message, but are sent.
        let nothing = Array(repeating: [0x00, 0x00, 0x00, 0xFF, 0xFF] as [UInt8], count: 240).flatMap(\.self)
        let empty = Frame.masked(.binary, nothing, isFinal: false, isCompressed: true)
        #expect(
            FrameTranscript.of([empty], limitBytes: 1000, inflation: FrameTranscript.shared) == [
                "failed 1009"
            ]
        )
    }

    @Test("a bomb is stopped at the limit, and takes no more memory than that")
    func bomb() {
        let payload = Self.deflated(Array(repeating: 0x20, count: 64 << 20))
        #expect(payload.count < 100_000)
        var bytes = Frame.masked(.text, payload, isCompressed: true)
        var assembler = MessageAssembler(role: .server, limitBytes: 128 * 1024)
        assembler.inflation = FrameTranscript.shared()
        var most = 0
        bytes.withUnsafeMutableBytes { all in
            for start in stride(from: 0, to: all.count, by: 16) {
                var input = UnsafeMutableRawBufferPointer(rebasing: all[start..<min(start + 16, all.count)])
                switch assembler.parse(&input) {
                case .more: most = max(most, assembler.heldBytes)
                case .failed(let failure):
                    #expect(failure.code == .messageTooBig)
                    let inflater = Inflater.memoryBytes(windowBits: 15)
                    #expect(start < 1000 && most <= 128 * 1024 + inflater && assembler.heldBytes == 0)
                    return
                default: return #expect(Bool(false), "delivered")
                }
            }
            #expect(Bool(false), "never refused")
        }
    }

    @Test(
        "what one side deflates the other inflates, at every setting and cut",
        arguments: [1, 2, 3] as [UInt64]
    )
    func roundTrip(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for round in 0..<(Nightly.isOn ? 3000 : 30) {
            let bits = 8 + random.below(8)
            let keeps = random.chance(1, in: 2)
            let deflater = Deflater(windowBits: bits, keepsContext: keeps)
            var wire: [UInt8] = []
            var expected: [String] = []
            for _ in 0..<1 + random.below(6) {
                let message = Self.message(&random)
                expected.append("binary \(message)")
                wire += Self.frames(Self.deflated(message, by: deflater), &random)
            }
            var pieces: [[UInt8]] = []
            var rest = wire[...]
            while !rest.isEmpty {
                let piece = rest.prefix(1 + random.below(random.chance(1, in: 4) ? 5 : 3000))
                pieces.append(Array(piece))
                rest = rest.dropFirst(piece.count)
            }
            let heard = FrameTranscript.of(pieces) {
                keeps ? .own(Inflater(windowBits: bits, keepsContext: true)) : FrameTranscript.shared()
            }
            guard heard != expected else { continue }
            #expect(Bool(false), "seed \(seed), round \(round): window \(bits), context \(keeps)")
        }
    }

    /// Text with repetitions near and far, or noise, or little.
    private static func message(_ random: inout SeededGenerator) -> [UInt8] {
        let size = random.chance(1, in: 5) ? random.below(40_000) : random.below(600)
        let words = (0..<8).map { _ in
            (0..<1 + random.below(200)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        }
        var bytes: [UInt8] = []
        while bytes.count < size {
            bytes +=
                random.chance(1, in: 6) ? [UInt8(truncatingIfNeeded: random.next())] : words[random.below(8)]
        }
        return bytes
    }

    /// One frame, or several fragments.
    private static func frames(_ payload: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        guard random.chance(1, in: 3), payload.count > 2 else {
            return Frame.masked(.binary, payload, isCompressed: true)
        }
        let place = 1 + random.below(payload.count - 1)
        return Frame.masked(.binary, Array(payload[..<place]), isFinal: false, isCompressed: true)
            + Frame.masked(.continuation, Array(payload[place...]))
    }

    @Test("a window of 2^8 is kept to: nothing refers back further than 256 bytes")
    func smallestWindow() {
        // Every block of 251 bytes is followed by the same, so that a larger window would find it.
        var random = SeededGenerator(seed: 9)
        for size in [200, 249, 250, 251, 255, 256, 257, 300, 512] {
            let block = (0..<size).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let payload = Self.deflated(block + block, by: Deflater(windowBits: 8, keepsContext: false))
            #expect(payload.count < 2 * size || size > 250, "\(size)")
            #expect((payload.count > 2 * size - 20) == (size > 250), "\(size): \(payload.count)")
        }
    }

    @Test("an inflater starts afresh after a broken message")
    func pool() {
        let pool = InflaterPool()
        for _ in 0..<3 {
            let broken = Frame.masked(.text, [0xF2, 0x48, 0xFF, 0xFF, 0xFF], isCompressed: true)
            #expect(FrameTranscript.of([broken]) { .shared(pool) } == ["failed 1007"])
            let whole = Frame.masked(.text, [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], isCompressed: true)
            #expect(FrameTranscript.of([whole]) { .shared(pool) } == ["text Hello"])
        }
    }

    @Test("an empty message is one zero byte, with and without a context")
    func empty() {
        for keeps in [false, true] {
            let deflater = Deflater(keepsContext: keeps)
            for _ in 0..<3 { #expect(Self.deflated([], by: deflater) == [0]) }
        }
    }
}
