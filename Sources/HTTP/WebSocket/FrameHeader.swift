/// What stands before a frame's payload (RFC 6455 §5.2).
public struct FrameHeader: Equatable, Sendable {
    /// Whether the frame ends its message.
    public var isFinal: Bool
    /// The first reserved bit, which permessage-deflate uses.
    public var isCompressed: Bool
    public var opcode: Opcode
    /// The payload, in bytes.
    public var length: Int
    /// The four mask bytes in wire order, the first in the lowest bits; nil for an unmasked frame.
    public var mask: UInt32?

    public init(
        isFinal: Bool = true,
        isCompressed: Bool = false,
        opcode: Opcode,
        length: Int,
        mask: UInt32? = nil
    ) {
        self.isFinal = isFinal
        self.isCompressed = isCompressed
        self.opcode = opcode
        self.length = length
        self.mask = mask
    }
}

/// Why a WebSocket is failed: the close code to send and a reason for people.
public struct FrameFailure: Error, Equatable, Sendable {
    public let code: CloseCode
    public let reason: String
}
