internal import CZlib

/// The content coding `gzip` (RFC 9110 §8.4.1.3), for answers whose bytes are all at hand.
public enum Gzip {
    /// `bytes`, compressed; no time and no name are noted, so that equal bytes give equal ones.
    public static func compress(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var stream = z_stream()
        // 16 more than the window asks zlib for the form of RFC 1952.
        let code = deflateInit2_(
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
        defer { deflateEnd(&stream) }
        let room = Int(deflateBound(&stream, UInt(bytes.count)))
        return [UInt8](unsafeUninitializedCapacity: room) { output, count in
            // zlib reads only.
            stream.next_in = UnsafeMutablePointer(
                mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            )
            stream.avail_in = UInt32(bytes.count)
            stream.next_out = output.baseAddress
            stream.avail_out = UInt32(room)
            let end = deflate(&stream, Z_FINISH)
            precondition(end == Z_STREAM_END, "zlib's bound is too small")
            count = room - Int(stream.avail_out)
        }
    }
}
