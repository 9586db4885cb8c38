public import Graphs
public import Values

/// Receives a session's messages: a WebSocket, an event stream, or a request that waits.
///
/// It calls ``Session/drained()`` when a slow peer has caught up, and ``Session/close(_:)`` exactly
/// once when the connection is gone, for whatever reason.
public protocol MessageSink: AnyObject {
    /// Bytes that the sink has and the kernel has not taken yet, unsent messages of this loop turn
    /// included.
    var unsentBytes: Int { get }

    /// Passes the messages of this loop turn to the kernel.
    ///
    /// The peer has not taken what is unsent afterwards; once it has, the sink calls
    /// ``Session/drained()``.
    func flush()

    /// Sends one complete text message. The bytes are valid only during the call.
    func send(message: UnsafeRawBufferPointer)

    /// Sends one complete text message that many sinks get one after the other: the same number
    /// means the same bytes, which are valid only during the call.
    ///
    /// In this turn the session sends nothing else after it, so the sink need not collect messages.
    func send(shared message: UnsafeRawBufferPointer, number: UInt64)

    /// Sends a close code (docs/protocol.md, Errors) after everything sent so far. The sink calls
    /// ``Session/close(_:)`` then or later.
    func close(code: UInt16, reason: String)

    /// What the session holds for its client has changed: what it has queued
    /// (``Session/queuedBytes``) while the sink has more unsent than ``SessionLimits/softBytes``,
    /// or the requests that wait (``Session/pendingBytes``).
    func heldChanged()

    /// The access of a token that the client sends; nil if the server has no authentication.
    ///
    /// - Throws: `unauthenticated`, `token_expired` or `rate_limited`.
    func access(token: String) throws(HostError) -> Access?

    /// Where the client is, as far as limits distinguish clients; nil: not in a network.
    var networkPlace: NetworkPlace? { get }

    /// The client changed values, or lacked a right.
    func acted(_ act: SessionAct)

    /// True: too much is pending, stop reading from this peer. False: continue.
    func pauseReading(_ paused: Bool)
}

extension MessageSink {
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

    /// By default like any other message.
    public func send(shared message: UnsafeRawBufferPointer, number: UInt64) { send(message: message) }
}
