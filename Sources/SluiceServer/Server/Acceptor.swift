internal import EventLoop
internal import Graphs
internal import Sessions
internal import HTTP
internal import Logging
internal import Support
internal import TLS

/// Accepts connections, with TLS if configured, or turns them away.
final class Acceptor {
    private unowned let server: Server
    /// Open connections of one address; 0: no limit.
    private let mostPerAddress: Int
    private var addresses: [String: Int] = [:]
    private var lastNumber: UInt64 = 0
    private let plaintext = PlaintextRoom()

    // What /metrics shows.
    private(set) var accepted: UInt64 = 0
    private(set) var turnedAway: UInt64 = 0
    private(set) var tlsFailures: UInt64 = 0
    /// Refused connections that are completing their handshake.
    var refusing = 0

    init(for server: Server) {
        self.server = server
        mostPerAddress = server.configuration.connectionsPerAddress
    }

    func open(_ listener: HTTPListener) throws(UVError) {
        // Each process has its own operations side.
        let isShared = server.configuration.reusePort && listener.side != .operations
        let socket = try TCPListener(listener.endpoint, on: server.loop, reusePort: isShared) {
            [unowned self, unowned listener] in accept($0, at: listener)
        }
        socket.onShortage = { [unowned self] count, error in
            turnedAway += UInt64(count)
            server.log.warning(
                "cannot accept",
                metadata: ["turnedAway": .number(count), "error": "\(error)"]
            )
        }
        listener.socket = socket
    }

    /// Accepts a connection, or turns it away.
    func accept(_ socket: TCPConnection, at listener: HTTPListener) {
        server.beginTurn()
        server.activity.note(.accepting)
        accepted += 1
        socket.setNoDelay(true)
        guard server.connections.count - refusing < listener.mostConnections else { return turnAway(socket) }
        // Behind a proxy the client counts, which the first request names.
        let isCounted =
            mostPerAddress > 0 && listener.side != .operations
            && !server.proxies.trusts(socket.peerAddress)
        let address = isCounted ? socket.peerAddress?.host ?? "" : nil
        if let address, !hasRoom(for: address) { return turnAway(socket) }
        lastNumber += 1
        guard let transport = secured(socket) else { return }
        let connection = HTTPConnection(
            server: server,
            listener: listener,
            number: lastNumber,
            socket: transport
        )
        if let address { _ = count(connection, as: address) }
    }

    private func hasRoom(for address: String) -> Bool {
        addresses[address, default: 0] < mostPerAddress
    }

    /// Counts a connection for an address, and no longer for its former one; false if there is no
    /// room.
    func count(_ connection: Connection, as address: String) -> Bool {
        guard mostPerAddress > 0, connection.countedAddress != address else {
            return true
        }
        if let former = connection.countedAddress { forget(former) }
        connection.countedAddress = nil
        guard hasRoom(for: address) else { return false }
        addresses[address, default: 0] += 1
        connection.countedAddress = address
        return true
    }

    /// The socket, with TLS if configured; nil if OpenSSL has no memory for it.
    private func secured(_ socket: TCPConnection) -> Transport? {
        guard let tls = server.tls else { return .plain(socket) }
        do throws(TLSFailure) {
            let session = try TLSSession(tls, sendBuffers: server.sendBuffers)
            let channel = SecureChannel(
                socket,
                session,
                room: plaintext,
                sendBuffers: server.sendBuffers,
                handshakes: server.handshakes
            )
            channel.onFailure = { [unowned self, unowned channel] in report($0, on: channel) }
            return .secure(channel)
        } catch {
            server.log.error("no TLS for a connection", metadata: ["error": "\(error)"])
            return nil
        }
    }

    private func report(_ failure: TLSFailure, on channel: SecureChannel) {
        tlsFailures += 1
        server.log.debug(
            "TLS ended a connection",
            metadata: ["peer": "\(channel.socket.peerAddress?.description ?? "")", "error": "\(failure)"]
        )
        guard failure.isPlainHTTP else { return }
        var out = ByteBuffer()
        Refusal(.badRequest, "this port speaks https, not http")
            .append(server.encoder, ResponseFraming(keepsAlive: false), to: &out)
        _ = channel.socket.tryWrite(out.bytes)
    }

    /// Turns away a connection above the limit.
    ///
    /// A few at a time are refused in their own protocol (``RefusedConnection``); the others get a
    /// plain answer at once, if the socket takes it, before they have sent anything.
    private func turnAway(_ socket: TCPConnection) {
        turnedAway += 1
        if refusing < RefusedConnection.mostAtOnce, let transport = secured(socket) {
            lastNumber += 1
            _ = RefusedConnection(server: server, number: lastNumber, socket: transport)
            return
        }
        if server.tls == nil {
            var out = ByteBuffer()
            RefusedConnection.refusal.append(
                server.encoder,
                ResponseFraming(keepsAlive: false),
                to: &out
            )
            _ = socket.tryWrite(out.bytes)
        }
        socket.close()
    }

    /// A counted connection is gone.
    func forget(_ address: String) {
        let count = addresses[address, default: 1] - 1
        addresses[address] = count > 0 ? count : nil
    }
}
