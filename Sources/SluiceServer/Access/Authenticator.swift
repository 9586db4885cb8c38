internal import Graphs
internal import Support
internal import TLS

/// Recognises tokens and session cookies, and finds their principals.
///
/// Tokens are looked up by their SHA-256, so that the duration of a look-up reveals nothing about a
/// token.
final class Authenticator {
    /// How long a session cookie is valid after its last use.
    private let sessionLife: UInt64
    private var tokens: TokenTable
    private typealias Sessions = FairShares<String, Cookie>
    private var cookies: [[UInt8]: Sessions.Place] = [:]
    /// Shared among the principals, by name.
    private var sessions: Sessions
    private var sweptAt: UInt64 = 0

    private final class Cookie {
        /// The digest of its value.
        let key: [UInt8]
        /// The digest of the token it was made from.
        let digest: [UInt8]
        var lastUse: UInt64

        init(key: [UInt8], digest: [UInt8], lastUse: UInt64) {
            self.key = key
            self.digest = digest
            self.lastUse = lastUse
        }
    }

    init(_ tokens: TokenTable, sessionLife: UInt64, mostSessions: Int) {
        self.tokens = tokens
        self.sessionLife = sessionLife
        sessions = Sessions(limit: mostSessions)
    }

    /// Takes the tokens of the file as it is now; sessions of removed tokens end.
    ///
    /// - Returns: the former tokens. Releasing many takes long, so the caller chooses the thread.
    func take(_ new: TokenTable) -> TokenTable {
        let former = tokens
        tokens = new
        removeSessions { tokens[$0.digest] == nil }
        return former
    }

    /// The principal of a token at a time (milliseconds since 1970).
    func principal(token: BorrowedBytes, at now: UInt64) -> Outcome {
        outcome(SHA256.digest(token), at: now)
    }

    /// The result of checking a token or cookie.
    enum Outcome {
        case known(Principal)
        case expired
        case unknown
    }

    private func outcome(_ digest: [UInt8], at now: UInt64) -> Outcome {
        guard let principal = tokens[digest] else { return .unknown }
        if let expires = principal.expires, expires <= now { return .expired }
        return .known(principal)
    }

    /// The principal with the same token as one from before the file was reloaded; nil if the token
    /// is gone.
    func principal(like former: Principal) -> Principal? {
        tokens[former.digest]
    }

    // MARK: - Sessions of browsers

    /// Makes a cookie for a known token.
    ///
    /// If all places are taken, a principal above its share loses the cookie that it has not used
    /// for longest (``FairShares``).
    ///
    /// - Returns: the cookie's value; nil for an unknown token.
    func signIn(token: BorrowedBytes, at now: UInt64) -> String? {
        let digest = SHA256.digest(token)
        guard case .known(let principal) = outcome(digest, at: now) else { return nil }
        if now >= sweptAt + 10_000 {
            sweptAt = now
            removeSessions { now >= $0.lastUse + sessionLife }
        }
        let value = Token().text
        let key = value.withBorrowedBytes { SHA256.digest($0) }
        let (place, lost) = sessions.add(
            Cookie(key: key, digest: digest, lastUse: now),
            of: principal.name
        )
        if let lost { cookies[lost.member.key] = nil }
        cookies[key] = place
        return value
    }

    /// The principal of a cookie; each use extends its validity.
    func principal(cookie: BorrowedBytes, at now: UInt64) -> Outcome {
        let key = SHA256.digest(cookie)
        guard let place = cookies[key] else { return .unknown }
        let found = place.member
        guard now < found.lastUse + sessionLife else {
            removeSession(key)
            return .expired
        }
        found.lastUse = now
        sessions.renew(place)
        return outcome(found.digest, at: now)
    }

    func signOut(cookie: BorrowedBytes) {
        removeSession(SHA256.digest(cookie))
    }

    private func removeSession(_ key: [UInt8]) {
        if let place = cookies.removeValue(forKey: key) { sessions.remove(place) }
    }

    private func removeSessions(where isOver: (Cookie) -> Bool) {
        for place in Array(cookies.values) where isOver(place.member) { removeSession(place.member.key) }
    }
}
