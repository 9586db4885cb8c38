internal import CZlib
internal import Support

/// Inflates a body in the content coding `gzip` (RFC 9110 §8.4.1.3), slice by slice.
///
/// Several members that follow each other are one body (RFC 1952 §2.2).
@safe final class Gunzip {
    /// How much is read and written in one slice, in bytes together.
    static let slice = 256 * 1024
    /// How much is given to zlib at once, which bounds its work.
    private static let piece = 16 * 1024

    // zlib refers back to it: it must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private var used = 0
    private var output = ByteBuffer()

    init() {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        // 16 more than the window asks zlib for the form of RFC 1952.
        let code = unsafe inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        precondition(code == Z_OK, "zlib cannot be set up")
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// The memory it takes at present, in bytes.
    var heldBytes: Int { output.count + Inflater.memoryBytes(windowBits: 15) }

    /// Inflates a slice of `body`, which is the same in each call but may have moved.
    func advance(_ body: BorrowedBytes, limitBytes: Int) -> RequestParser.Inflation {
        var work = 0
        while work < Self.slice {
            let given = min(body.count - used, Self.piece)
            // One byte beyond the limit shows that there is more.
            let room = min(Self.piece, max(1, limitBytes - output.count + 1))
            let start = unsafe body.part(used...).baseAddress
            unsafe stream.pointee.next_in = unsafe UnsafeMutablePointer(
                mutating: start?.assumingMemoryBound(to: UInt8.self)
            )
            unsafe stream.pointee.avail_in = UInt32(given)
            unsafe stream.pointee.next_out = unsafe output.reserve(room).assumingMemoryBound(to: UInt8.self)
            unsafe stream.pointee.avail_out = UInt32(room)
            let code = unsafe inflate(stream, Z_NO_FLUSH)
            let taken = unsafe given - Int(stream.pointee.avail_in)
            let made = unsafe room - Int(stream.pointee.avail_out)
            guard made <= limitBytes - output.count else { return .tooLarge }
            output.commit(made)
            used += taken
            work += taken + made
            switch code {
            case Z_STREAM_END where used == body.count: return .done
            case Z_STREAM_END: unsafe inflateReset(stream)
            // No progress is an error of its own (`Z_BUF_ERROR`): the body is cut off.
            case Z_OK: break
            default: return .malformed
            }
        }
        return .more
    }

    /// The inflated bytes, once all is done.
    func take() -> ByteBuffer {
        var taken = ByteBuffer()
        swap(&taken, &output)
        return taken
    }
}
