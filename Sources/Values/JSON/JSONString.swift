internal import Support

/// The inside of JSON strings: validated bytes between the quotes.
enum JSONString {
    static func hasEscapes(_ text: BorrowedBytes) -> Bool {
        text.contains(UInt8(ascii: "\\"))
    }

    /// Appends the content of the string, in UTF-8.
    static func unescape(_ text: BorrowedBytes, into bytes: inout [UInt8]) {
        bytes.reserveCapacity(bytes.count + text.count)
        var reader = JSONUnescaper(text)
        while let byte = reader.next() {
            bytes.append(byte)
        }
    }

    /// The content of the string.
    static func string(_ text: BorrowedBytes) -> String {
        guard hasEscapes(text) else {
            return String(decoding: text, as: UTF8.self)
        }
        var bytes: [UInt8] = []
        unescape(text, into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A word that is equal for equal strings and differs for most others: the first bytes and the
    /// length.
    @inline(__always)
    static func mark(_ text: BorrowedBytes) -> UInt64 {
        let count = text.count
        var head: UInt64 = 0
        if count >= 8 {
            head = UInt64(littleEndian: text.load(at: 0, as: UInt64.self))
            let tail = UInt64(littleEndian: text.load(at: count - 8, as: UInt64.self))
            head = head &* 31 &+ tail
        } else if count >= 4 {
            let tail = UInt64(
                UInt32(littleEndian: text.load(at: count - 4, as: UInt32.self))
            )
            head = UInt64(UInt32(littleEndian: text.load(at: 0, as: UInt32.self)))
            head |= tail << UInt64(truncatingIfNeeded: (count - 4) * 8)
        } else {
            for byte in text.reversed() {
                head = head << 8 | UInt64(byte)
            }
        }
        return head ^ UInt64(truncatingIfNeeded: count) << 56
    }

    @inline(never)
    static func mark(escaped text: BorrowedBytes) -> UInt64 {
        var plain: [UInt8] = []
        unescape(text, into: &plain)
        return plain.withBorrowedBytes { mark($0) }
    }

    /// Whether two strings have the same content, each with or without escapes.
    static func isEqual(
        _ a: BorrowedBytes,
        _ aHasEscapes: Bool,
        _ b: BorrowedBytes,
        _ bHasEscapes: Bool
    ) -> Bool {
        if !aHasEscapes, !bHasEscapes {
            return a.count == b.count && a.elementsEqual(b)
        }
        var left = JSONUnescaper(a)
        var right = JSONUnescaper(b)
        while true {
            let (x, y) = (left.next(), right.next())
            if x != y { return false }
            if x == nil { return true }
        }
    }
}

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
