internal import Graphs

/// The result of checking a token or cookie.
enum TokenOutcome {
    case known(Principal)
    case expired
    case unknown
    /// An issuer's token that does not count; the reason as one sentence.
    case refused(String)
    /// The keys of its issuer cannot be fetched at present.
    case unavailable
    /// An issuer's token whose signature has not been checked yet.
    case unchecked(TokenCheck)
}
