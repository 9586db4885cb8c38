/// Bytes that another value owns, lent for the length of a call.
///
/// A function may read them until it returns, and copies what it keeps. Every access is checked
/// against their bounds. Their lifetime is not: `Span` would have it checked, but can be neither
/// stored nor returned yet. Making them of a pointer and asking for one is `unsafe`.
@safe
@frozen
public struct BorrowedBytes: RandomAccessCollection {
    /// The memory, for C and for code that has checked its places already.
    public let buffer: UnsafeRawBufferPointer

    /// No bytes.
    @inlinable public init() { unsafe buffer = UnsafeRawBufferPointer(start: nil, count: 0) }

    /// The bytes of memory that outlives the call.
    @inlinable public init(_ buffer: UnsafeRawBufferPointer) { unsafe self.buffer = buffer }

    /// The bytes of memory that outlives the call.
    @inlinable public init(_ buffer: UnsafeBufferPointer<UInt8>) {
        unsafe self.buffer = UnsafeRawBufferPointer(buffer)
    }

    /// `count` bytes of memory that outlives the call.
    @inlinable public init(start: UnsafeRawPointer?, count: Int) {
        unsafe buffer = UnsafeRawBufferPointer(start: start, count: count)
    }

    /// The UTF-8 bytes of a literal, which are there for good.
    @inlinable public init(_ text: StaticString) {
        unsafe buffer = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }

    /// A part of other bytes, counted from 0.
    @inlinable
    @inline(__always)
    public init(rebasing part: Slice<BorrowedBytes>) {
        self = part.base.part(part.startIndex..<part.endIndex)
    }

    /// The bytes in a range, counted from 0.
    @inlinable
    @inline(__always)
    public func part(_ range: Range<Int>) -> BorrowedBytes {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "no such bytes")
        guard let base = unsafe buffer.baseAddress else { return self }
        return unsafe BorrowedBytes(start: base + range.lowerBound, count: range.count)
    }

    /// The bytes from a place on, counted from 0.
    @inlinable
    @inline(__always)
    public func part(_ range: PartialRangeFrom<Int>) -> BorrowedBytes { part(range.lowerBound..<count) }

    /// The first bytes, up to a place.
    @inlinable
    @inline(__always)
    public func part(_ range: PartialRangeUpTo<Int>) -> BorrowedBytes { part(0..<range.upperBound) }

    /// Where a part of these bytes begins, counted from 0; nil if it is not one.
    public func offset(of part: BorrowedBytes) -> Int? {
        guard let base = unsafe buffer.baseAddress, let start = unsafe part.buffer.baseAddress,
            unsafe start >= base, unsafe start + part.count <= base + count
        else {
            return nil
        }
        return unsafe start - base
    }

    /// Where the bytes are; nil for none.
    @inlinable public var baseAddress: UnsafeRawPointer? { unsafe buffer.baseAddress }

    @inlinable public var startIndex: Int { 0 }
    @inlinable public var endIndex: Int { count }
    @inlinable public var count: Int { unsafe buffer.count }

    @inlinable
    @inline(__always)
    public subscript(place: Int) -> UInt8 {
        precondition(UInt(bitPattern: place) < UInt(bitPattern: count), "no such byte")
        return unsafe buffer.baseAddress.unsafelyUnwrapped.load(fromByteOffset: place, as: UInt8.self)
    }

    /// The number that stands at a place, which need not be aligned.
    @inlinable
    @inline(__always)
    public func load<Number: FixedWidthInteger & BitwiseCopyable>(
        at place: Int,
        as type: Number.Type
    ) -> Number {
        precondition(place >= 0 && place <= count - MemoryLayout<Number>.size, "no such bytes")
        return unsafe buffer.loadUnaligned(fromByteOffset: place, as: type)
    }

    /// Reads bytes one after another.
    @frozen
    @safe
    public struct Iterator: IteratorProtocol {
        @usableFromInline var rest: UnsafeRawBufferPointer.Iterator

        @inlinable init(_ bytes: BorrowedBytes) { unsafe rest = bytes.buffer.makeIterator() }

        @inlinable
        @inline(__always)
        public mutating func next() -> UInt8? { unsafe rest.next() }
    }

    @inlinable public func makeIterator() -> Iterator { Iterator(self) }

    @inlinable
    public func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? {
        try unsafe buffer.withMemoryRebound(to: UInt8.self) { try unsafe body($0) }
    }
}

extension Hasher {
    /// Feeds the bytes.
    @inlinable
    public mutating func combine(_ bytes: BorrowedBytes) { unsafe combine(bytes: bytes.buffer) }
}

extension Array where Element == UInt8 {
    /// Lends the bytes.
    @inlinable
    @inline(__always)
    public func withBorrowedBytes<Result, Failure: Error>(
        _ body: (BorrowedBytes) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe withUnsafeBufferPointer { bytes throws(Failure) in
            try unsafe body(BorrowedBytes(bytes))
        }
    }
}

extension ArraySlice where Element == UInt8 {
    /// Lends the bytes.
    @inlinable
    @inline(__always)
    public func withBorrowedBytes<Result, Failure: Error>(
        _ body: (BorrowedBytes) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe withUnsafeBufferPointer { bytes throws(Failure) in
            try unsafe body(BorrowedBytes(bytes))
        }
    }
}

extension String {
    /// Lends the UTF-8 bytes.
    @inlinable
    @inline(__always)
    public func withBorrowedBytes<Result, Failure: Error>(
        _ body: (BorrowedBytes) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var text = self
        let result: Swift.Result<Result, Failure> = text.withUTF8 { bytes in
            do throws(Failure) {
                return .success(try unsafe body(BorrowedBytes(bytes)))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}

extension [UInt8] {
    /// Appends the bytes of a number, the lowest first.
    @inlinable
    public mutating func append<Number: FixedWidthInteger>(littleEndian number: Number) {
        for shift in stride(from: 0, to: Number.bitWidth, by: 8) {
            append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }
}
