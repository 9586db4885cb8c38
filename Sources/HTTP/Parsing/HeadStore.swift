internal import Support

/// One header field: where its name and value stand, counted from the first byte of the message.
struct FieldSlice {
    var name: UInt32
    var nameLength: UInt32
    var value: UInt32
    var valueLength: UInt32
    var known: HeaderName
}

/// Where the head of a message lies and what is in it.
///
/// Nothing is copied while a head arrives in one piece: slices are offsets from the message's first
/// byte, and `base` is the lent input. Only a head that is cut off by the end of the input moves
/// into `saved`; the offsets stay right.
///
/// Invariants:
/// - offsets count raw bytes of the message, so a name or value that arrives in pieces is
///   contiguous;
/// - `first[n]` is 1 + the index of the first field known as `n`, 0 if there is none;
/// - while `isSaved`, `saved` holds the message from its first byte and `base` is its address.
@safe struct HeadStore: ~Copyable {
    var base: UnsafePointer<UInt8>?
    var isSaved = false
    var saved = ByteBuffer()

    var fields: UnsafeMutablePointer<FieldSlice>
    var fieldCount = 0
    var fieldCapacity: Int
    /// Index by `HeaderName.rawValue`; `HeaderName.end` of them.
    let first: UnsafeMutablePointer<UInt16>

    init() {
        fieldCapacity = 12
        unsafe fields = .allocate(capacity: fieldCapacity)
        unsafe first = .allocate(capacity: HeaderName.end)
        unsafe first.initialize(repeating: 0, count: HeaderName.end)
    }

    deinit {
        unsafe fields.deallocate()
        unsafe first.deallocate()
    }

    mutating func removeAll() {
        removeBytes()
        fieldCount = 0
        unsafe first.update(repeating: 0, count: HeaderName.end)
    }

    /// Forgets where the bytes are.
    mutating func removeBytes() {
        unsafe base = nil
        isSaved = false
        saved.removeAll(keepingCapacity: false)
    }

    /// Adds a field whose name begins at `offset`.
    @inline(__always)
    mutating func addField(at offset: Int, nameLength: Int) {
        if fieldCount == fieldCapacity {
            growFields()
        }
        unsafe fields[fieldCount] = FieldSlice(
            name: UInt32(truncatingIfNeeded: offset),
            nameLength: UInt32(truncatingIfNeeded: nameLength),
            value: 0,
            valueLength: 0,
            known: .unknown
        )
        fieldCount &+= 1
    }

    @inline(never)
    private mutating func growFields() {
        let larger = UnsafeMutablePointer<FieldSlice>.allocate(capacity: fieldCapacity * 2)
        unsafe larger.moveInitialize(from: fields, count: fieldCount)
        unsafe fields.deallocate()
        unsafe fields = unsafe larger
        fieldCapacity *= 2
    }

    /// The bytes of a slice; lent like the head itself.
    @inline(__always)
    func bytes(_ offset: UInt32, _ length: UInt32) -> BorrowedBytes {
        unsafe BorrowedBytes(start: base.unsafelyUnwrapped + Int(offset), count: Int(length))
    }

    @inline(__always)
    func value(at index: Int) -> BorrowedBytes {
        unsafe bytes(fields[index].value, fields[index].valueLength)
    }

    /// The value of the first field known as `name`.
    @inline(__always)
    func value(_ name: HeaderName) -> BorrowedBytes? {
        let index = unsafe first[Int(name.rawValue)]
        return index == 0 ? nil : value(at: Int(index) &- 1)
    }
}
