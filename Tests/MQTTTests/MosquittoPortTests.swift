import EventLoop
import Support
import Testing

@testable import MQTT

@Suite("The port for libmosquitto's connection")
struct MosquittoPortTests {
    @Test("takes the one connection that is expected, and closes those of other programs")
    func strangers() throws {
        let loop = try Loop()
        let port = try MosquittoPort(on: loop)
        var taken = 0
        port.onConnection = { _ in taken += 1 }
        // No port of a client.
        port.expect(from: 1)
        let stranger = Stranger(loop)
        stranger.attempt = TCPConnector(to: .tcp(host: "127.0.0.1", port: port.number), on: loop) {
            stranger.connected($0)
        }
        loop.run()
        #expect(stranger.isClosed && taken == 0)
    }
}

/// A program that connects and waits until it is turned away.
private final class Stranger: ConnectionDelegate {
    var attempt: TCPConnector?
    private(set) var isClosed = false
    private let loop: Loop
    private var connection: TCPConnection?

    init(_ loop: Loop) {
        self.loop = loop
    }

    func connected(_ result: Result<TCPConnection, UVError>) {
        guard case .success(let connection) = result else { return loop.stop() }
        self.connection = connection
        connection.delegate = self
        connection.resumeReading()
    }

    func received(_ bytes: BorrowedBytes) {}
    func wroteAll() {}

    func peerClosed() {
        isClosed = true
        loop.stop()
    }

    func closed(error: UVError?) { peerClosed() }
}
