internal import EventLoop
internal import GraphHost
internal import Logging

// Tokens and the certificate, while the server runs.
extension Server {
    /// The access that a token grants, which comes from an address.
    ///
    /// - Throws: `unauthenticated`, `token_expired`; `rate_limited` where the address has shown too many wrong ones.
    func access(token: String, from address: IPAddress?) throws(HostError) -> Access {
        guard let authenticator else { return door.openAccess }
        var token = token
        let now = UInt64(max(0, loop.wallClock))
        switch token.withUTF8({ authenticator.principal(token: UnsafeRawBufferPointer($0), at: now) }) {
        case .known(let principal): return Access(principal)
        case .expired: throw HostError(.tokenExpired, "the token has ended")
        case .unknown:
            throw wrongTokens.note(from: address, at: loop.now).map(Self.tooManyWrongTokens)
                ?? HostError(.unauthenticated, "this token is not known")
        }
    }

    /// What clients get who show too many wrong tokens.
    static func tooManyWrongTokens(after milliseconds: UInt64) -> HostError {
        HostError(
            .rateLimited,
            "too many wrong tokens from this address (limits.wrongTokens)",
            after: Int(milliseconds)
        )
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
