/// Where a session's messages go: one WebSocket, as the server sees it.
///
/// The sink owns the session's bytes from the moment they are sent. It calls ``Session/drained()`` when a peer
/// that was behind has caught up, and ``Session/close(_:)`` exactly once when the connection is gone, whatever
/// the reason.
public protocol MessageSink: AnyObject {
    /// Bytes handed to the sink that the kernel has not taken yet, unsent frames of this loop turn included.
    var unsentBytes: Int { get }

    /// Sends one complete text message. The bytes are lent for the call.
    func send(message: UnsafeRawBufferPointer)

    /// Sends one complete text message that many sinks get one after the other, and behind which this one gets no other in this
    /// turn: what one sink makes of it is good for all, and there is no reason to collect it.
    ///
    /// - Parameters:
    ///   - message: lent for the call.
    ///   - number: the same number means the same bytes.
    func send(shared message: UnsafeRawBufferPointer, number: UInt64)

    /// Says goodbye with a close code (docs/protocol.md, Errors) once everything sent so far has left. The sink calls
    /// ``Session/close(_:)`` then or later.
    func close(code: UInt16, reason: String)

    /// True: too much is pending, read nothing more from this peer. False: go on.
    func pauseReading(_ paused: Bool)
}

extension MessageSink {
    /// As any other message.
    public func send(shared message: UnsafeRawBufferPointer, number: UInt64) { send(message: message) }
}
