internal import EventLoop
internal import GraphHost
internal import Logging

// Tokens and the certificate, while the server runs.
extension Server {
    /// The access of a token sent from an address; nil without authentication.
    ///
    /// - Throws: `unauthenticated`, `token_expired`; `rate_limited` if the address has sent too
    ///   many wrong tokens.
    func access(token: String, from address: IPAddress?) throws(HostError) -> Access? {
        guard let authenticator else { return nil }
        var token = token
        let now = UInt64(max(0, loop.wallClock))
        switch token.withUTF8({ authenticator.principal(token: UnsafeRawBufferPointer($0), at: now) }) {
        case .known(let principal): return Access(principal)
        case .expired: throw .tokenExpired
        case .unknown:
            throw wrongTokens.note(from: address, at: loop.now).map(Self.tooManyWrongTokens)
                ?? HostError(.unauthenticated, "this token is not known")
        }
    }

    /// The error for clients that send too many wrong tokens.
    static func tooManyWrongTokens(after milliseconds: UInt64) -> HostError {
        HostError(
            .rateLimited,
            "too many wrong tokens from this address (limits.wrongTokens)",
            after: Int(milliseconds)
        )
    }

    /// Reloads the certificate, tokens and graphs; never calls `done` before it returns.
    ///
    /// A dry run only reports what would change, and all problems.
    ///
    /// Requests that arrive meanwhile get a reload of their own afterwards. All problems are also
    /// in the log.
    public func reload(dryRun isDryRun: Bool = false, _ done: @escaping (ReloadReport) -> Void = { _ in }) {
        if !isDryRun { audit?.reopen() }
        guard !graphFiles.queue(done, isDryRun: isDryRun) else { return }
        beginTurn()
        var report = ReloadReport()
        report.isDryRun = isDryRun
        if isDryRun {
            report.problems += StartFailure.problems { () throws(StartFailure) in _ = try readCertificate() }
        } else {
            report.problems += reloadCertificate()
            sinks?.tryRefused()
        }
        graphFiles.reload(report, done)
    }

    /// Reloads because of something other than a request, which the audit names.
    public func reload(because reason: String) {
        reload { [weak self] report in
            let cause = AuditEntry.Field("because", reason)
            self?.audit?.note(AuditEntry(action: "reload", subjects: [cause] + report.subjects))
        }
    }

    /// Reads the file of tokens again, on another thread: open sessions continue with the present
    /// rights of their principal, or are closed.
    ///
    /// - Parameters:
    ///   - isDryRun: only reads them.
    ///   - done: gets the problems of the file in a later turn, when all sessions are revised. If
    ///     there are problems, the old tokens stay.
    func reloadTokens(
        dryRun isDryRun: Bool,
        _ done: @escaping ([FileProblem]) -> Void
    ) throws(UVError) {
        guard let authenticator else { return done([]) }
        try definitions.readTokens { [weak self] result in
            guard let self else { return }
            beginTurn()
            switch result {
            case .failure(let failure):
                done(failure.problems.map { $0.with(remark: "the old tokens stay") })
            case .success(let tokens) where isDryRun:
                release(tokens)
                done([])
            case .success(let tokens):
                release(authenticator.take(tokens))
                host.reviseAccess {
                    authenticator.principal(like: $0).map(Access.init)
                } then: { [weak self] in
                    guard let self else { return }
                    log.info("tokens read again", metadata: ["auth": "\(configuration.auth)"])
                    done([])
                }
            }
        }
    }

    /// Releases tokens that no longer count, a part in each turn.
    private func release(_ tokens: TokenTable) {
        guard tokens.releaseSome() else { return }
        host.later { [weak self] in self?.release(tokens) }
    }

    /// Reads certificate and key again for new connections; with problems, the old ones stay.
    private func reloadCertificate() -> [FileProblem] {
        guard configuration.usesTLS else { return [] }
        do throws(TLSFailure) {
            tls = try TLSContext.server(
                certificate: configuration.certificate,
                key: configuration.certificateKey
            )
            log.info("certificate read again", metadata: ["certificate": "\(configuration.certificate)"])
        } catch {
            return [FileProblem("\(error); the old certificate stays")]
        }
        return []
    }
}
