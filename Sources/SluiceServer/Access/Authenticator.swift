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
    /// The tokens made at the server, and what was revoked at it.
    private let kept: KeptAccess?
    /// The tokens of issuers; nil: there is no file of issuers.
    let issued: IssuedTokens?
    private typealias Sessions = FairShares<String, Cookie>
    private var cookies: [[UInt8]: Sessions.Place] = [:]
    /// Shared among the principals, by name.
    private var sessions: Sessions
    private var sweptAt: UInt64 = 0
    /// Rises when tokens may have other rights than before, or count no longer.
    private var revision: UInt64 = 0

    private final class Cookie {
        /// The digest of its value.
        let key: [UInt8]
        /// The principal of the token it was made from.
        var principal: Principal
        /// The revision of its rights.
        var revision: UInt64
        var lastUse: UInt64

        init(key: [UInt8], principal: Principal, revision: UInt64, lastUse: UInt64) {
            self.key = key
            self.principal = principal
            self.revision = revision
            self.lastUse = lastUse
        }
    }

    init(
        _ tokens: TokenTable,
        kept: KeptAccess? = nil,
        issued: IssuedTokens? = nil,
        sessionLife: UInt64,
        mostSessions: Int
    ) {
        (self.tokens, self.kept, self.issued) = (tokens, kept, issued)
        if let kept { issued?.isRevoked = { [unowned kept] in kept.isRevoked($0) } }
        self.sessionLife = sessionLife
        sessions = Sessions(limit: mostSessions)
    }

    /// Takes the tokens and the issuers of the files as they are now.
    ///
    /// - Returns: the former tokens. Releasing many takes long, so the caller chooses the thread.
    func take(_ new: TokenTable, _ issuers: [Issuer]) -> TokenTable {
        let former = tokens
        tokens = new
        issued?.take(issuers)
        return former
    }

    /// Browsers' sessions whose token counts no longer end; the others have its present rights.
    ///
    /// Finding the rights of an issuer's token takes a while, so that is done when its session is
    /// used again.
    func reviseSessions() {
        revision += 1
        issued?.forgetRevoked()
        removeSessions { $0.principal.source == nil && listed($0.principal.digest) == nil }
    }

    /// The client of a token of the file, or of one made at the server.
    private func listed(_ digest: [UInt8]) -> Principal? { tokens[digest] ?? kept?[digest] }

    /// The principal of a token at a time (milliseconds since 1970).
    func principal(token: BorrowedBytes, at now: UInt64) -> TokenOutcome {
        let digest = SHA256.digest(token)
        if let principal = listed(digest) { return outcome(principal, at: now) }
        return issued?.outcome(token, digest, at: now) ?? .unknown
    }

    private func outcome(_ principal: Principal, at now: UInt64) -> TokenOutcome {
        if let expires = principal.expires, expires <= now { return .expired }
        return .known(principal)
    }

    /// The principal with the same token as one from before the files were reloaded; nil if the
    /// token counts no longer.
    func principal(like former: Principal) -> Principal? {
        guard let token = former.source as? IssuedToken else { return listed(former.digest) }
        return issued?.principal(token)
    }

    // MARK: - Sessions of browsers

    /// Makes a cookie for the principal of a token.
    ///
    /// If all places are taken, a principal above its share loses the cookie that it has not used
    /// for longest (``FairShares``).
    ///
    /// - Returns: the cookie's value.
    func signIn(_ principal: Principal, at now: UInt64) -> String {
        if now >= sweptAt + 10_000 {
            sweptAt = now
            removeSessions { now >= $0.lastUse + sessionLife }
        }
        let value = Token().text
        let key = value.withBorrowedBytes { SHA256.digest($0) }
        let (place, lost) = sessions.add(
            Cookie(key: key, principal: principal, revision: revision, lastUse: now),
            of: principal.name
        )
        if let lost { cookies[lost.member.key] = nil }
        cookies[key] = place
        return value
    }

    /// The principal of a cookie; each use extends its validity.
    func principal(cookie: BorrowedBytes, at now: UInt64) -> TokenOutcome {
        let key = SHA256.digest(cookie)
        guard let place = cookies[key] else { return .unknown }
        let found = place.member
        guard now < found.lastUse + sessionLife else {
            removeSession(key)
            return .expired
        }
        if found.revision != revision {
            guard let present = principal(like: found.principal) else {
                removeSession(key)
                return .unknown
            }
            (found.principal, found.revision) = (present, revision)
        }
        found.lastUse = now
        sessions.renew(place)
        return outcome(found.principal, at: now)
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
