internal import EventLoop
internal import GraphHost
internal import Logging

// Tokens and the certificate, while the server runs.
extension Server {
    /// The access that a token grants.
    ///
    /// - Throws: `unauthenticated`, `token_expired`.
    func access(token: String) throws(HostError) -> Access {
        guard let authenticator else { return door.openAccess }
        var token = token
        let now = UInt64(max(0, loop.wallClock))
        switch token.withUTF8({ authenticator.principal(token: UnsafeRawBufferPointer($0), at: now) }) {
        case .known(let principal): return Access(principal)
        case .expired: throw HostError(.tokenExpired, "the token has ended")
        case .unknown: throw HostError(.unauthenticated, "this token is not known")
        }
    }

    /// Reads the file of tokens again: open sessions go on with what their principal may do now, or are closed.
    ///
    /// - Returns: what is wrong with the file; the old tokens stay then.
    func reloadTokens() -> [FileProblem] {
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

    /// Reads certificate and key again: connections made from now on show the new ones.
    ///
    /// - Returns: what is wrong with them; the old ones stay then.
    func reloadCertificate() -> [FileProblem] {
        guard let files = configuration.tls else { return [] }
        do throws(TLSFailure) {
            tls = try TLSContext.server(certificate: files.certificate, key: files.key)
            log.info("certificate read again", metadata: ["certificate": "\(files.certificate)"])
        } catch {
            return [FileProblem("\(error); the old certificate stays")]
        }
        return []
    }
}
