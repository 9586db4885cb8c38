internal import EventLoop
internal import GraphHost
internal import HTTP
internal import Logging

// Reading and opening everything that a server needs.
extension Server {
    /// Reads the graphs and starts listening.
    ///
    /// - Throws: ``StartFailure`` with all problems; then the server does not listen.
    public func start() throws(StartFailure) {
        precondition(state == .starting, "a server is started once")
        if let sentence = SelfTest.run() { throw StartFailure([sentence]) }
        var refusals = [door, adminDoor].compactMap { $0?.refusal(configuration) }
        if configuration.reusePort, configuration.redisURL == nil {
            refusals.append("reusePort: servers at one address must be one service, which needs 'redis.url'")
        }
        guard refusals.isEmpty else { throw StartFailure(refusals) }
        try openTokens()
        try openFiles()
        try openCertificate()
        sinks.prepare()
        try loadGraphs()
        listener = try listen(at: door)
        if let adminDoor { adminListener = try listen(at: adminDoor) }
        do throws(UVError) {
            try setTurns()
            try watchFolder()
        } catch {
            throw StartFailure(["no timers: \(error)"])
        }
        pressure = openMemoryPressure()
        state = .serving
        log.info(
            "serving",
            metadata: [
                "listen": "\(address?.description ?? "")",
                "admin": "\((adminAddress ?? address)?.description ?? "")",
                "graphs": "\(host.graphs.count)",
            ]
        )
    }

    private func openFiles() throws(StartFailure) {
        let policies = Dictionary(
            configuration.contentPolicies.compactMap(ContentPolicy.parse).map { ($0.path, $0.policy) },
            uniquingKeysWith: { $1 }
        )
        let paths = configuration.mounts.compactMap(Mount.parse).map(\.path) + ["/"]
        if let other = policies.keys.sorted().first(where: { !paths.contains($0) }) {
            throw StartFailure(["csp: '\(other)' is neither / nor the path of a mount"])
        }
        for (path, folder) in configuration.mounts.compactMap(Mount.parse) {
            guard let files = StaticFiles(folder: folder, policy: policies[path]) else {
                throw StartFailure(["mounts: there is no folder '\(folder)'"])
            }
            mounts.append(Mount(path: path, files: files))
        }
        // If two paths match, the longer one counts.
        mounts.sort { $0.path.utf8.count > $1.path.utf8.count }
        if !configuration.dashboards.isEmpty {
            dashboards = Dashboards(configuration.dashboards, most: configuration.fixed.dashboards, on: loop)
        }
        guard !configuration.publicFolder.isEmpty else { return }
        files = StaticFiles(folder: PageFolder.resolve(configuration.publicFolder), policy: policies["/"])
        if files == nil {
            if configuration.publicFolder == PageFolder.automatic {
                return log.warning(
                    "the page did not come with this program: see 'public' in the configuration"
                )
            }
            throw StartFailure(["public: there is no folder '\(configuration.publicFolder)'"])
        }
    }

    private func openTokens() throws(StartFailure) {
        guard !configuration.auth.isEmpty else { return }
        authenticator = try Authenticator(
            file: configuration.auth,
            sessionLife: UInt64(configuration.session.milliseconds),
            mostSessions: configuration.fixed.sessions
        )
        guard !configuration.usesTLS else { return }
        for endpoint in [door, adminDoor].compactMap({ $0?.endpoint }) where !endpoint.isLoopback {
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
    }

    private func loadGraphs() throws(StartFailure) {
        try restoreGraphs()
        let reading = Reloading(self, ReloadReport()) { _ in }
        reading.run()
        guard reading.report.problems.isEmpty else { throw StartFailure(reading.report.problems) }
        settleGraphs()
    }

    private func watchFolder() throws(UVError) {
        guard configuration.watch else { return }
        watch = try FolderWatch(configuration.graphs, on: loop) { [unowned self] in
            beginTurn()
            reload()
        }
    }

    private func listen(at door: Door) throws(StartFailure) -> TCPListener {
        let listener: TCPListener
        do throws(UVError) {
            // Each process has its own operations side.
            let isShared = configuration.reusePort && door.side != .operations
            listener = try TCPListener(door.endpoint, on: loop, reusePort: isShared) {
                [unowned self, unowned door] in accept($0, at: door)
            }
        } catch {
            self.listener = nil
            throw StartFailure(["cannot listen on \(door.endpoint): \(error)"])
        }
        listener.onShortage = { [unowned self] count, error in
            turnedAway += UInt64(count)
            log.warning("cannot accept", metadata: ["turnedAway": "\(count)", "error": "\(error)"])
        }
        return listener
    }
}
