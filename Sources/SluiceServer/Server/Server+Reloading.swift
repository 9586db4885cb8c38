internal import EventLoop
internal import Graphs
internal import Logging
internal import TLS
internal import Values

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
