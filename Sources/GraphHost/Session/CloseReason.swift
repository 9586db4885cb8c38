/// Why a session ends.
///
/// The teardown is the same for all; the reason is for logs.
public struct CloseReason: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    /// A reason with that spelling.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let closed = Self(rawValue: "closed")
    /// The socket ended without a close frame: a reset, or the end of the stream.
    public static let reset = Self(rawValue: "reset")
    /// The peer did not answer.
    public static let timeout = Self(rawValue: "timeout")
    public static let protocolError = Self(rawValue: "protocol")
    /// The peer did not read.
    public static let slow = Self(rawValue: "slow")
    /// The graph it listened to continues in another epoch.
    public static let epochLost = Self(rawValue: "epoch")
    /// The server is stopping.
    public static let shutdown = Self(rawValue: "shutdown")
}
