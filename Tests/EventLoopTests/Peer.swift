import EventLoop
import Support
import Testing

/// A delegate that records every event, owns its connection, and acts as the test asks.
final class Peer: ConnectionDelegate {
    let connection: TCPConnection
    var bytes: [UInt8] = []
    var events: [Event] = []
    var onEvent: ((Peer, Event) -> Void)?

    enum Event: Equatable {
        case received, peerClosed, wroteAll
        case closed(String?)
    }

    init(_ connection: TCPConnection, reading: Bool = true, onEvent: ((Peer, Event) -> Void)? = nil) {
        self.connection = connection
        self.onEvent = onEvent
        connection.delegate = self
        if reading { connection.resumeReading() }
    }

    deinit {
        // A test may hold the connection a moment longer, as `client.connection.close()` does.
        connection.delegate = nil
    }

    func received(_ bytes: BorrowedBytes) {
        self.bytes += bytes
        heard(.received)
    }

    func peerClosed() { heard(.peerClosed) }

    func wroteAll() { heard(.wroteAll) }

    func closed(error: UVError?) { heard(.closed(error?.name)) }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) {
        _ = bytes.withBorrowedBytes { connection.send($0) }
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    private func heard(_ event: Event) {
        events.append(event)
        onEvent?(self, event)
    }
}

/// A loop with a listener on a port of the system's choice, and both ends of each connection made
/// to it.
final class Loopback {
    let loop: Loop
    let listener: TCPListener
    /// The server's ends, in the order accepted.
    var served: [Peer] = []
    /// What the server's ends do.
    var onServed: ((Peer, Peer.Event) -> Void)?
    /// Whether the server's ends read from the start.
    var servedRead = true
    private var connectors: [TCPConnector] = []
    private let limit: LoopTimer

    init(_ endpoint: String = "127.0.0.1:0") throws {
        let loop = try Loop()
        self.loop = loop
        listener = try TCPListener(#require(Endpoint(endpoint)), on: loop)
        limit = try LoopTimer(on: loop) {
            Issue.record("the loop ran for 20 seconds")
            loop.stop()
        }
        limit.keepsLoopAlive = false
        listener.onConnection = { [unowned self] connection in
            served.append(
                Peer(connection, reading: servedRead) { [unowned self] in onServed?($0, $1) }
            )
        }
    }

    var endpoint: Endpoint {
        switch listener.address.family {
        case .unix: .unix(path: listener.address.host)
        case .ipv4, .ipv6: .tcp(host: listener.address.host, port: listener.boundPort)
        }
    }

    /// Connects as a client and runs until both ends are there.
    func connect(reading: Bool = true) throws -> (client: Peer, server: Peer) {
        var client: Result<TCPConnection, UVError>?
        let before = listener.acceptedConnections
        let connector = TCPConnector(to: endpoint, on: loop) { client = $0 }
        run { client != nil && self.listener.acceptedConnections > before }
        _ = connector
        return (Peer(try #require(client).get(), reading: reading), try #require(served.last))
    }

    /// Runs turn by turn until `done`; gives up after a time in which the slowest machine is done.
    func run(until done: () -> Bool) {
        limit.start(after: .seconds(300))
        let deadline = loop.now + 300_000
        while !done(), loop.now < deadline { loop.runOnce() }
        limit.stop()
    }

    /// Runs what is due, a few turns long, without waiting: enough for closes.
    func settle() {
        for _ in 0..<4 { loop.poll() }
    }
}
