internal import Definitions
internal import EventLoop
internal import Graphs
internal import JOSE
internal import Logging
internal import Support

/// The tokens of issuers: recognises those that were shown before, and checks others on a thread of
/// its own.
final class IssuedTokens {
    /// How many tokens are remembered; another one of a principal above its share takes the place
    /// of its oldest (``FairShares``).
    private let most: Int
    private let loop: Loop
    private let log: Logger
    /// Checks signatures; started with the first.
    private var thread: SerialThread?
    private var issuers: [String: (issuer: Issuer, keys: IssuerKeys)] = [:]
    private typealias Shares = FairShares<String, Principal>
    private var shares: Shares
    private var known: [[UInt8]: Shares.Place] = [:]
    /// How many signatures were checked.
    private(set) var checked: UInt64 = 0
    /// Whether a token was revoked at the server.
    var isRevoked: (RegisteredClaims) -> Bool = { _ in false }
    /// Called before the answer to a check.
    var onAnswer: () -> Void = {}
    /// Called when an issuer has withdrawn keys: tokens that were accepted may count no longer.
    var onWithdrawal: () -> Void = {}

    init(_ issuers: [Issuer], most: Int, on loop: Loop, _ log: Logger) {
        (self.most, self.loop, self.log) = (most, loop, log)
        shares = Shares(limit: most)
        take(issuers)
    }

    /// Takes the issuers of the file as it is now; keys that were fetched from the same place stay.
    func take(_ new: [Issuer]) {
        let former = issuers
        issuers = [:]
        for issuer in new {
            var keys = IssuerKeys(issuer, on: loop, log)
            if let old = former[issuer.id]?.keys, old.isLike(issuer) { keys = old }
            keys.onChange = { [unowned self] in
                forgetKnown()
                onWithdrawal()
            }
            issuers[issuer.id] = (issuer, keys)
            if let url = issuer.keys.url, !url.scheme.isSecure, !HostName.isLoopback(url.host) {
                log.warning(
                    "keys of an issuer are fetched without TLS: who is on the way can replace them",
                    metadata: ["issuer": "\(issuer.id)"]
                )
            }
        }
        forgetKnown()
        for (id, former) in former where issuers[id]?.keys !== former.keys { former.keys.end() }
    }

    /// The server stops: nothing is fetched any more.
    func stop() { issuers = [:] }

    /// How many issuers could not be reached when that was tried last.
    var downCount: Int { issuers.values.count { $0.keys.hasFailed } }

    private func forgetKnown() {
        shares = Shares(limit: most)
        known = [:]
    }

    /// Fetches the keys that are missing.
    func prepare() {
        for (_, keys) in issuers.values { keys.prepare() }
    }

    /// The client that shows a token at a time (milliseconds since 1970).
    func outcome(_ token: BorrowedBytes, _ digest: [UInt8], at now: UInt64) -> TokenOutcome {
        if let place = known[digest] {
            let principal = place.member
            if let expires = principal.expires, expires <= now {
                shares.remove(place)
                known[digest] = nil
                return .expired
            }
            shares.renew(place)
            if let token = principal.source as? IssuedToken { issuers[token.claims.issuer]?.keys.refresh() }
            return .known(principal)
        }
        guard SignedToken.isLikely(token) else { return .unknown }
        do throws(JOSEError) {
            let signed = try SignedToken(token)
            let claims = try signed.payload.withBorrowedBytes { bytes throws(JOSEError) in
                try RegisteredClaims(bytes)
            }
            guard let (issuer, _) = issuers[claims.issuer] else {
                return .refused("the token's issuer (iss) is not known here")
            }
            guard issuer.algorithms.contains(signed.algorithm) else {
                return .refused("the token's algorithm (alg) is not one of its issuer's")
            }
            if let refusal = refusal(issuer, claims, at: now) { return refusal }
            return .unchecked(TokenCheck(self, signed, claims, digest))
        } catch {
            return .refused("\(error)")
        }
    }

    /// The client of a token that was accepted before, with its rights by the present rules; nil if
    /// it counts no longer.
    func principal(_ token: IssuedToken) -> Principal? {
        let now = UInt64(max(0, loop.wallClock))
        guard let (issuer, keys) = issuers[token.claims.issuer], keys.has(token.key),
            issuer.algorithms.contains(token.key.algorithm),
            case nil = refusal(issuer, token.claims, at: now)
        else { return nil }
        return issuer.principal(token)
    }

    private func refusal(_ issuer: Issuer, _ claims: RegisteredClaims, at now: UInt64) -> TokenOutcome? {
        isRevoked(claims) ? .refused("the token is revoked") : issuer.refusal(claims, at: now)
    }

    /// Forgets the tokens that were revoked at the server since they were shown.
    func forgetRevoked() {
        for (digest, place) in known {
            guard let token = place.member.source as? IssuedToken, isRevoked(token.claims) else { continue }
            shares.remove(place)
            known[digest] = nil
        }
    }

    /// The issuer with that claim `iss`, or that short name.
    func issuer(named name: String) -> Issuer? {
        issuers[name]?.issuer ?? issuers.values.first { $0.issuer.name == name }?.issuer
    }

    // MARK: - Checking

    /// Checks a signature; `done` is called once, in a later turn.
    func check(_ check: TokenCheck, _ done: @escaping (TokenOutcome) -> Void) {
        guard let (_, keys) = issuers[check.claims.issuer] else {
            return answer(.refused("the token's issuer (iss) is not known here"), done)
        }
        switch keys.find(check.token) {
        case .fetching:
            keys.whenFetched { [weak self] in
                guard let self else { return }
                onAnswer()
                self.check(check, done)
            }
        case .unavailable: answer(.unavailable, done)
        case .refused(let sentence): answer(.refused(sentence), done)
        case .key(let key):
            checked += 1
            let token = check.token
            guard let thread = thread ?? startedThread() else {
                return answer(accepted(check, key, key.accepts(token)), done)
            }
            thread.run {
                key.accepts(token)
            } then: { [weak self] isGood in
                guard let self else { return }
                onAnswer()
                done(accepted(check, key, isGood))
            }
        }
    }

    private func answer(_ outcome: TokenOutcome, _ done: @escaping (TokenOutcome) -> Void) {
        loop.soon { [weak self] in
            self?.onAnswer()
            done(outcome)
        }
    }

    private func startedThread() -> SerialThread? {
        // A stopping server does not wait for clients that have gone.
        thread = try? SerialThread(on: loop, keepsLoopAlive: false)
        return thread
    }

    private func accepted(_ check: TokenCheck, _ key: VerificationKey, _ isGood: Bool) -> TokenOutcome {
        guard isGood else { return .refused("the token's signature is not by the key of its issuer") }
        // The file of issuers, or the keys, may have changed meanwhile.
        let token = IssuedToken(check.claims, check.token.payload, key, digest: check.digest)
        guard let principal = principal(token) else { return .unknown }
        guard known[check.digest] == nil else { return .known(principal) }
        let (place, lost) = shares.add(principal, of: principal.name)
        if let lost { known[lost.member.digest] = nil }
        known[check.digest] = place
        return .known(principal)
    }
}

/// An issuer's token that has not been shown before.
final class TokenCheck {
    let token: SignedToken
    let claims: RegisteredClaims
    let digest: [UInt8]
    private let tokens: IssuedTokens

    init(_ tokens: IssuedTokens, _ token: SignedToken, _ claims: RegisteredClaims, _ digest: [UInt8]) {
        (self.tokens, self.token, self.claims, self.digest) = (tokens, token, claims, digest)
    }

    /// Checks its signature; `done` is called once, in a later turn.
    func begin(_ done: @escaping (TokenOutcome) -> Void) { tokens.check(self, done) }
}
