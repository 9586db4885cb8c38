/// Why a session ends.
///
/// The teardown is the same for all; the reason is for logs.
public enum CloseReason: String, Sendable {
    case closed
    /// The socket ended without a close frame: a reset, or the end of the stream.
    case reset
    /// The peer did not answer.
    case timeout
    case protocolError = "protocol"
    /// The peer did not read.
    case slow
    /// The graph it listened to continues in another epoch.
    case epochLost = "epoch"
    /// The server is stopping.
    case shutdown
}
