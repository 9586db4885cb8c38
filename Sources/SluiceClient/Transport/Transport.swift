#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// How a client reaches its server: a WebSocket.
///
/// `NIOTransport` and `URLSessionTransport` are two; tests have others.
public protocol Transport: Sendable {
    /// Opens a WebSocket with the subprotocol `sluice.v1.json`, and returns when it has ended.
    ///
    /// Cancelling the task closes it. Pings are answered here.
    ///
    /// - Parameters:
    ///   - url: the address, with the scheme `ws` or `wss`.
    ///   - opened: receives the connection once, before anything is received.
    ///   - received: receives each text message. Nothing more is read from the network before it
    ///     returns, so a client that is slow slows the server down.
    /// - Returns: how the connection has ended.
    /// - Throws: an error that says why there is no connection.
    func run(
        _ url: URL,
        opened: @Sendable (any TransportConnection) async -> Void,
        received: @Sendable (String) async -> Void
    ) async throws -> ConnectionEnd
}

/// An open WebSocket.
public protocol TransportConnection: Sendable {
    /// Sends a text message after those before it, without waiting. If the connection has ended, or
    /// ends before the message is sent, it is lost.
    func send(_ text: String)
}

/// How a WebSocket has ended.
public struct ConnectionEnd: Sendable, Hashable {
    /// The close code; 1006 without one.
    public var code: Int
    /// The reason that came with the code.
    public var reason: String

    /// Makes an end.
    public init(code: Int = 1006, reason: String = "") {
        self.code = code
        self.reason = reason
    }
}

/// What speaks WebSocket on this system; `nil` where the program has to bring a ``Transport``.
func systemTransport() -> (any Transport)? {
    #if NIO
        NIOTransport()
    #elseif canImport(Darwin)
        URLSessionTransport()
    #else
        nil
    #endif
}
