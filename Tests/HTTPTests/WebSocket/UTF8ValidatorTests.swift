import HTTP
import Support
import TestSupport
import Testing

@Suite("UTF8Validator knows UTF-8 at the earliest byte")
struct UTF8ValidatorTests {
    @Test("every scalar's encoding is valid, and incomplete before its last byte")
    func everyScalar() {
        for value in stride(from: UInt32(0), through: 0x10FFFF, by: Nightly.isOn ? 1 : 7) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let bytes = Array(String(Character(scalar)).utf8)
            var validator = UTF8Validator()
            for (index, byte) in bytes.enumerated() {
                let isValid = [byte].withBorrowedBytes { validator.validate($0) }
                guard isValid, validator.isComplete == (index == bytes.count - 1) else {
                    return #expect(Bool(false), "U+\(String(value, radix: 16))")
                }
            }
        }
    }

    @Test("it agrees with the standard library on random bytes, whole and split", arguments: [1, 2, 3])
    func againstStandardLibrary(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pieces: [[UInt8]] = [
            Array("a".utf8), Array("ä".utf8), Array("€".utf8), Array("😀".utf8), [0x80], [0xC0], [0xE0, 0xA0],
            [0xED, 0x9F],
            [0xF0, 0x90], [0xF4, 0x8F, 0xBF], [0xFF], Array(repeating: 0x41, count: 33),
        ]
        for round in 0..<(Nightly.isOn ? 100_000 : 3_000) {
            var bytes: [UInt8] = []
            for _ in 0..<random.below(12) {
                bytes += pieces[random.below(random.below(3) == 0 ? pieces.count : 4)]
            }
            let expected = String(validating: bytes, as: UTF8.self) != nil
            let place = random.below(bytes.count + 1)
            let heard = bytes.withBorrowedBytes { all in
                var validator = UTF8Validator()
                return validator.validate(all.part(..<place))
                    && validator.validate(all.part(place...))
                    && validator.isComplete
            }
            guard heard != expected else { continue }
            #expect(heard == expected, "seed \(seed), round \(round): \(bytes)")
        }
    }

    /// The same judgement, a byte at a time and without anything clever: how many bytes pass.
    private static func passing(_ bytes: [UInt8]) -> Int {
        var due = 0
        var range: ClosedRange<UInt8> = 0x80...0xBF
        for (index, byte) in bytes.enumerated() {
            if due > 0 {
                guard range.contains(byte) else { return index }
                (due, range) = (due - 1, 0x80...0xBF)
                continue
            }
            switch byte {
            case 0..<0x80: break
            case 0xC2...0xDF: due = 1
            case 0xE0: (due, range) = (2, 0xA0...0xBF)
            case 0xED: (due, range) = (2, 0x80...0x9F)
            case 0xE1...0xEF: due = 2
            case 0xF0: (due, range) = (3, 0x90...0xBF)
            case 0xF4: (due, range) = (3, 0x80...0x8F)
            case 0xF1...0xF3: due = 3
            default: return index
            }
        }
        return bytes.count
    }

    @Test(
        "long texts of all scripts, at every alignment and cut, fail at the same byte as the plain form",
        arguments: [1, 2, 3]
    )
    func againstPlainForm(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pieces = [
            "a", " ", "ä", "ж", "語", "€", "😀", "\u{800}", "\u{D7FF}", "\u{10FFFF}",
            "abcdefghijklmnopqrstuvwxyz012345678",
        ]
        .map { Array($0.utf8) }
        for round in 0..<(Nightly.isOn ? 50_000 : 800) {
            var bytes: [UInt8] = []
            let favourite = random.below(pieces.count)
            while bytes.count < 20 + random.below(120) {
                bytes += pieces[random.chance(2, in: 3) ? favourite : random.below(pieces.count)]
            }
            for _ in 0..<random.below(3) {
                let place = random.below(bytes.count)
                if random.chance(1, in: 2) {
                    bytes.remove(at: place)
                } else {
                    bytes[place] = UInt8(random.below(256))
                }
            }
            let expected = Self.passing(bytes)
            let shift = random.below(16)
            let moved = Array(repeating: UInt8(0), count: shift) + bytes
            let cut = random.below(bytes.count + 1)
            let isRight = moved.withBorrowedBytes { all in
                let text = all.part(shift...)
                func isValid(_ count: Int) -> Bool {
                    var validator = UTF8Validator()
                    let first = min(cut, count)
                    return validator.validate(text.part(..<first))
                        && validator.validate(text.part(first..<count))
                }
                // All bytes that pass, and not one more.
                return isValid(expected) && (expected == bytes.count || !isValid(expected + 1))
            }
            guard !isRight else { continue }
            #expect(Bool(false), "seed \(seed), round \(round), cut \(cut): \(bytes) pass \(expected)")
        }
    }
}
