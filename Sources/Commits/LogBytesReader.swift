public import Support

public struct LogBytesError: Error, Hashable {
    /// The error.
    public init() {}
}

/// Reads a binary form part by part.
public struct LogBytesReader {
    private var rest: BorrowedBytes

    /// A reader at the beginning of `bytes`, which must stay valid while it reads.
    public init(_ bytes: BorrowedBytes) {
        rest = bytes
    }

    /// Whether everything has been read.
    public var isAtEnd: Bool { rest.isEmpty }

    public mutating func byte() throws(LogBytesError) -> UInt8 {
        guard let byte = rest.first else { throw LogBytesError() }
        rest = rest.part(1...)
        return byte
    }

    /// Reads a number.
    public mutating func varint() throws(LogBytesError) -> UInt64 {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while shift < 64 {
            let byte = try byte()
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
            shift += 7
        }
        throw LogBytesError()
    }

    /// Reads a time in milliseconds, stored as the time since `former`.
    ///
    /// - Throws: ``LogBytesError`` if no commit can have it (``LogStamp/times``).
    public mutating func time(since former: UInt64 = 0) throws(LogBytesError) -> UInt64 {
        let (time, isTooLarge) = former.addingReportingOverflow(try varint())
        guard !isTooLarge, LogStamp.times.contains(time) else { throw LogBytesError() }
        return time
    }

    /// Reads the number of elements that follow; each takes at least one byte.
    public mutating func count() throws(LogBytesError) -> Int {
        let count = try varint()
        guard count <= UInt64(rest.count) else { throw LogBytesError() }
        return Int(count)
    }

    public mutating func counted() throws(LogBytesError) -> [UInt8] {
        Array(try slice())
    }

    public mutating func text() throws(LogBytesError) -> String {
        String(decoding: try slice(), as: UTF8.self)
    }

    private mutating func slice() throws(LogBytesError) -> BorrowedBytes {
        let count = try count()
        defer { rest = rest.part(count...) }
        return rest.part(..<count)
    }
}
