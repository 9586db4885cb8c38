internal import CZlib
public import Support

/// Compresses messages, one after the other, for permessage-deflate (RFC 7692 §7.2.1).
///
/// Memory is taken at the first message and given back with the deflater.
@safe public final class Deflater {
    private var stream: UnsafeMutablePointer<z_stream>?
    private let windowBits: Int32
    private let memoryLevel: Int32
    /// Whether messages refer to earlier ones; if so, everything that was compressed must be sent.
    public let keepsContext: Bool

    /// A deflater that has compressed nothing yet.
    /// - Parameters:
    ///   - windowBits: how far back it refers at most, as a power of two, 8 … 15.
    ///   - keepsContext: whether messages refer to earlier ones.
    public init(windowBits: Int = 15, keepsContext: Bool) {
        self.windowBits = Self.usedBits(windowBits)
        memoryLevel = Self.memoryLevel(self.windowBits)
        self.keepsContext = keepsContext
    }

    deinit {
        guard let stream = unsafe stream else { return }
        unsafe deflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// The memory a deflater with such a window takes, in bytes, rounded up (zconf.h).
    public static func memoryBytes(windowBits: Int) -> Int {
        let bits = usedBits(windowBits)
        return 1 << (bits + 2) + 1 << (memoryLevel(bits) + 9) + 8192
    }

    /// zlib knows no window of 2^8.
    ///
    /// In one of 2^9 it never refers back further than 2^9 - 262 bytes (MAX_DIST in its
    /// deflate.h), which is less than 2^8: so that serves.
    private static func usedBits(_ windowBits: Int) -> Int32 {
        Int32(min(max(windowBits, 9), 15))
    }

    /// Smaller windows get smaller tables, 8 being zlib's own choice for the largest.
    private static func memoryLevel(_ windowBits: Int32) -> Int32 {
        min(8, windowBits - 6)
    }

    /// Appends a message, compressed, without the four bytes that the RFC has taken away.
    public func deflate(_ message: BorrowedBytes, to output: inout ByteBuffer) {
        let stream = unsafe open()
        if !keepsContext { unsafe deflateReset(stream) }
        // zlib reads only.
        unsafe stream.pointee.next_in = unsafe UnsafeMutablePointer(
            mutating: message.baseAddress?.assumingMemoryBound(to: UInt8.self)
        )
        unsafe stream.pointee.avail_in = UInt32(message.count)
        // Room for all of it and for the mark at the end, so that one call is enough.
        let room = unsafe Int(deflateBound(stream, UInt(message.count))) + 32
        unsafe stream.pointee.next_out = unsafe output.reserve(room).assumingMemoryBound(to: UInt8.self)
        unsafe stream.pointee.avail_out = UInt32(room)
        let code = unsafe CZlib.deflate(stream, Z_SYNC_FLUSH)
        precondition(code == Z_OK || code == Z_BUF_ERROR, "zlib lost its way")
        unsafe precondition(
            stream.pointee.avail_in == 0 && stream.pointee.avail_out > 0,
            "zlib's bound is too small"
        )
        let made = unsafe room - Int(stream.pointee.avail_out)
        output.commit(made)
        if made >= 4 {
            output.truncate(to: output.count - 4)
        } else {
            // Nothing since the last mark, and so no mark: an empty message is one stored block
            // without its tail.
            output.append(UInt8(0))
        }
    }

    private func open() -> UnsafeMutablePointer<z_stream> {
        if let stream = unsafe stream { return unsafe stream }
        // zlib refers back to it: it must not move.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        let code = unsafe deflateInit2_(
            stream,
            Self.level,
            Z_DEFLATED,
            -windowBits,
            memoryLevel,
            Z_DEFAULT_STRATEGY,
            ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size)
        )
        precondition(code == Z_OK, "zlib cannot be set up")
        unsafe self.stream = unsafe stream
        return unsafe stream
    }

    /// zlib's own compromise.
    private static let level: Int32 = 6
}
