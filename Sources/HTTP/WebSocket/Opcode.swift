/// A frame's opcode, four bits (RFC 6455 §5.2).
public struct Opcode: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    public static let continuation = Opcode(rawValue: 0x0)
    public static let text = Opcode(rawValue: 0x1)
    public static let binary = Opcode(rawValue: 0x2)
    public static let close = Opcode(rawValue: 0x8)
    public static let ping = Opcode(rawValue: 0x9)
    public static let pong = Opcode(rawValue: 0xA)

    /// Whether the RFC gives the opcode a meaning; others are a protocol error.
    public var isKnown: Bool { rawValue <= 0x2 || (rawValue >= 0x8 && rawValue <= 0xA) }

    /// Whether it is a control frame: at most 125 bytes, never fragmented (RFC 6455 §5.5).
    public var isControl: Bool { rawValue & 0x8 != 0 }
}
