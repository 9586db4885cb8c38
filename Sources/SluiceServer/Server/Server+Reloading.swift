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
    /// Requests that arrive meanwhile get a reload of their own afterwards. All problems are also
    /// in the log.
    public func reload(_ done: @escaping (ReloadReport) -> Void = { _ in }) {
        guard !graphFiles.queue(done) else { return }
        beginTurn()
        var report = ReloadReport()
        report.problems += reloadCertificate() + reloadTokens()
        sinks?.tryRefused()
        graphFiles.reload(report, done)
    }

    /// Reads the file of tokens again: open sessions continue with the present rights of their
    /// principal, or are closed.
    ///
    /// - Returns: the problems of the file; if there are any, the old tokens stay.
    private func reloadTokens() -> [FileProblem] {
        guard let authenticator else { return [] }
        do throws(StartFailure) {
            try authenticator.read(file: configuration.auth)
            log.info("tokens read again", metadata: ["auth": "\(configuration.auth)"])
        } catch {
            return error.problems.map { $0.with(remark: "the old tokens stay") }
        }
        beginTurn()
        host.reviseAccess { principal in authenticator.principal(like: principal).map(Access.init) }
        return []
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
