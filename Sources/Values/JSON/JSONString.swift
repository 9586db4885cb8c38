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
