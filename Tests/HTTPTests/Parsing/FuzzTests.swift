import HTTP
import TestSupport
import Testing

/// Mutates sample streams and looks for what must never happen.
///
/// Short in the normal run; `SLUICE_NIGHTLY=1` makes it long. A failure prints seed and round.
/// Under the address sanitizer every view that leaves its memory is found too.
@Suite("Mutated bytes never split differently, never trap, never pass a limit")
struct FuzzTests {
    static let requests: [[UInt8]] = (SplitTests.streams + HostileRequestTests.cases.map(\.0)).map {
        Array($0.utf8)
    }
    static let frames: [[UInt8]] =
        [
            Frame.masked(.text, "hello") + Frame.masked(.ping, "p") + Frame.masked(.close, [3, 232]),
            Frame.masked(.text, "Hä€😀", isFinal: false) + Frame.masked(.pong, "")
                + Frame.masked(.continuation, "llo"),
            Frame.masked(.binary, Array(repeating: 7, count: 126)) + Frame.masked(.text, ""),
        ] + HostileFrameTests.cases.map(\.0)
    static let limits = Limits(targetBytes: 60, headerBytes: 300, headerFields: 12, bodyBytes: 40)

    @Test("requests", arguments: [101, 102, 103, 104])
    func requests(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for round in 0..<(Nightly.isOn ? 200_000 : 2_500) {
            let bytes = mutate(
                Self.requests,
                alphabet: Array("\r\n\t :/;,%0159aAFGPHTX\u{0}\u{7f}".utf8) + [0xFF],
                &random
            )
            let whole = Transcript.of([bytes], limits: Self.limits)
            let pieces = cut(bytes, &random)
            let heard = Transcript.of(pieces, limits: Self.limits)
            let isSound = heard == whole && whole.dropLast().allSatisfy { !$0.hasPrefix("failed") }
            guard !isSound else { continue }
            return #expect(heard == whole, "seed \(seed), round \(round): \(pieces)")
        }
    }

    @Test("frames", arguments: [201, 202, 203, 204])
    func frames(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for round in 0..<(Nightly.isOn ? 200_000 : 2_500) {
            let bytes = mutate(
                Self.frames,
                alphabet: [0, 1, 2, 8, 9, 0x7E, 0x7F, 0x80, 0x81, 0x88, 0xFE, 0xFF],
                &random
            )
            let role: FrameParser.Role = random.below(8) == 0 ? .client : .server
            let whole = FrameTranscript.of([bytes], role: role, limitBytes: 300)
            let pieces = cut(bytes, &random)
            let heard = FrameTranscript.of(pieces, role: role, limitBytes: 300)
            guard heard != whole else { continue }
            return #expect(heard == whole, "seed \(seed), round \(round): \(pieces)")
        }
    }

    @Test("messages that are delivered obey the rules", arguments: [301, 302])
    func delivered(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for round in 0..<(Nightly.isOn ? 100_000 : 1_500) {
            var bytes = mutate(Self.frames, alphabet: [0, 1, 0x80, 0x81, 0x88, 0xFF], &random)
            let problem = bytes.withUnsafeMutableBytes { firstProblem($0) }
            guard let problem else { continue }
            return #expect(Bool(false), "seed \(seed), round \(round): \(problem)")
        }
    }

    private func firstProblem(_ bytes: UnsafeMutableRawBufferPointer) -> String? {
        var assembler = MessageAssembler(role: .server, limitBytes: 100)
        var input = bytes
        while true {
            switch assembler.parse(&input) {
            case .more: return input.isEmpty ? nil : "input left"
            case .text(let text):
                if text.count > 100 { return "a text beyond the limit" }
                if String(validating: text, as: UTF8.self) == nil { return "a text that is not UTF-8" }
            case .binary(let binary): if binary.count > 100 { return "a message beyond the limit" }
            case .ping(let payload), .pong(let payload):
                if payload.count > 125 { return "a long control frame" }
            case .close(let code, let reason):
                let isFine =
                    (code.mayBeSent || code == .noneGiven) && String(validating: reason, as: UTF8.self) != nil
                return isFine ? nil : "a bad close"
            case .failed(let failure):
                return [1002, 1007, 1009].contains(failure.code.rawValue) ? nil : "code \(failure.code)"
            }
        }
    }

    /// One or two samples, changed in a few places.
    private func mutate(_ samples: [[UInt8]], alphabet: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = samples[random.below(samples.count)]
        if random.below(3) == 0 { bytes += samples[random.below(samples.count)] }
        for _ in 0..<random.below(4) where !bytes.isEmpty {
            let place = random.below(bytes.count)
            switch random.below(6) {
            case 0: bytes[place] = UInt8(random.below(256))
            case 1: bytes[place] = alphabet[random.below(alphabet.count)]
            case 2: bytes.insert(alphabet[random.below(alphabet.count)], at: place)
            case 3: bytes.remove(at: place)
            case 4:
                bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + random.below(20))], at: place)
            default: bytes.removeSubrange(place..<min(bytes.count, place + random.below(20)))
            }
        }
        return bytes
    }

    /// The bytes in random pieces, empty ones among them.
    private func cut(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var start = 0
        let longest = 1 + random.below(random.below(2) == 0 ? 6 : 80)
        while start < bytes.count {
            let end = min(bytes.count, start + random.below(longest + 1))
            pieces.append(Array(bytes[start..<end]))
            start = end
        }
        return pieces
    }
}
