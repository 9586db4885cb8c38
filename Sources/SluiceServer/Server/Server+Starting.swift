internal import EventLoop
internal import GraphHost
internal import HTTP
internal import Logging
internal import Support

// Reading and opening everything that a server needs.
extension Server {
    /// Reads the graphs and starts listening; with problems, it throws all of them and does not
    /// listen.
    public func start() throws(StartFailure) {
        precondition(state == .starting, "a server is started once")
        if let sentence = SelfTest.run() { throw StartFailure([sentence]) }
        var refusals = listeners.compactMap { $0.refusal(configuration) }
        if configuration.reusePort, configuration.redisURL == nil {
            refusals.append("reusePort: servers at one address must be one service, which needs 'redis.url'")
        }
        guard refusals.isEmpty else { throw StartFailure(refusals) }
        audit = try Audit.open(configuration, on: loop, log)
        host.recordsSets = audit?.hasSets == true
        try openTokens()
        try folders.open(configuration, log)
        if !configuration.dashboards.isEmpty {
            dashboards = Dashboards(configuration.dashboards, most: configuration.fixed.dashboards, on: loop)
        }
        try openCertificate()
        sinks?.prepare()
        try graphFiles.load()
        for listener in listeners {
            do throws(UVError) {
                try acceptor.open(listener)
            } catch {
                closeListeners()
                throw StartFailure(["cannot listen on \(listener.endpoint): \(error)"])
            }
        }
        do throws(UVError) {
            try setTurns()
            if configuration.watch { try graphFiles.watchFolder() }
        } catch {
            throw StartFailure(["no timers: \(error)"])
        }
        pressure = pressureFiles.open(configuration.fixed.memoryPressure, log) { [unowned self] path in
            releaseUnused(because: path)
        }
        state = .serving
        log.info(
            "serving",
            metadata: [
                "listen": "\(address?.description ?? "")",
                "admin": "\((adminAddress ?? address)?.description ?? "")",
                "graphs": .number(host.graphs.count),
            ]
        )
    }

    private func openTokens() throws(StartFailure) {
        guard !configuration.auth.isEmpty else { return }
        authenticator = Authenticator(
            try TokenTable.read(configuration.auth, limit: configuration.fixed.tokens),
            sessionLife: UInt64(configuration.session.milliseconds),
            mostSessions: configuration.fixed.sessions
        )
        guard !configuration.usesTLS else { return }
        for endpoint in listeners.map(\.endpoint) where !endpoint.isLoopback {
            log.warning(
                "tokens travel unencrypted: no TLS is configured",
                metadata: ["listen": "\(endpoint)"]
            )
        }
    }

    private func openCertificate() throws(StartFailure) {
        guard configuration.certificate.isEmpty == configuration.certificateKey.isEmpty else {
            throw StartFailure(["tls.cert and tls.key belong together: one of them is missing"])
        }
        guard configuration.usesTLS else { return }
        do throws(TLSFailure) {
            tls = try TLSContext.server(
                certificate: configuration.certificate,
                key: configuration.certificateKey
            )
        } catch {
            throw StartFailure([error.description])
        }
        handshakes = HandshakeQueue { [unowned self] in
            beginTurn()
            activity.note(.handshake)
        }
    }
}
