public import Support

/// Bytes that HTTP's grammar names, and what it asks of them.
///
/// Letters are compared without regard to case where the RFC says so.
extension ASCII {
    static let tab = UInt8(ascii: "\t")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")
    static let quote = UInt8(ascii: "\"")
    static let comma = UInt8(ascii: ",")
    static let slash = UInt8(ascii: "/")

    /// The byte, a letter A–Z as its small form.
    @inline(__always)
    static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- 65 < 26 ? byte | 0x20 : byte
    }

    /// Whether the byte may stand in a token (RFC 9110 §5.6.2).
    @inline(__always)
    static func isToken(_ byte: UInt8) -> Bool {
        ByteSet.token.contains(byte)
    }
}

extension BorrowedBytes {
    /// Whether the bytes are those of `text`, exactly.
    public func equals(_ text: StaticString) -> Bool {
        unsafe count == text.utf8CodeUnitCount && isEqual(to: text.utf8Start)
    }

    /// Whether the bytes are those of `other`.
    public func equals(_ other: BorrowedBytes) -> Bool {
        guard count == other.count, let start = unsafe other.baseAddress else { return count == other.count }
        return unsafe isEqual(to: start)
    }

    /// Whether the bytes are those of `text`, letters compared without regard to case.
    ///
    /// `text` is in small letters.
    public func equalsIgnoringCase(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        let other = unsafe text.utf8Start
        for index in 0..<count where unsafe ASCII.lowercased(self[index]) != other[index] {
            return false
        }
        return true
    }

    /// The bytes without blanks and tabs at either end (RFC 9110 §5.6.3).
    public var trimmed: BorrowedBytes {
        var start = 0
        var end = count
        while start < end, self[start] == ASCII.space || self[start] == ASCII.tab {
            start += 1
        }
        while end > start, self[end - 1] == ASCII.space || self[end - 1] == ASCII.tab {
            end -= 1
        }
        return self.part(start..<end)
    }

    /// The bytes without quotes around them.
    var unquoted: BorrowedBytes {
        guard count >= 2, first == ASCII.quote, last == ASCII.quote else { return self }
        return self.part(1..<count - 1)
    }

    /// The number these decimal digits say; nil if there is none, something else, or too much.
    public var decimal: Int? {
        guard count > 0 else { return nil }
        var number = 0
        for index in indices {
            let byte = self[index]
            guard ASCII.isDigit(byte) else { return nil }
            let (product, over) = number.multipliedReportingOverflow(by: 10)
            let (sum, overAgain) = product.addingReportingOverflow(Int(byte &- 48))
            guard !over, !overAgain else { return nil }
            number = sum
        }
        return number
    }

    /// The bytes as text, ill-formed UTF-8 replaced.
    ///
    /// Not for the hot path.
    public var text: String {
        String(decoding: self, as: UTF8.self)
    }

    /// Calls `body` with each non-empty element of a comma-separated list, white space trimmed (RFC
    /// 9110 §5.6.1); commas inside quoted strings do not separate.
    ///
    /// Stops when `body` returns false.
    public func forEachListElement(_ body: (BorrowedBytes) -> Bool) {
        var start = 0
        var index = 0
        var quoted = false
        while index <= count {
            let byte = index < count ? self[index] : ASCII.comma
            if quoted, index < count {
                if byte == UInt8(ascii: "\\") {
                    index += 1
                } else if byte == ASCII.quote {
                    quoted = false
                }
            } else if byte == ASCII.quote {
                quoted = true
            } else if byte == ASCII.comma {
                let element = self.part(start..<Swift.min(index, count))
                    .trimmed
                if element.count > 0, !body(element) { return }
                start = index + 1
            }
            index += 1
        }
    }

    /// Whether the comma-separated list names `token`, letters compared without regard to case.
    public func listContains(_ token: StaticString) -> Bool {
        var found = false
        forEachListElement {
            found = $0.equalsIgnoringCase(token)
            return !found
        }
        return found
    }

    /// Compares eight bytes at a time, the last eight overlapping those before.
    @inline(__always)
    private func isEqual(to other: UnsafeRawPointer) -> Bool {
        guard let base = unsafe baseAddress else { return true }
        if count >= 8 {
            var offset = 0
            while true {
                let ours = unsafe base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                if unsafe ours != other.loadUnaligned(fromByteOffset: offset, as: UInt64.self) {
                    return false
                }
                if offset == count &- 8 { return true }
                offset = Swift.min(offset &+ 8, count &- 8)
            }
        }
        for offset in 0..<count
        where unsafe base.load(fromByteOffset: offset, as: UInt8.self)
            != other.load(fromByteOffset: offset, as: UInt8.self)
        {
            return false
        }
        return true
    }
}
