internal import Graphs
internal import Support
internal import Values

/// The tokens of a server's clients, the sessions of browsers, and how many wrong tokens an address
/// may send.
final class Credentials {
    /// Recognises tokens; nil if clients need none.
    var authenticator: Authenticator?
    private(set) var wrongTokens: WrongTokens

    init(wrongTokens rate: Int) {
        wrongTokens = WrongTokens(rate: rate)
    }

    /// The access of a token sent from an address; nil without authentication.
    ///
    /// - Throws: `unauthenticated`, `token_expired`; `rate_limited` if the address has sent too
    ///   many wrong tokens.
    func access(
        token: String,
        from address: IPAddress?,
        at now: UInt64,
        wall: UInt64
    ) throws(HostError) -> Access? {
        guard let authenticator else { return nil }
        switch token.withBorrowedBytes({ authenticator.principal(token: $0, at: wall) }) {
        case .known(let principal): return Access(principal)
        case .expired: throw .tokenExpired
        case .unknown:
            throw tooManyWrong(from: address, at: now)
                ?? HostError(.unauthenticated, "this token is not known")
        }
    }

    /// Notes a wrong token; the error if the address has sent too many.
    func tooManyWrong(from address: IPAddress?, at now: UInt64) -> HostError? {
        wrongTokens.note(from: address, at: now).map { milliseconds in
            HostError(
                .rateLimited,
                "too many wrong tokens from this address (limits.wrongTokens)",
                after: Int(milliseconds)
            )
        }
    }
}

extension HostError {
    static let tokenExpired = HostError(.tokenExpired, "the token has expired")
}
