import CLLHTTP
internal import Support

/// The body of a message: lent from the input while it lies there in one piece, otherwise
/// collected.
@safe struct BodyStore: ~Copyable {
    var base: UnsafeRawPointer?
    var count = 0
    var saved = ByteBuffer()
    var isSaved = false

    mutating func removeAll() {
        unsafe base = nil
        count = 0
        isSaved = false
        saved.removeAll(keepingCapacity: false)
    }

    @inline(__always)
    mutating func append(_ start: UnsafeRawPointer, _ length: Int) {
        if count == 0, !isSaved {
            unsafe base = unsafe start
        } else if unsafe isSaved || base.unsafelyUnwrapped + count != start {
            save()
            unsafe saved.append(BorrowedBytes(start: start, count: length))
            unsafe base = unsafe UnsafeRawPointer(saved.bytes.baseAddress)
        }
        count &+= length
    }

    /// Puts other bytes in the body's place.
    mutating func replace(with bytes: consuming ByteBuffer) {
        saved = bytes
        isSaved = true
        unsafe base = unsafe UnsafeRawPointer(saved.bytes.baseAddress)
        count = saved.count
    }

    /// Moves a lent body into own memory.
    ///
    /// It takes no more than what has come: a peer may announce a body and send none.
    mutating func save() {
        guard !isSaved else { return }
        isSaved = true
        unsafe saved.append(BorrowedBytes(start: base, count: count))
        unsafe base = unsafe UnsafeRawPointer(saved.bytes.baseAddress)
    }
}
