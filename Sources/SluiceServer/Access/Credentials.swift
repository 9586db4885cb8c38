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

    /// The principal of a token sent from an address.
    ///
    /// - Throws: `unauthenticated`, `token_expired`, `issuer_down`; `rate_limited` if the address
    ///   has sent too many wrong tokens.
    func principal(
        _ outcome: TokenOutcome,
        from address: IPAddress?,
        at now: UInt64
    ) throws(HostError) -> Principal {
        switch outcome {
        case .known(let principal): return principal
        case .expired: throw .tokenExpired
        case .refused(let sentence): throw wrong(sentence, from: address, at: now)
        case .unknown: throw wrong("this token is not known", from: address, at: now)
        // Tokens are checked before their principal is asked for.
        case .unavailable, .unchecked: throw .issuerDown
        }
    }

    /// Notes a wrong token.
    ///
    /// - Returns: what is wrong with it, or that the address has sent too many.
    func wrong(_ sentence: String, from address: IPAddress?, at now: UInt64) -> HostError {
        guard let milliseconds = wrongTokens.note(from: address, at: now) else {
            return HostError(.unauthenticated, sentence)
        }
        return HostError(
            .rateLimited,
            "too many wrong tokens from this address (limits.wrongTokens)",
            after: Int(milliseconds)
        )
    }
}

extension HostError {
    static let tokenExpired = HostError(.tokenExpired, "the token has expired")
    static let issuerDown = HostError(
        "issuer_down",
        "the keys of the token's issuer cannot be fetched at present",
        after: 5000
    )
}
