internal import Support

/// The scan itself: a place in bytes that the caller owns.
struct JSONScan {
    let bytes: BorrowedBytes
    /// The next byte; never beyond `end`.
    var at = 0

    init(_ bytes: BorrowedBytes) {
        self.bytes = bytes
    }

    var end: Int { bytes.count }

    @inline(never)
    func error(_ reason: JSONError.Reason, _ place: Int) -> JSONError { JSONError(reason, at: place) }

    @inline(__always)
    mutating func skipWhiteSpace() {
        while at < end, bytes[at] <= 0x20 {
            let byte = bytes[at]
            guard byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 else { return }
            at += 1
        }
    }

    /// Scans one value surrounded by white space and nothing else.
    mutating func text(
        _ limits: JSONLimits,
        _ members: inout some JSONMemberSink
    ) throws(JSONError) -> JSONScanner.Extent {
        skipWhiteSpace()
        guard at < end else { throw error(.empty, at) }
        let start = at
        let kind: JSONKind
        switch bytes[at] {
        case UInt8(ascii: "{"):
            kind = .object
            try container(limits, &members)
        case UInt8(ascii: "["):
            kind = .array
            try container(limits, &members)
        default:
            kind = try scalar()
        }
        let stop = at
        skipWhiteSpace()
        guard at == end else { throw error(.trailingBytes, at) }
        return JSONScanner.Extent(kind: kind, start: start, end: stop)
    }

    /// Scans a string, number, or word.
    ///
    /// `at` is on its first byte.
    @inline(__always)
    mutating func scalar() throws(JSONError) -> JSONKind {
        switch bytes[at] {
        case UInt8(ascii: "\""):
            _ = try string()
            return .string
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            try number()
            return .number
        case UInt8(ascii: "t"):
            try word(0x6575_7274)
            return .bool
        case UInt8(ascii: "f"):
            at += 1
            try word(0x6573_6c61)
            return .bool
        case UInt8(ascii: "n"):
            try word(0x6c6c_756e)
            return .null
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
            throw error(.badLiteral, at)
        case UInt8(ascii: "+"), UInt8(ascii: "."):
            throw error(.badNumber, at)
        default:
            throw error(.unexpectedByte, at)
        }
    }

    /// Scans four letters, given as a little-endian word.
    @inline(__always)
    private mutating func word(_ letters: UInt32) throws(JSONError) {
        guard end - at >= 4 else { throw error(.badLiteral, at) }
        let found = UInt32(littleEndian: bytes.load(at: at, as: UInt32.self))
        guard found == letters else { throw error(.badLiteral, at) }
        at += 4
    }
}
