internal import EventLoop
internal import HTTP
internal import Logging
internal import Support
internal import TLS
internal import Values

/// The listeners of a server: accepts connections, with TLS if configured, or turns them away.
final class Acceptor {
    let listener: HTTPListener
    /// The listener of the operations, if they have one of their own.
    let adminListener: HTTPListener?
    private let configuration: Configuration
    private let hub: Hub
    private let log: Logger
    /// What TLS needs; nil without it.
    private(set) var tls: Security?
    private var lastNumber: UInt64 = 0
    private let plaintext = PlaintextRoom()

    /// The present certificate, and the handshakes of all connections.
    struct Security {
        var context: TLSContext
        let handshakes: HandshakeQueue
    }

    // What /metrics shows.
    private(set) var accepted: UInt64 = 0
    private(set) var turnedAway: UInt64 = 0
    private(set) var tlsFailures: UInt64 = 0

    init(_ configuration: Configuration, _ hub: Hub, _ service: Service, _ log: Logger) {
        (self.configuration, self.hub, self.log) = (configuration, hub, log)
        func listener(_ side: HTTPListener.Side, at endpoint: Endpoint) -> HTTPListener {
            HTTPListener(side, at: endpoint, configuration, answering: RequestDispatcher(side, service))
        }
        let admin = configuration.separateAdmin
        self.listener = listener(admin == nil ? .everything : .service, at: configuration.listen)
        adminListener = admin.map { listener(.operations, at: $0) }
    }

    var listeners: [HTTPListener] { [listener] + (adminListener.map { [$0] } ?? []) }

    /// Reads the certificate, if the configuration names one.
    func openCertificate() throws(StartFailure) {
        tls = try readCertificate().map { context in
            let handshakes = HandshakeQueue { [unowned hub] in
                hub.turns.begin()
                hub.turns.activity.note(.handshake)
            }
            return Security(context: context, handshakes: handshakes)
        }
    }

    /// Reads certificate and key; nil: there is no TLS.
    func readCertificate() throws(StartFailure) -> TLSContext? {
        guard configuration.certificate.isEmpty == configuration.certificateKey.isEmpty else {
            throw StartFailure(["tls.cert and tls.key belong together: one of them is missing"])
        }
        guard configuration.usesTLS else { return nil }
        do throws(TLSFailure) {
            return try TLSContext.server(
                certificate: configuration.certificate,
                key: configuration.certificateKey
            )
        } catch {
            throw StartFailure([error.description])
        }
    }

    /// Reads certificate and key again for new connections; with problems, the old ones stay.
    func reloadCertificate() -> [FileProblem] {
        guard configuration.usesTLS else { return [] }
        do throws(StartFailure) {
            if let context = try readCertificate() { tls?.context = context }
            log.info("certificate read again", metadata: ["certificate": "\(configuration.certificate)"])
            return []
        } catch {
            return error.problems.map { $0.with(remark: "the old certificate stays") }
        }
    }

    /// Opens the listeners.
    func open() throws(StartFailure) {
        for listener in listeners {
            do throws(UVError) {
                try open(listener)
            } catch {
                close()
                throw StartFailure(["cannot listen on \(listener.endpoint): \(error)"])
            }
        }
    }

    /// Accepts no connections any more.
    func close() {
        for listener in listeners { listener.socket = nil }
    }

    private func open(_ listener: HTTPListener) throws(UVError) {
        // Each process has its own operations side.
        let isShared = configuration.reusePort && listener.side != .operations
        let socket = try TCPListener(listener.endpoint, on: hub.loop, reusePort: isShared) {
            [unowned self, unowned listener] in accept($0, at: listener)
        }
        socket.onShortage = { [unowned self] count, error in
            turnedAway += UInt64(count)
            log.warning(
                "cannot accept",
                metadata: ["turnedAway": .number(count), "error": "\(error)"]
            )
        }
        listener.socket = socket
    }

    /// Accepts a connection, or turns it away.
    func accept(_ socket: TCPConnection, at listener: HTTPListener) {
        hub.turns.begin()
        hub.turns.activity.note(.accepting)
        accepted += 1
        socket.setNoDelay(true)
        guard hub.connections.count - hub.refusing < listener.mostConnections else { return turnAway(socket) }
        // Behind a proxy the client counts, which the first request names.
        let isCounted =
            hub.addresses.most > 0 && listener.side != .operations
            && !hub.codec.proxies.trusts(socket.peerAddress)
        let address = isCounted ? socket.peerAddress?.host ?? "" : nil
        if let address, !hub.addresses.hasRoom(for: address) { return turnAway(socket) }
        lastNumber += 1
        guard let transport = secured(socket) else { return }
        let connection = HTTPConnection(
            hub: hub,
            listener: listener,
            number: lastNumber,
            socket: transport
        )
        if let address { _ = hub.addresses.count(connection, as: address) }
    }

    /// The socket, with TLS if configured; nil if OpenSSL has no memory for it.
    private func secured(_ socket: TCPConnection) -> Transport? {
        guard let tls else { return .plain(socket) }
        do throws(TLSFailure) {
            let session = try TLSSession(tls.context, sendBuffers: hub.sendBuffers)
            let channel = SecureChannel(
                socket,
                session,
                room: plaintext,
                sendBuffers: hub.sendBuffers,
                handshakes: tls.handshakes
            )
            channel.onFailure = { [unowned self, unowned channel] in report($0, on: channel) }
            return .secure(channel)
        } catch {
            log.error("no TLS for a connection", metadata: ["error": "\(error)"])
            return nil
        }
    }

    private func report(_ failure: TLSFailure, on channel: SecureChannel) {
        tlsFailures += 1
        log.debug(
            "TLS ended a connection",
            metadata: ["peer": "\(channel.socket.peerAddress?.description ?? "")", "error": "\(failure)"]
        )
        guard failure.isPlainHTTP else { return }
        var out = ByteBuffer()
        Refusal(.badRequest, "this port speaks https, not http")
            .append(hub.codec.encoder, ResponseFraming(keepsAlive: false), to: &out)
        _ = channel.socket.tryWrite(out.bytes)
    }

    /// Turns away a connection above the limit.
    ///
    /// A few at a time are refused in their own protocol (``RefusedConnection``); the others get a
    /// plain answer at once, if the socket takes it, before they have sent anything.
    private func turnAway(_ socket: TCPConnection) {
        turnedAway += 1
        if hub.refusing < RefusedConnection.mostAtOnce, let transport = secured(socket) {
            lastNumber += 1
            _ = RefusedConnection(hub: hub, number: lastNumber, socket: transport)
            return
        }
        if tls == nil {
            var out = ByteBuffer()
            RefusedConnection.refusal.append(
                hub.codec.encoder,
                ResponseFraming(keepsAlive: false),
                to: &out
            )
            _ = socket.tryWrite(out.bytes)
        }
        socket.close()
    }
}
