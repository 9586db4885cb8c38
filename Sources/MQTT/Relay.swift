internal import EventLoop
internal import Outbound
internal import Support
internal import TLS

/// Passes bytes on between a broker and libmosquitto's end on this machine.
///
/// Each side is read only as fast as the other one takes it, and what comes from the broker is
/// looked at before it is passed on.
final class Relay {
    /// What the relay notices.
    enum News {
        /// The broker sends what it must not.
        case fault(PacketScanner.Fault)
        /// The broker has ended the connection, after everything that it has sent was passed on.
        case brokerGone
    }

    private let broker: Transport
    private var port: TCPConnection?
    private let notify: (News) -> Void
    private var end: PortEnd?
    private var scanner: PacketScanner
    private var isBrokerGone = false

    /// How many bytes to the broker may wait before libmosquitto's are left where they are.
    private static let mostWaiting = 65_536

    /// A relay of a broker; ``begin(_:)`` starts it.
    init(_ broker: Transport, mostBytes: Int, notify: @escaping (News) -> Void) {
        (self.broker, self.notify) = (broker, notify)
        scanner = PacketScanner(mostBytes: mostBytes)
        // A broker has nothing to say before the client has.
        broker.setDelegate(self)
        broker.pauseReading()
    }

    deinit {
        broker.setDelegate(nil)
        broker.close()
        port?.delegate = nil
    }

    /// The number of the broker's packet that has begun and is not complete; nil: none is.
    var incomplete: Int? { scanner.incomplete }

    /// Starts with libmosquitto's connection.
    func begin(_ port: TCPConnection) {
        // Dropping the connection tells libmosquitto.
        guard !isBrokerGone else { return }
        let end = PortEnd(self)
        (self.port, self.end) = (port, end)
        port.delegate = end
        port.setNoDelay(true)
        // What waits here is noticed by the broker, too.
        port.setSendBuffer(bytes: Self.mostWaiting)
        port.resumeReading()
        broker.resumeReading()
    }

    fileprivate func pass(toBroker bytes: BorrowedBytes) {
        guard !isBrokerGone else { return }
        broker.send(bytes)
        if broker.queuedBytes > Self.mostWaiting { port?.pauseReading() }
    }

    /// libmosquitto has taken everything.
    fileprivate func portWroteAll() {
        if !isBrokerGone { broker.resumeReading() }
    }

    /// libmosquitto has closed its socket.
    fileprivate func portEnded() {
        if !isBrokerGone { broker.shutdown() }
    }

    private func brokerEnded() {
        guard !isBrokerGone else { return }
        isBrokerGone = true
        // libmosquitto reads what is still there.
        port?.shutdown()
        notify(.brokerGone)
    }
}

extension Relay: ConnectionDelegate {
    func received(_ bytes: BorrowedBytes) {
        guard let port else { return notify(.fault(.unexpected)) }
        do throws(PacketScanner.Fault) {
            try scanner.scan(bytes)
        } catch {
            broker.pauseReading()
            return notify(.fault(error))
        }
        if !port.send(bytes) { broker.pauseReading() }
    }

    func peerClosed() { brokerEnded() }
    func wroteAll() { port?.resumeReading() }
    func closed(error: UVError?) { brokerEnded() }
}

/// Receives the events of libmosquitto's connection for a relay.
private final class PortEnd: ConnectionDelegate {
    private weak var relay: Relay?

    init(_ relay: Relay) {
        self.relay = relay
    }

    func received(_ bytes: BorrowedBytes) { relay?.pass(toBroker: bytes) }
    func peerClosed() { relay?.portEnded() }
    func wroteAll() { relay?.portWroteAll() }
    func closed(error: UVError?) { relay?.portEnded() }
}
