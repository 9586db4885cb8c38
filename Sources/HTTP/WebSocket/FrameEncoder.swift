public import Support

/// Writes frames (RFC 6455 §5.2): unmasked as a server must, masked as a client must.
public enum FrameEncoder {
    /// The longest header, in bytes.
    public static let maximumHeaderBytes = 14

    /// Appends a frame.
    /// - Parameters:
    ///   - opcode: what it carries. Control frames take 125 bytes at most.
    ///   - payload: its payload, unmasked.
    ///   - isFinal: whether it ends its message.
    ///   - isCompressed: whether the first reserved bit is set.
    ///   - mask: for a client, four unpredictable bytes; nil for a server.
    ///   - buffer: what it is appended to.
    public static func append(
        _ opcode: Opcode,
        _ payload: BorrowedBytes,
        isFinal: Bool = true,
        isCompressed: Bool = false,
        mask: UInt32? = nil,
        to buffer: inout ByteBuffer
    ) {
        precondition(
            !opcode.isControl || (payload.count <= 125 && isFinal),
            "a control frame is short and whole"
        )
        appendHeader(
            FrameHeader(
                isFinal: isFinal,
                isCompressed: isCompressed,
                opcode: opcode,
                length: payload.count,
                mask: mask
            ),
            to: &buffer
        )
        let start = buffer.count
        buffer.append(payload)
        if let mask {
            unsafe Masking.apply(
                UnsafeMutableRawBufferPointer(rebasing: buffer.mutableBytes[start...]),
                mask: mask,
                offset: 0
            )
        }
    }

    /// Appends only a header; the caller appends the payload, masked if the header says so.
    public static func appendHeader(_ header: FrameHeader, to buffer: inout ByteBuffer) {
        let place = unsafe buffer.reserve(maximumHeaderBytes)
        unsafe buffer.commit(writeHeader(header, to: place))
    }

    /// Writes a header to `place`, which has room for `maximumHeaderBytes`.
    /// - Returns: its length.
    public static func writeHeader(_ header: FrameHeader, to place: UnsafeMutableRawPointer) -> Int {
        let first = (header.isFinal ? 0x80 : 0) | (header.isCompressed ? 0x40 : 0) | header.opcode.rawValue
        let flag: UInt8 = header.mask == nil ? 0 : 0x80
        unsafe place.storeBytes(of: first, as: UInt8.self)
        var count: Int
        if header.length <= 125 {
            unsafe place.storeBytes(
                of: flag | UInt8(truncatingIfNeeded: header.length),
                toByteOffset: 1,
                as: UInt8.self
            )
            count = 2
        } else if header.length <= 0xFFFF {
            unsafe place.storeBytes(of: flag | 126, toByteOffset: 1, as: UInt8.self)
            unsafe place.storeBytes(of: UInt16(header.length).bigEndian, toByteOffset: 2, as: UInt16.self)
            count = 4
        } else {
            unsafe place.storeBytes(of: flag | 127, toByteOffset: 1, as: UInt8.self)
            unsafe place.storeBytes(of: UInt64(header.length).bigEndian, toByteOffset: 2, as: UInt64.self)
            count = 10
        }
        if let mask = header.mask {
            unsafe place.storeBytes(of: mask.littleEndian, toByteOffset: count, as: UInt32.self)
            count += 4
        }
        return count
    }

    /// Appends a close frame.
    ///
    /// The reason is cut at a character's end so that it fits into 123 bytes.
    /// - Parameters:
    ///   - code: one that may be sent, or `noneGiven` for a frame without a code.
    ///   - reason: for people.
    ///   - mask: for a client, four unpredictable bytes; nil for a server.
    ///   - buffer: what it is appended to.
    public static func appendClose(
        _ code: CloseCode,
        reason: String = "",
        mask: UInt32? = nil,
        to buffer: inout ByteBuffer
    ) {
        var payload = ByteBuffer()
        if code != .noneGiven {
            precondition(code.mayBeSent, "a close code that must not be sent")
            payload.append(UInt8(code.rawValue >> 8))
            payload.append(UInt8(code.rawValue & 0xFF))
            var text = reason
            while text.utf8.count > 123 {
                text.unicodeScalars.removeLast()
            }
            payload.append(utf8: text)
        }
        append(.close, payload.bytes, mask: mask, to: &buffer)
    }
}
