internal import CZlib
public import Support

/// The content coding `gzip` (RFC 9110 §8.4.1.3), for answers whose bytes are all at hand.
public enum Gzip {
    /// `bytes`, compressed; no time and no name are noted, so that equal bytes give equal ones.
    public static func compress(_ bytes: BorrowedBytes) -> [UInt8] {
        var stream = unsafe z_stream()
        // 16 more than the window asks zlib for the form of RFC 1952.
        let code = unsafe deflateInit2_(
            &stream,
            Z_BEST_COMPRESSION,
            Z_DEFLATED,
            15 + 16,
            9,
            Z_DEFAULT_STRATEGY,
            ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size)
        )
        precondition(code == Z_OK, "zlib cannot be set up")
        defer { unsafe deflateEnd(&stream) }
        let room = unsafe Int(deflateBound(&stream, UInt(bytes.count)))
        return unsafe [UInt8](unsafeUninitializedCapacity: room) { output, count in
            // zlib reads only.
            unsafe stream.next_in = unsafe UnsafeMutablePointer(
                mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            )
            unsafe stream.avail_in = UInt32(bytes.count)
            unsafe stream.next_out = output.baseAddress
            unsafe stream.avail_out = UInt32(room)
            let end = unsafe deflate(&stream, Z_FINISH)
            precondition(end == Z_STREAM_END, "zlib's bound is too small")
            count = unsafe room - Int(stream.avail_out)
        }
    }
}
