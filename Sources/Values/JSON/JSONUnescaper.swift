internal import Support

/// Iterates over the unescaped bytes of a validated string.
struct JSONUnescaper {
    private let text: BorrowedBytes
    private var at = 0
    /// Remaining UTF-8 bytes of a `\u` escape, the next one lowest.
    private var pending: UInt32 = 0
    private var pendingCount = 0

    init(_ text: BorrowedBytes) {
        self.text = text
    }

    mutating func next() -> UInt8? {
        if pendingCount > 0 {
            let byte = UInt8(truncatingIfNeeded: pending)
            pending >>= 8
            pendingCount -= 1
            return byte
        }
        guard at < text.count else { return nil }
        let byte = text[at]
        guard byte == UInt8(ascii: "\\"), at + 1 < text.count else {
            at += 1
            return byte
        }
        let letter = text[at + 1]
        if letter == UInt8(ascii: "u") {
            return unicode()
        }
        at += 2
        switch letter {
        case UInt8(ascii: "b"): return 0x08
        case UInt8(ascii: "f"): return 0x0c
        case UInt8(ascii: "n"): return 0x0a
        case UInt8(ascii: "r"): return 0x0d
        case UInt8(ascii: "t"): return 0x09
        default: return letter
        }
    }

    private mutating func unicode() -> UInt8? {
        var code = unit()
        if code & 0xfc00 == 0xd800, at + 6 <= text.count {
            code = 0x10000 + (code & 0x3ff) << 10 + (unit() & 0x3ff)
        }
        let scalar = Unicode.Scalar(code) ?? "\u{fffd}"
        for byte in UTF8.encode(scalar)?.reversed() ?? [] {
            pending = pending << 8 | UInt32(byte)
            pendingCount += 1
        }
        return next()
    }

    private mutating func unit() -> UInt32 {
        var unit: UInt32 = 0
        for index in at + 2..<min(at + 6, text.count) {
            unit = unit << 4 | UInt32(ASCII.hexadecimal(text[index]) ?? 0)
        }
        at += 6
        return unit
    }
}
