internal import Support

extension JSONScan {
    /// Scans a string with its quotes (RFC 8259 §7); returns whether it has escapes.
    ///
    /// Eight bytes are tested together while they are plain: no quote, no backslash, no control
    /// character, nothing beyond ASCII. The first byte that the test flags is always one of those.
    @inline(__always)
    mutating func string() throws(JSONError) -> Bool {
        at += 1
        var hasEscapes = false
        while true {
            skipPlain()
            guard at < end else { throw error(.unexpectedEnd, at) }
            let byte = bytes[at]
            if byte == UInt8(ascii: "\"") {
                at += 1
                return hasEscapes
            }
            if byte == UInt8(ascii: "\\") {
                hasEscapes = true
                at = try endOfEscape(at)
            } else if byte >= 0x80 {
                at = try endOfCharacters(at)
            } else {
                throw error(.controlCharacter, at)
            }
        }
    }

    @inline(__always)
    private mutating func skipPlain() {
        let ones: UInt64 = 0x0101_0101_0101_0101
        while end - at >= 8 {
            let word = UInt64(littleEndian: bytes.load(at: at, as: UInt64.self))
            let quotes = (word ^ (ones &* 0x22)) &- ones
            let backslashes = (word ^ (ones &* 0x5c)) &- ones
            let controls = word &- (ones &* 0x20)
            let flags = (quotes | backslashes | controls | word) & (ones &* 0x80)
            if flags != 0 {
                at += flags.trailingZeroBitCount >> 3
                return
            }
            at += 8
        }
        while at < end {
            let byte = bytes[at]
            if byte < 0x20 || byte >= 0x80 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                return
            }
            at += 1
        }
    }

    @inline(never)
    private func endOfEscape(_ start: Int) throws(JSONError) -> Int {
        var at = start
        guard end - at >= 2 else { throw error(.unexpectedEnd, end) }
        switch bytes[at + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return at + 2
        case UInt8(ascii: "u"):
            let unit = try hexUnit(&at)
            guard unit & 0xf800 == 0xd800 else { return at }
            guard unit < 0xdc00, end - at >= 2, bytes[at] == UInt8(ascii: "\\"),
                bytes[at + 1] == UInt8(ascii: "u")
            else {
                throw error(.loneSurrogate, start)
            }
            let second = try hexUnit(&at)
            guard second & 0xfc00 == 0xdc00 else { throw error(.loneSurrogate, start) }
            return at
        default:
            throw error(.badEscape, start)
        }
    }

    /// The four hexadecimal digits of `\uXXXX`; `at` is on the backslash.
    private func hexUnit(_ at: inout Int) throws(JSONError) -> UInt32 {
        guard end - at >= 6 else { throw error(.unexpectedEnd, end) }
        var unit: UInt32 = 0
        for index in 2..<6 {
            guard let digit = ASCII.hexadecimal(bytes[at + index]) else { throw error(.badEscape, at) }
            unit = unit << 4 | UInt32(digit)
        }
        at += 6
        return unit
    }

    /// The end of the run of multi-byte characters at `start` (RFC 3629 §4).
    @inline(never)
    private func endOfCharacters(_ start: Int) throws(JSONError) -> Int {
        var at = start
        while at < end, bytes[at] >= 0x80 {
            let lead = bytes[at]
            var low: UInt8 = 0x80
            var high: UInt8 = 0xbf
            let length: Int
            switch lead {
            case 0xc2...0xdf: length = 2
            case 0xe0: (length, low) = (3, 0xa0)
            case 0xed: (length, high) = (3, 0x9f)
            case 0xe1...0xef: length = 3
            case 0xf0: (length, low) = (4, 0x90)
            case 0xf4: (length, high) = (4, 0x8f)
            case 0xf1...0xf3: length = 4
            default: throw error(.badUTF8, at)
            }
            guard end - at >= length, bytes[at + 1] >= low, bytes[at + 1] <= high else {
                throw error(.badUTF8, at)
            }
            for index in 2..<max(length, 2) where bytes[at + index] & 0xc0 != 0x80 {
                throw error(.badUTF8, at)
            }
            at += length
        }
        return at
    }
}
