/// Whether WebSocket messages may be compressed (RFC 7692), and at what price.
public enum CompressionMode: String, Sendable, CaseIterable {
    /// No offer is accepted.
    case off
    /// Every message is compressed by itself: one deflater and one inflater serve all connections
    /// of a loop.
    case on
    /// All four parameters are agreed on as offered, so that a connection may hold contexts of its
    /// own.
    case full
}
