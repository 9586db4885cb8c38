internal import Definitions
internal import EventLoop
internal import Graphs
internal import HTTP
internal import Logging
internal import Sessions
internal import Values

// Reading and opening everything that a server needs.
extension Server {
    /// Reads the graphs and starts listening; with problems, it throws all of them and does not
    /// listen.
    public func start() throws(StartFailure) {
        precondition(state == .starting, "a server is started once")
        try open()
        hub.audit = try Audit.open(configuration, on: loop, log)
        service.upstreams.audit.audit = hub.audit
        clients.recordsSets = hub.audit?.hasSets == true
        if !configuration.dashboards.isEmpty {
            let most = configuration.fixed.dashboards
            service.dashboards = Dashboards(configuration.dashboards, most: most, on: loop)
        }
        service.sinks.prepare()
        service.upstreams.prepare()
        try service.files.load()
        _ = service.kept.follow()
        try acceptor.open()
        hub.credentials.authenticator?.issued?.prepare()
        do throws(UVError) {
            try turns.start()
            try hub.start()
            if configuration.watch {
                try service.files.watchFolder { [unowned self] in reload(because: "watch") }
            }
            let memory = try MemoryCare(
                host,
                turns,
                pressureFiles,
                watching: configuration.fixed.memoryPressure,
                log
            ) { [unowned self] path in
                releaseUnused(because: path)
            }
            phase = .serving(memory)
        } catch {
            throw StartFailure(["no timers: \(error)"])
        }
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
        var problems = OpenStore.problems(of: configuration)
        guard let loop = try? Loop() else {
            return CheckResult(problems: problems + [FileProblem("no loop can be made")])
        }
        var configuration = configuration
        configuration.isStrict = true
        let log = Logger(label: "check") { _ in SwiftLogNoOpLogHandler() }
        let server = Server(configuration, store: .memory, on: loop, log: log)
        problems += StartFailure.problems { () throws(StartFailure) in try server.open() }
        problems += StartFailure.problems { () throws(StartFailure) in try Audit.check(configuration) }
        problems += StartFailure.problems { () throws(StartFailure) in try server.service.files.load() }
        let warnings = server.host.graphs.flatMap(\.definition.warnings).map { FileProblem($0) }
        return CheckResult(graphs: server.host.graphs.count, problems: problems, warnings: warnings)
    }

    /// Reads and opens everything except the graphs; throws all problems.
    private func open() throws(StartFailure) {
        var problems: [FileProblem] = []
        if let sentence = SelfTest.run() { problems.append(FileProblem(sentence)) }
        problems += acceptor.listeners.compactMap { $0.refusal(configuration) }.map { FileProblem($0) }
        let shared = LogEngine.all.filter(\.isShared)
        if configuration.reusePort, !shared.contains(where: { $0.choice(configuration) != nil }) {
            let keys = shared.map { "'\($0.key)'" }.joined(separator: " or ")
            let sentence = "reusePort: servers at one address must be one service, which needs \(keys)"
            problems.append(FileProblem(sentence))
        }
        problems += StartFailure.problems { () throws(StartFailure) in try openTokens() }
        problems += StartFailure.problems { () throws(StartFailure) in
            try service.folders.open(configuration, log)
        }
        problems += StartFailure.problems { () throws(StartFailure) in try acceptor.openCertificate() }
        guard problems.isEmpty else { throw StartFailure(problems) }
    }

    private func issuedTokens(_ issuers: [Issuer]) -> IssuedTokens {
        let tokens = IssuedTokens(issuers, most: configuration.fixed.sessions, on: loop, log)
        tokens.onAnswer = { [turns] in turns.begin() }
        tokens.onWithdrawal = { [unowned service] in service.files.reviseAccess {} }
        return tokens
    }

    private func openTokens() throws(StartFailure) {
        guard configuration.needsTokens else { return }
        let files = try CredentialFiles(configuration)
        let issued = configuration.issuers.isEmpty ? nil : issuedTokens(files.issuers)
        hub.credentials.authenticator = Authenticator(
            files.tokens,
            kept: service.kept,
            issued: issued,
            sessionLife: UInt64(configuration.session.milliseconds),
            mostSessions: configuration.fixed.sessions
        )
        guard !configuration.usesTLS else { return }
        for endpoint in acceptor.listeners.map(\.endpoint) where !endpoint.isLoopback {
            log.warning(
                "tokens travel unencrypted: no TLS is configured",
                metadata: ["listen": "\(endpoint)"]
            )
        }
    }
}
