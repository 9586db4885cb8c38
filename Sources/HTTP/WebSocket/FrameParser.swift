internal import Support

/// Reads frames from bytes: headers one after the other, and the pieces of their payloads, unmasked
/// in place.
///
/// Nothing is buffered but an unfinished header (14 bytes at most), and no allocation is made. What
/// a frame may be in the course of a message is `MessageAssembler`'s affair; a single frame's rules
/// are checked here, its declared length before a byte of payload is read.
public struct FrameParser: Sendable {
    /// Which side this parser reads on.
    public enum Role: Sendable {
        /// Reads a client's frames, which must be masked.
        case server
        /// Reads a server's frames, which must not be masked.
        case client
    }

    /// What stopped `parse`.
    @safe public enum Step {
        /// The input is used up.
        case more
        /// A frame begins.
        ///
        /// A frame without payload is complete with this step.
        case header(FrameHeader)
        /// The next piece of its payload, in the input's own memory; `isLast` ends the frame.
        case payload(UnsafeMutableRawBufferPointer, isLast: Bool)
        /// The peer broke the protocol.
        ///
        /// Nothing more is parsed.
        case failed(FrameFailure)
    }

    let role: Role
    /// Up to 14 bytes of a header, in wire order, and how many of them there are.
    private var partial: (UInt64, UInt64) = (0, 0)
    private var partialCount = 0
    private var header = FrameHeader(opcode: .text, length: 0)
    private var remaining = 0
    private var failure: FrameFailure?

    /// The largest payload of one frame.
    public var limitBytes: Int
    /// Whether the first reserved bit may be set: only where permessage-deflate was agreed on.
    public var allowsCompression = false

    /// Makes a parser for one connection.
    /// - Parameters:
    ///   - role: the side it reads on.
    ///   - limitBytes: the largest payload of a frame; a larger declared one fails with 1009.
    public init(role: Role, limitBytes: Int) {
        self.role = role
        self.limitBytes = limitBytes
    }

    /// Whether a frame has begun and is not complete (time limit: unfinished frame).
    public var isMidFrame: Bool { partialCount > 0 || remaining > 0 }

    /// Takes bytes from the front of `input`, up to the next step.
    ///
    /// Payload bytes are changed in place.
    public mutating func parse(_ input: inout UnsafeMutableRawBufferPointer) -> Step {
        if let failure { return .failed(failure) }
        guard input.count > 0 else { return .more }
        if remaining > 0 { return unsafe takePayload(&input) }
        if partialCount == 0 {
            // The usual case: the whole header lies in the input.
            let size = unsafe Self.headerBytes(BorrowedBytes(UnsafeRawBufferPointer(input)))
            if size <= input.count {
                let step = unsafe begin(BorrowedBytes(start: input.baseAddress, count: size))
                unsafe input = unsafe UnsafeMutableRawBufferPointer(rebasing: input[size...])
                return step
            }
        }
        return unsafe collectHeader(&input)
    }

    private mutating func takePayload(_ input: inout UnsafeMutableRawBufferPointer) -> Step {
        let piece = unsafe UnsafeMutableRawBufferPointer(rebasing: input[..<min(remaining, input.count)])
        if let mask = header.mask {
            unsafe Masking.apply(piece, mask: mask, offset: header.length &- remaining)
        }
        remaining &-= piece.count
        unsafe input = unsafe UnsafeMutableRawBufferPointer(rebasing: input[piece.count...])
        return unsafe .payload(piece, isLast: remaining == 0)
    }

    private mutating func collectHeader(_ input: inout UnsafeMutableRawBufferPointer) -> Step {
        while let byte = unsafe input.first {
            unsafe input = unsafe UnsafeMutableRawBufferPointer(rebasing: input.dropFirst())
            unsafe withUnsafeMutableBytes(of: &partial) { unsafe $0[partialCount] = byte }
            partialCount += 1
            let partial = partial
            let count = partialCount
            let whole = unsafe withUnsafeBytes(of: partial) { bytes -> Step? in
                let held = unsafe BorrowedBytes(bytes).part(..<count)
                // What the first bytes already rule out is not waited for.
                if let failure = rejection(held) { return fail(failure) }
                return Self.headerBytes(held) == count ? begin(held) : nil
            }
            if let whole {
                partialCount = 0
                return whole
            }
        }
        return .more
    }

    /// How long the header is that begins with these bytes, as far as they say: at least 2.
    private static func headerBytes(_ bytes: BorrowedBytes) -> Int {
        guard bytes.count >= 2 else { return 2 }
        let mask = bytes[1] & 0x80 != 0 ? 4 : 0
        return switch bytes[1] & 0x7F {
        case 126: 4 + mask
        case 127: 10 + mask
        default: 2 + mask
        }
    }

    /// What is wrong with the first one or two bytes of a header, or nil.
    private func rejection(_ bytes: BorrowedBytes) -> FrameFailure? {
        let first = bytes[0]
        let opcode = Opcode(rawValue: first & 0x0F)
        guard opcode.isKnown else { return Self.protocolError("unknown opcode") }
        let isCompressed = first & 0x40 != 0
        if first & 0x30 != 0
            || (isCompressed && !(allowsCompression && (opcode == .text || opcode == .binary)))
        {
            return Self.protocolError("a reserved bit is set")
        }
        if opcode.isControl, first & 0x80 == 0 {
            return Self.protocolError("a control frame is fragmented")
        }
        guard bytes.count >= 2 else { return nil }
        if opcode.isControl, bytes[1] & 0x7F > 125 {
            return Self.protocolError("a control frame is longer than 125 bytes")
        }
        let isMasked = bytes[1] & 0x80 != 0
        if isMasked != (role == .server) {
            return Self.protocolError(
                isMasked ? "a server's frame is masked" : "a client's frame is not masked"
            )
        }
        return nil
    }

    /// Reads a whole header.
    private mutating func begin(_ bytes: BorrowedBytes) -> Step {
        if let failure = rejection(bytes) { return fail(failure) }
        var length = UInt64(bytes[1] & 0x7F)
        var place = 2
        if length == 126 {
            length = UInt64(UInt16(bigEndian: bytes.load(at: 2, as: UInt16.self)))
            place = 4
            guard length > 125 else {
                return fail(Self.protocolError("a length is not in its shortest form"))
            }
        } else if length == 127 {
            length = UInt64(bigEndian: bytes.load(at: 2, as: UInt64.self))
            place = 10
            guard length > 0xFFFF, length >> 63 == 0 else {
                return fail(Self.protocolError("a length is not in its shortest form"))
            }
        }
        guard length <= UInt64(limitBytes) else {
            return fail(FrameFailure(code: .messageTooBig, reason: "message too big"))
        }
        let mask =
            bytes[1] & 0x80 != 0
            ? UInt32(littleEndian: bytes.load(at: place, as: UInt32.self)) : nil
        header = FrameHeader(
            isFinal: bytes[0] & 0x80 != 0,
            isCompressed: bytes[0] & 0x40 != 0,
            opcode: Opcode(rawValue: bytes[0] & 0x0F),
            length: Int(length),
            mask: mask
        )
        remaining = Int(length)
        return .header(header)
    }

    private mutating func fail(_ failure: FrameFailure) -> Step {
        self.failure = failure
        return .failed(failure)
    }

    private static func protocolError(_ reason: String) -> FrameFailure {
        FrameFailure(code: .protocolError, reason: reason)
    }
}
