import EventLoop

/// A delegate that keeps everything it hears, owns its connection, and does what a test tells it to.
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

    func received(_ bytes: UnsafeRawBufferPointer) {
        self.bytes += bytes
        heard(.received)
    }

    func peerClosed() { heard(.peerClosed) }

    func wroteAll() { heard(.wroteAll) }

    func closed(error: UVError?) { heard(.closed(error?.name)) }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { connection.send($0) }
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    private func heard(_ event: Event) {
        events.append(event)
        onEvent?(self, event)
    }
}

/// A loop with a listener on a port of the system's choice, and both ends of each connection made to it.
final class Loopback {
    let loop: Loop
    let listener: TCPListener
    var served: [Peer] = []
    private var connectors: [TCPConnector] = []
    private let guardTimer: Timer

    /// Fails the test's run by stopping the loop should it take too long; nothing waits for this in the good case.
    private(set) var ranTooLong = false

    init(_ endpoint: String = "127.0.0.1:0", serve: @escaping (Peer, Peer.Event) -> Void = { _, _ in }) throws
    {
        let loop = try Loop()
        self.loop = loop
        listener = try TCPListener(Endpoint(endpoint)!, on: loop)
        guardTimer = try Timer(on: loop) { loop.stop() }
        guardTimer.keepsLoopAlive = false
        listener.onConnection = { [unowned self] connection in
            served.append(Peer(connection, onEvent: serve))
        }
    }

    /// Connects as a client; `use` gets the client's end.
    func connect(reading: Bool = true, use: @escaping (Result<TCPConnection, UVError>) -> Void) {
        let endpoint: Endpoint =
            switch listener.address.family {
            case .unix: .unix(path: listener.address.host)
            default: .tcp(host: listener.address.host, port: listener.boundPort)
            }
        connectors.append(TCPConnector(to: endpoint, on: loop, answer: use))
    }

    /// Runs until someone stops the loop, at most 20 seconds.
    func run() {
        guardTimer.start(after: .seconds(20))
        loop.run()
    }
}
