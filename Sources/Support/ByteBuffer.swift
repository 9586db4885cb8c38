/// A growable run of bytes that messages, answers, frames and saved input are collected in.
///
/// It has one owner and no copies, so appending is a bounds check and a `memcpy`. What `bytes`
/// lends is valid until the next change. Capacity doubles and is given back only by
/// `removeAll(keepingCapacity: false)`.
@safe
public struct ByteBuffer: ~Copyable, ByteSink {
    @usableFromInline var base: UnsafeMutableRawPointer?
    @usableFromInline var capacity: Int

    /// How many bytes are held.
    @inlinable public var count: Int { length }
    @usableFromInline var length: Int

    /// Makes an empty buffer; memory is taken at the first append.
    public init() {
        unsafe base = nil
        capacity = 0
        length = 0
    }

    deinit {
        unsafe base?.deallocate()
    }

    /// Whether nothing is held.
    @inlinable public var isEmpty: Bool { count == 0 }

    /// The bytes held, lent until the next change of the buffer.
    @inlinable public var bytes: BorrowedBytes {
        unsafe BorrowedBytes(start: base, count: count)
    }

    /// The text held, with replacement characters where it is not UTF-8.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The bytes held, for changing them in place; lent until the next change of the buffer.
    public var mutableBytes: UnsafeMutableRawBufferPointer {
        unsafe UnsafeMutableRawBufferPointer(start: base, count: count)
    }

    /// Makes room for `more` bytes and returns where they go.
    ///
    /// They count only after `commit`.
    @inlinable
    @inline(__always)
    public mutating func reserve(_ more: Int) -> UnsafeMutableRawPointer {
        if unsafe _slowPath(count &+ more > capacity || base == nil) {
            grow(to: count + more)
        }
        return unsafe base.unsafelyUnwrapped + count
    }

    /// Counts `more` bytes that the caller has written at the place `reserve` returned.
    public mutating func commit(_ more: Int) {
        precondition(more >= 0 && count + more <= capacity, "committed more than was reserved")
        length += more
    }

    @inlinable
    public mutating func append(_ source: BorrowedBytes) {
        guard let start = unsafe source.baseAddress, source.count > 0 else { return }
        unsafe reserve(source.count).copyMemory(from: start, byteCount: source.count)
        length &+= source.count
    }

    @inlinable
    @inline(__always)
    public mutating func append(_ text: StaticString) {
        let size = text.utf8CodeUnitCount
        unsafe reserve(size).copyMemory(from: text.utf8Start, byteCount: size)
        length &+= size
    }

    @inlinable
    @inline(__always)
    public mutating func append(_ byte: UInt8) {
        unsafe reserve(1).storeBytes(of: byte, as: UInt8.self)
        length &+= 1
    }

    /// Appends the UTF-8 of `text`.
    ///
    /// Not for the hot path.
    public mutating func append(utf8 text: String) {
        text.withBorrowedBytes { append($0) }
    }

    @inlinable
    public mutating func append(_ array: [UInt8]) {
        array.withBorrowedBytes { append($0) }
    }

    @inlinable
    public mutating func append(decimal number: some FixedWidthInteger) {
        if number < 0 {
            append("-")
        }
        append(decimal: UInt64(number.magnitude))
    }

    public mutating func append(decimal number: UInt64) {
        let digits = Self.digits(of: number)
        unsafe Self.write(number, digits, at: reserve(digits))
        length &+= digits
    }

    /// Replaces bytes that are held by `number` in decimal digits.
    public mutating func replace(at place: Int, decimal number: UInt64) {
        let digits = Self.digits(of: number)
        precondition(place >= 0 && place + digits <= count, "replaced more than is held")
        unsafe Self.write(number, digits, at: base.unsafelyUnwrapped + place)
    }

    /// Replaces bytes that are held by `size` others that are held.
    public mutating func `repeat`(_ size: Int, from source: Int, at place: Int) {
        precondition(size >= 0 && min(source, place) >= 0 && max(source, place) + size <= count)
        let start = unsafe base.unsafelyUnwrapped
        unsafe (start + place).copyMemory(from: start + source, byteCount: size)
    }

    @inline(__always)
    private static func write(_ number: UInt64, _ digits: Int, at place: UnsafeMutableRawPointer) {
        let pairs = unsafe UnsafeRawPointer(pairs.utf8Start)
        var rest = number
        var index = digits
        while rest >= 10 {
            index &-= 2
            let pair = unsafe pairs.loadUnaligned(fromByteOffset: Int(rest % 100) &* 2, as: UInt16.self)
            unsafe place.storeBytes(of: pair, toByteOffset: index, as: UInt16.self)
            rest /= 100
        }
        if index > 0 {
            unsafe place.storeBytes(of: UInt8(truncatingIfNeeded: 48 &+ rest), as: UInt8.self)
        }
    }

    /// The numbers from 0 to 99 with two digits each.
    private static var pairs: StaticString {
        """
        0001020304050607080910111213141516171819\
        2021222324252627282930313233343536373839\
        4041424344454647484950515253545556575859\
        6061626364656667686970717273747576777879\
        8081828384858687888990919293949596979899
        """
    }

    /// How many decimal digits a number has: by halves, because most are short or times.
    @inline(__always)
    public static func digits(of number: UInt64) -> Int {
        var (rest, digits) = (number, 1)
        if rest >= 10_000_000_000_000_000 { (rest, digits) = (rest / 10_000_000_000_000_000, digits &+ 16) }
        if rest >= 100_000_000 { (rest, digits) = (rest / 100_000_000, digits &+ 8) }
        if rest >= 10_000 { (rest, digits) = (rest / 10_000, digits &+ 4) }
        if rest >= 100 { (rest, digits) = (rest / 100, digits &+ 2) }
        return rest >= 10 ? digits &+ 1 : digits
    }

    public mutating func append(hexadecimal number: UInt64) {
        let digits = max(1, (67 - number.leadingZeroBitCount) / 4)
        for shift in stride(from: digits * 4 - 4, through: 0, by: -4) {
            append(ASCII.hexadecimalDigit(UInt8(truncatingIfNeeded: number >> UInt64(shift)) & 15))
        }
    }

    /// Takes the first `size` bytes away, as after a partial write; what is left moves to the
    /// front.
    public mutating func removeFirst(_ size: Int) {
        precondition(size >= 0 && size <= length, "removed more than is held")
        length -= size
        if length > 0, size > 0, let base = unsafe base {
            unsafe base.copyMemory(from: base + size, byteCount: length)
        }
    }

    /// Takes away everything after the first `size` bytes.
    public mutating func truncate(to size: Int) {
        precondition(size >= 0 && size <= length, "truncated to more than is held")
        length = size
    }

    /// Forgets everything.
    public mutating func removeAll(keepingCapacity: Bool = true) {
        length = 0
        if !keepingCapacity {
            unsafe base?.deallocate()
            unsafe base = nil
            capacity = 0
        }
    }

    /// Forgets everything, and gives the memory back where it is larger than `limitBytes`.
    public mutating func removeAll(keepingAtMost limitBytes: Int) {
        removeAll(keepingCapacity: capacity <= limitBytes)
    }

    @inline(never)
    @usableFromInline
    mutating func grow(to wanted: Int) {
        var size = max(capacity * 2, 64)
        while size < wanted {
            size *= 2
        }
        let place = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        if let base = unsafe base {
            unsafe place.copyMemory(from: base, byteCount: count)
            unsafe base.deallocate()
        }
        unsafe base = place
        capacity = size
    }
}
