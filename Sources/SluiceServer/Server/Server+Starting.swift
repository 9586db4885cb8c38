internal import Definitions
internal import EventLoop
internal import Graphs
internal import HTTP
internal import Logging
internal import Support
internal import TLS
internal import Values

// Reading and opening everything that a server needs.
extension Server {
    /// Reads the graphs and starts listening; with problems, it throws all of them and does not
    /// listen.
    public func start() throws(StartFailure) {
        precondition(state == .starting, "a server is started once")
        try open()
        audit = try Audit.open(configuration, on: loop, log)
        host.recordsSets = audit?.hasSets == true
        if !configuration.dashboards.isEmpty {
            dashboards = Dashboards(configuration.dashboards, most: configuration.fixed.dashboards, on: loop)
        }
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

    /// Checks a configuration and its graphs: everything that a start does, short of taking the
    /// store and listening.
    ///
    /// - Returns: how many graphs are valid, and all problems.
    public static func check(_ configuration: Configuration) -> CheckResult {
        var problems = CommitStore.problems(of: configuration)
        guard let loop = try? Loop() else {
            return CheckResult(problems: problems + [FileProblem("no loop can be made")])
        }
        var configuration = configuration
        configuration.isStrict = true
        let log = Logger(label: "check") { _ in SwiftLogNoOpLogHandler() }
        let server = Server(configuration, store: .memory(epoch: Epoch.make()), on: loop, log: log)
        problems += StartFailure.problems { () throws(StartFailure) in try server.open() }
        problems += StartFailure.problems { () throws(StartFailure) in try Audit.check(configuration) }
        problems += StartFailure.problems { () throws(StartFailure) in try server.graphFiles.load() }
        let warnings = server.host.graphs.flatMap(\.definition.warnings).map { FileProblem($0) }
        return CheckResult(graphs: server.host.graphs.count, problems: problems, warnings: warnings)
    }

    /// Reads and opens everything except the graphs; throws all problems.
    private func open() throws(StartFailure) {
        var problems: [FileProblem] = []
        if let sentence = SelfTest.run() { problems.append(FileProblem(sentence)) }
        problems += listeners.compactMap { $0.refusal(configuration) }.map { FileProblem($0) }
        if configuration.reusePort, configuration.redisURL == nil {
            let sentence = "reusePort: servers at one address must be one service, which needs 'redis.url'"
            problems.append(FileProblem(sentence))
        }
        problems += StartFailure.problems { () throws(StartFailure) in try openTokens() }
        problems += StartFailure.problems { () throws(StartFailure) in try folders.open(configuration, log) }
        problems += StartFailure.problems { () throws(StartFailure) in try openCertificate() }
        guard problems.isEmpty else { throw StartFailure(problems) }
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
        tls = try readCertificate()
        guard tls != nil else { return }
        handshakes = HandshakeQueue { [unowned self] in
            beginTurn()
            activity.note(.handshake)
        }
    }
}
