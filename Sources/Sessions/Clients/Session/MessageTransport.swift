public import Graphs
public import Values

/// Brings a session's messages to its client: a WebSocket, an event stream, a request that waits,
/// or a sink.
///
/// It frames them as its protocol needs it. It calls ``Session/drained()`` when a slow peer has
/// caught up, and ``Session/close(_:)`` exactly once when the connection is gone, for whatever
/// reason.
public protocol MessageTransport: AnyObject {
    /// Bytes that the transport has and the kernel has not taken yet, unsent messages of this loop
    /// turn included.
    var unsentBytes: Int { get }

    /// Passes the messages of this loop turn to the kernel.
    ///
    /// The peer has not taken what is unsent afterwards; once it has, the transport calls
    /// ``Session/drained()``.
    func flush()

    /// Sends one message, which is to be kept no longer than this call.
    func send(_ message: Outgoing)

    /// Sends a close code (docs/protocol.md, Errors) after everything sent so far. The transport
    /// calls ``Session/close(_:)`` then or later.
    func close(code: UInt16, reason: String)

    /// What the session holds for its client has changed: what it has queued
    /// (``Session/queuedBytes``) while the transport has more unsent than
    /// ``SessionLimits/softBytes``, or the requests that wait (``Session/pendingBytes``).
    func heldChanged()

    /// The access of a token that the client sends; nil if the server has no authentication.
    ///
    /// - Throws: `unauthenticated`, `token_expired`, `issuer_down` or `rate_limited`.
    func access(token: String) throws(HostError) -> Access?

    /// Whether a token must be checked elsewhere before ``access(token:)`` can be asked: then
    /// `done` is called with its result in a later turn, or never if the client is gone.
    func checksFirst(token: String, _ done: @escaping (Result<Access?, HostError>) -> Void) -> Bool

    /// Where the client is, as far as limits distinguish clients; nil: not in a network.
    var networkPlace: NetworkPlace? { get }

    /// The client changed values, or lacked a right.
    func acted(_ act: SessionAct)

    /// True: too much is pending, stop reading from this peer. False: continue.
    func pauseReading(_ paused: Bool)
}

extension MessageTransport {
    /// By default the client is not in a network.
    public var networkPlace: NetworkPlace? { nil }

    /// By default nothing is collected.
    public func flush() {}

    /// By default of no interest.
    public func heldChanged() {}

    /// By default of no interest.
    public func acted(_ act: SessionAct) {}

    /// By default there is no authentication.
    public func access(token: String) throws(HostError) -> Access? { nil }

    /// By default nothing is checked elsewhere.
    public func checksFirst(
        token: String,
        _ done: @escaping (Result<Access?, HostError>) -> Void
    ) -> Bool { false }
}
