import HTTP
import Support
import TestSupport
import Testing

@Suite("Encoding, then decoding frames is identity")
struct FrameRoundTripTests {
    @Test("random messages, fragmented and cut at random", arguments: [11, 12, 13, 14])
    func roundTrip(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for round in 0..<(Nightly.isOn ? 5_000 : 150) {
            let role: FrameParser.Role = random.below(2) == 0 ? .server : .client
            var expected: [String] = []
            var stream = ByteBuffer()
            for _ in 0..<1 + random.below(6) {
                append(&random, role, to: &stream, &expected)
            }
            let bytes = Array(stream.bytes)
            var pieces: [[UInt8]] = []
            var start = 0
            while start < bytes.count {
                let end = min(bytes.count, start + 1 + random.below(random.below(2) == 0 ? 20 : 2000))
                pieces.append(Array(bytes[start..<end]))
                start = end
            }
            let heard = FrameTranscript.of(pieces, role: role, limitBytes: 200_000)
            guard heard != expected else { continue }
            #expect(heard == expected, "seed \(seed), round \(round)")
        }
    }

    private func append(
        _ random: inout SeededGenerator,
        _ role: FrameParser.Role,
        to stream: inout ByteBuffer,
        _ expected: inout [String]
    ) {
        let lengths = [0, 1, 5, 124, 125, 126, 127, 1000, 65_535, 65_536]
        let length = random.below(8) == 0 ? lengths[random.below(lengths.count)] : random.below(300)
        let isText = random.below(2) == 0
        let payload = (0..<length).map { _ in UInt8(isText ? 32 + random.below(90) : random.below(256)) }
        var left = payload[...]
        var isFirst = true
        repeat {
            let isLast = random.below(3) > 0
            let size = isLast ? left.count : random.below(left.count + 1)
            let opcode: Opcode = isFirst ? (isText ? .text : .binary) : .continuation
            frame(opcode, Array(left.prefix(size)), isFinal: isLast, &random, role, to: &stream)
            left = left.dropFirst(size)
            isFirst = false
            if isLast { break }
            if random.below(2) == 0 {
                frame(.ping, Array("p".utf8), isFinal: true, &random, role, to: &stream)
                expected.append("ping p")
            }
        } while true
        expected.append(isText ? "text \(String(decoding: payload, as: UTF8.self))" : "binary \(payload)")
    }

    private func frame(
        _ opcode: Opcode,
        _ payload: [UInt8],
        isFinal: Bool,
        _ random: inout SeededGenerator,
        _ role: FrameParser.Role,
        to stream: inout ByteBuffer
    ) {
        let mask = role == .server ? UInt32(truncatingIfNeeded: random.next()) : nil
        payload.withBorrowedBytes {
            FrameEncoder.append(opcode, $0, isFinal: isFinal, mask: mask, to: &stream)
        }
    }

    @Test("lengths take their shortest form")
    func shortestForm() {
        for (length, size) in [(0, 2), (125, 2), (126, 4), (65_535, 4), (65_536, 10)] {
            var buffer = ByteBuffer()
            FrameEncoder.appendHeader(FrameHeader(opcode: .binary, length: length), to: &buffer)
            #expect(buffer.count == size)
            FrameEncoder.appendHeader(FrameHeader(opcode: .binary, length: length, mask: 1), to: &buffer)
            #expect(buffer.count == 2 * size + 4)
        }
    }

    @Test("a close reason is cut at a character's end")
    func closeReason() {
        var buffer = ByteBuffer()
        FrameEncoder.appendClose(.goingAway, reason: String(repeating: "€", count: 60), to: &buffer)
        let heard = FrameTranscript.of([Array(buffer.bytes)], role: .client)
        #expect(heard == ["close 1001 " + String(repeating: "€", count: 41)])
        buffer.removeAll()
        FrameEncoder.appendClose(.noneGiven, to: &buffer)
        #expect(Array(buffer.bytes) == [0x88, 0])
    }
}
