internal import Definitions
internal import EventLoop
internal import Graphs
internal import Sessions
internal import HTTP
internal import TLS

/// A connection whose messages are those of a session, in whatever form.
///
/// However it ends (close, reset, end of stream, silence, broken protocol, slow reader, drain), the
/// session is closed in the turn in which the end is reported, only by ``Session/close(_:)``: at
/// the latest when the socket is closed, and earlier if it is known that the peer will not be
/// served any more.
class SessionConnection: Connection {
    /// The session; nil if there is none, and once it is closed.
    final var session: Session?

    final override var name: String { session.map { "c:\($0.number)" } ?? super.name }

    /// Makes the kernel close a connection whose peer has sent nothing for two heartbeats.
    final func watchPeer() {
        socket?.setUserTimeout(.milliseconds(Int64(2 * hub.times.heartbeat)))
    }

    override func drained() {
        session?.drained()
    }

    /// Closes the connection if its unsent bytes exceed the hard limit.
    final func checkHardLimit() {
        flush()
        guard unsentBytes > hub.host.limits.hardBytes, !isLingering else { return }
        finish(.slow, saying: .slow, "slow")
    }

    final override var holder: SlowPeers.Owner? { .of(session?.access?.name, at: address) }

    final override var waitingBytes: Int { super.waitingBytes + (session?.queuedBytes ?? 0) }

    final override var pendingBytes: Int { session?.pendingBytes ?? 0 }

    /// The session holds more, or less (``MessageTransport``).
    final func heldChanged() { noteHeld() }

    // MARK: - Ending

    final override func endSlow() {
        // Bytes that it has not read are in the way of a last message.
        if isBehind {
            endSession(.slow)
            reset()
        } else {
            finish(.slow, saying: .slow, "too many requests wait (limits.held)")
        }
    }

    /// Ends the connection from this side: the session is closed at once, a last message is sent,
    /// then the socket is closed.
    final func finish(_ reason: CloseReason, saying code: CloseCode, _ text: String = "") {
        keepName(session?.access?.name)
        endSession(reason)
        sayGoodbye(code, text)
        closeAfterWriting()
    }

    /// Writes the last message.
    func sayGoodbye(_ code: CloseCode, _ text: String) {}

    /// Called by the session when it ends by itself (``MessageTransport``).
    final func close(code: UInt16, reason: String) {
        guard socket != nil, !isLingering else { return }
        let code = CloseCode(rawValue: code)
        let why: CloseReason =
            switch code {
            case .normal: .closed
            case .slow: .slow
            case .unavailable: .shutdown
            case .heartbeatTimeout, .helloTimeout: .timeout
            default: .protocolError
            }
        finish(why, saying: code, reason)
    }

    override func peerEnded() {
        endSession(.reset)
        close()
    }

    /// The peer may have ended its side before this connection took over the socket.
    final func endIfPeerEnded() {
        if !isLingering, socket?.isPeerClosed == true { peerEnded() }
    }

    override func ended(_ error: UVError?) {
        endSession(error?.is(.timedOut) == true ? .timeout : .reset)
    }

    override func endByOperator() {
        finish(.closed, saying: .goingAway, "ended by the operator")
    }

    override func drain(after milliseconds: Int) {
        guard !isLingering else { return }
        if let session {
            session.shutDown(after: milliseconds)
        } else {
            finish(.shutdown, saying: .unavailable, "{\"after\":\(milliseconds)}")
        }
    }

    private func endSession(_ reason: CloseReason) {
        let session = session
        self.session = nil
        session?.close(reason)
    }
}
