internal import EventLoop
internal import GraphHost
internal import HTTP

/// A connection whose messages are a session's, whatever they look like on the wire.
///
/// However it ends (goodbye, reset, end of stream, silence, broken protocol, slow reader, drain), the session is closed in
/// the same loop turn, by ``Session/close(_:)`` and nothing else: at the latest when the socket is, and before that as soon
/// as it is known that the peer will not be served any more.
class SessionConnection: Connection {
    /// What the client asked for; nil where nothing can be asked for, and once it is closed.
    @exclusivity(unchecked) final var session: Session?

    final override var name: String { session.map { "c:\($0.number)" } ?? super.name }

    /// Lets the kernel break the connection where it has heard nothing of the peer for two heartbeats.
    final func watchPeer() {
        socket?.setUserTimeout(.milliseconds(Int64(2 * server.times.heartbeat)))
    }

    override func drained() {
        session?.drained()
    }

    /// Messages pass the soft limit where they must, but no peer may pile up more than the hard one.
    final func checkHardLimit() {
        flush()
        guard unsentBytes > server.host.limits.hardBytes, !isLingering else { return }
        finish(.slow, saying: .slow, "slow")
    }

    // MARK: - Ending

    /// The one way to end from this side: the session goes now, the last word leaves, the socket follows.
    final func finish(_ reason: Session.CloseReason, saying code: CloseCode, _ text: String = "") {
        endSession(reason)
        sayGoodbye(code, text)
        closeAfterWriting()
    }

    /// Writes the last word.
    func sayGoodbye(_ code: CloseCode, _ text: String) {}

    /// What the session asks for when it ends by itself, as a message sink.
    final func close(code: UInt16, reason: String) {
        guard socket != nil, !isLingering else { return }
        let code = CloseCode(rawValue: code)
        let why: Session.CloseReason =
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

    private func endSession(_ reason: Session.CloseReason) {
        let session = session
        self.session = nil
        session?.close(reason)
    }
}
