internal import EventLoop
internal import JOSE
internal import Logging
internal import Outbound
internal import TLS

/// The keys of one issuer, fetched when they are needed.
///
/// What was fetched is kept while the issuer cannot be reached.
final class IssuerKeys {
    /// What a token finds.
    enum Found {
        case key(VerificationKey)
        case refused(String)
        /// They are being fetched: ask again after ``whenFetched(_:)``.
        case fetching
        case unavailable
    }

    private let issuer: String
    private let source: Issuer.KeySource
    private let authorities: String?
    private let rsa: SignatureAlgorithm
    private let trust: TLSContext?
    private let loop: Loop
    private let log: Logger
    private var set: KeySet?
    private var fetch: KeyFetch?
    private var times = FetchTimes()
    /// Whether the last attempt to fetch them came to nothing.
    private(set) var hasFailed = false
    private var waiting: [() -> Void] = []
    /// Called when there are others than before.
    var onChange: () -> Void = {}

    init(_ issuer: Issuer, on loop: Loop, _ log: Logger) {
        (self.issuer, source, self.loop, self.log) = (issuer.id, issuer.keys, loop, log)
        rsa = Issuer.rsa(issuer.algorithms)
        authorities = issuer.authorities
        trust = issuer.trust
        if case .file(let keys) = issuer.keys { set = keys }
    }

    /// Whether another one of the file has the same keys, from the same place.
    func isLike(_ issuer: Issuer) -> Bool {
        guard let url = source.url, url == issuer.keys.url else { return false }
        return authorities == issuer.authorities && rsa == Issuer.rsa(issuer.algorithms)
    }

    /// Whether tokens of this key count still.
    func has(_ key: VerificationKey) -> Bool { set?.has(key) ?? false }

    /// The key of a token.
    func find(_ token: SignedToken) -> Found {
        guard let set else {
            return begin(because: .none) ? .fetching : .unavailable
        }
        switch set.key(of: token) {
        case .key(let key):
            refresh()
            return .key(key)
        case .refused(let error): return .refused("\(error)")
        case .unknown:
            if begin(because: .unknown) { return .fetching }
            // The key may be one of those that could not be fetched.
            return hasFailed ? .unavailable : .refused("the issuer has no key of that name (kid)")
        }
    }

    /// Fetches keys that are used and have become old, while those at hand are used on.
    func refresh() { begin(because: .use) }

    /// Fetches them before the first token comes.
    func prepare() { begin(because: .use) }

    func whenFetched(_ body: @escaping () -> Void) { waiting.append(body) }

    /// Fetches them, unless that was tried a short time ago.
    ///
    /// - Returns: whether they are being fetched.
    @discardableResult
    private func begin(because reason: FetchTimes.Reason) -> Bool {
        if fetch != nil { return true }
        guard source.url != nil, times.begin(reason, at: loop.now) else { return false }
        fetch = KeyFetch(source, of: issuer, trust, rsa, on: loop) { [weak self] in self?.end($0) }
        return true
    }

    /// Others take their place: requests that wait are checked by those.
    func end() {
        fetch = nil
        wake()
    }

    private func wake() {
        let woken = waiting
        waiting = []
        for body in woken { body() }
    }

    private func end(_ result: Result<KeySet, KeyFetch.Failure>) {
        fetch = nil
        switch result {
        case .success(let new):
            times.succeeded(at: loop.now)
            if hasFailed || set == nil {
                log.info(
                    "keys of an issuer fetched",
                    metadata: ["issuer": "\(issuer)", "keys": "\(new.keys.count)"]
                )
            }
            hasFailed = false
            let isChanged = set.map { former in former.keys.contains { key in !new.has(key) } } ?? false
            set = new
            if isChanged { onChange() }
        case .failure(let failure):
            if !hasFailed {
                log.warning(
                    "keys of an issuer cannot be fetched; those from before stay",
                    metadata: ["issuer": "\(issuer)", "why": "\(failure)", "keys": "\(set?.keys.count ?? 0)"]
                )
            }
            hasFailed = true
        }
        wake()
    }
}
