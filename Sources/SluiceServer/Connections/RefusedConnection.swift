internal import EventLoop
internal import HTTP
internal import Support
internal import TLS

/// A connection above the limit: it is refused in its own protocol, and closed.
///
/// Browsers do not show a page the status of a refused upgrade. So a request for WebSocket is
/// accepted and closed with 4529, which means that reconnecting later makes sense; other requests,
/// and silent clients, get 503. `Host`, `Origin` and tokens are not checked, because such a
/// connection reveals nothing and can do nothing.
///
/// There are at most ``mostAtOnce`` of them, each for `times.refusal` and as long again for the
/// peer to close.
final class RefusedConnection: Connection {
    /// How many may exist at a time; others get a plain 503.
    static let mostAtOnce = 32

    private let parser: RequestParser

    /// The answer to requests other than upgrades.
    static let refusal = Refusal(
        "too_many_connections",
        "there is no room for another connection",
        retryAfterSeconds: 5
    )

    override init(hub: Hub, number: UInt64, socket: Transport) {
        parser = RequestParser(limits: hub.codec.limits)
        super.init(hub: hub, number: number, socket: socket)
        hub.refusing += 1
        setDeadline()
        socket.resumeReading()
    }

    override func receive(_ bytes: BorrowedBytes) {
        var input = bytes
        switch parser.parse(&input) {
        case .more: break
        case .upgrade: if refuseUpgrade(parser.head) { end() } else { refuse() }
        case .request, .continueExpected, .failed: refuse()
        }
    }

    private func refuse() {
        write { out in
            Self.refusal.append(
                hub.codec.encoder,
                ResponseFraming(keepsAlive: false),
                to: &out
            )
        }
        hub.traffic.count(Self.refusal.status)
        end()
    }

    private func end() {
        closeAfterWriting()
        if socket != nil { setDeadline() }
    }

    private func setDeadline() {
        hub.deadlines.set(self, at: hub.loop.now + hub.times.fixed.refusal)
    }

    override func expire(now: UInt64) {
        if isLingering { close() } else { refuse() }
    }

    override func drain(after milliseconds: Int) { close() }

    override func ended(_ error: UVError?) { hub.refusing -= 1 }
}

extension Connection {
    /// Accepts a request for WebSocket and closes it with 4529 at once.
    ///
    /// - Returns: false if the request could not be accepted.
    func refuseUpgrade(_ head: RequestHead) -> Bool {
        let outcome = Handshake.judge(head, subprotocols: ["sluice.v1.json"])
        guard case .accepted(let subprotocol, _) = outcome else { return false }
        write { out in
            Handshake.refuse(head, subprotocol: subprotocol, hub.codec.encoder, sha1: SHA1.digest, to: &out)
        }
        hub.traffic.count(.switchingProtocols)
        return true
    }
}
