#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Strings are compared and measured as CEL says: by code point, never by Unicode normalisation.
extension String {
    /// Whether both have the same UTF-8 bytes.
    @inline(__always)
    func hasSameBytes(as other: String) -> Bool {
        let (mine, theirs) = (utf8, other.utf8)
        return mine.count == theirs.count && comparesBytes(to: other) == 0
    }

    /// Negative, zero or positive: the order of the UTF-8 bytes, which is the order of the code
    /// points.
    func comparesBytes(to other: String) -> Int {
        let quick = unsafe utf8.withContiguousStorageIfAvailable { mine in
            unsafe other.utf8.withContiguousStorageIfAvailable { theirs in
                unsafe compare(mine, theirs)
            }
        }
        if let quick, let result = quick { return result }
        var (mine, theirs) = (self, other)
        return mine.withUTF8 { a in theirs.withUTF8 { b in unsafe compare(a, b) } }
    }

    var codePointCount: Int {
        withBytes { $0.codePointCount }
    }

    /// Calls `body` with the UTF-8 bytes, all in one place.
    @inline(__always)
    func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        var text = self
        return text.withUTF8 { unsafe body($0.span) }
    }

    /// A text of at most `capacity` bytes, which `write` puts one after the other; they must be
    /// UTF-8.
    @inline(__always)
    static func written(_ capacity: Int, _ write: (inout ByteWriter) -> Void) -> String {
        unsafe String(unsafeUninitializedCapacity: capacity) { buffer in
            var writer = unsafe ByteWriter(buffer: buffer)
            write(&writer)
            return writer.used
        }
    }
}

/// Puts bytes into memory that has room for all of them.
@safe
struct ByteWriter {
    fileprivate let buffer: UnsafeMutableBufferPointer<UInt8>
    fileprivate(set) var used = 0

    fileprivate init(buffer: UnsafeMutableBufferPointer<UInt8>) {
        unsafe self.buffer = unsafe buffer
    }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        unsafe precondition(used < buffer.count, "there is no room for another byte")
        unsafe buffer[used] = byte
        used += 1
    }

    @inline(__always)
    mutating func append(_ bytes: Span<UInt8>) {
        unsafe precondition(bytes.count <= buffer.count - used, "there is no room for so many bytes")
        unsafe bytes.withUnsafeBufferPointer { source in
            _ = unsafe UnsafeMutableBufferPointer(rebasing: buffer[used...]).initialize(from: source)
        }
        used += bytes.count
    }

    @inline(__always)
    mutating func append(_ text: String) {
        // Nearly every text lies in one place, and need not be copied to get there.
        if unsafe text.utf8.withContiguousStorageIfAvailable({ unsafe append($0.span) }) == nil {
            text.withBytes { append($0) }
        }
    }
}

/// UTF-8 byte by byte, which is several times as fast as scalar by scalar.
extension Span<UInt8> {
    var codePointCount: Int {
        var count = 0
        for position in indices where self[position] & 0xc0 != 0x80 {
            count += 1
        }
        return count
    }

    /// Whether `part` stands at `offset`.
    func holds(_ part: Span<UInt8>, at offset: Int) -> Bool {
        guard offset >= 0, part.count <= count - offset else { return false }
        return part.indices.allSatisfy { self[offset + $0] == part[$0] }
    }

    /// Where a code point begins, by its number; the number of bytes after the last one; nil
    /// further on.
    func offset(ofCodePoint number: Int) -> Int? {
        guard number >= 0, number <= count else { return nil }
        var left = number
        for offset in indices where self[offset] & 0xc0 != 0x80 {
            if left == 0 { return offset }
            left -= 1
        }
        return left == 0 ? count : nil
    }

    /// The number of bytes of the code point that begins at `offset`.
    @inline(__always)
    func codePointLength(at offset: Int) -> Int {
        var end = offset + 1
        while end < count, self[end] & 0xc0 == 0x80 {
            end += 1
        }
        return end - offset
    }

    /// Some of the bytes as a text.
    func text(_ range: Range<Int>) -> String {
        unsafe extracting(range).withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// The number of bytes of the white space that begins at `offset`, by Unicode's property of
    /// that name; 0 for anything else.
    @inline(__always)
    func blankLength(at offset: Int) -> Int {
        func next(_ distance: Int) -> UInt8 { offset + distance < count ? self[offset + distance] : 0 }
        switch self[offset] {
        case 0x09...0x0d, 0x20: return 1
        case 0xc2: return next(1) == 0x85 || next(1) == 0xa0 ? 2 : 0
        case 0xe1: return next(1) == 0x9a && next(2) == 0x80 ? 3 : 0
        case 0xe2:
            switch (next(1), next(2)) {
            case (0x80, 0x80...0x8a), (0x80, 0xa8), (0x80, 0xa9), (0x80, 0xaf), (0x81, 0x9f): return 3
            default: return 0
            }
        case 0xe3: return next(1) == 0x80 && next(2) == 0x80 ? 3 : 0
        default: return 0
        }
    }
}

/// The order of two byte strings: negative, zero or positive.
func compare(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Int {
    guard let first = a.baseAddress, let second = b.baseAddress else { return a.count - b.count }
    let order = unsafe memcmp(first, second, min(a.count, b.count))
    return order == 0 ? a.count - b.count : Int(order)
}
