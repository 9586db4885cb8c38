public import Support
internal import Values

/// The keys of one issuer (RFC 7517 §5).
public struct KeySet: Sendable {
    /// The longest text.
    public static var mostBytes: Int { 256 << 10 }
    /// The most keys, of which issuers have a few.
    public static var mostKeys: Int { 100 }

    public let keys: [VerificationKey]
    /// Why others cannot be used.
    public let unused: [JOSEError]

    /// Reads a set of keys, or a single one.
    ///
    /// Keys that cannot be used are left out: an issuer may have others, for encryption or for
    /// other services.
    ///
    /// - Throws: if the text is not a set, has too many, or none that can be used.
    public init(_ text: BorrowedBytes, rsa: SignatureAlgorithm = .rs256) throws(JOSEError) {
        guard text.count <= Self.mostBytes else { throw JOSEError("the set of keys is too long") }
        guard let set = try? JSONReader(checking: text), set.kind == .object else {
            throw JOSEError("the set of keys is not a JSON object")
        }
        var (keys, unused): ([VerificationKey], [JOSEError]) = ([], [])
        var count = 0
        func take(_ jwk: JSONReader) throws(JOSEError) {
            count += 1
            guard count <= Self.mostKeys else { throw JOSEError("the set has more than 100 keys") }
            do throws(JOSEError) {
                keys.append(try VerificationKey(jwk, rsa: rsa))
            } catch {
                unused.append(error)
            }
        }
        if let list = set["keys"] {
            guard list.kind == .array else { throw JOSEError("'keys' must be a list") }
            for jwk in list.elements { try take(jwk) }
        } else {
            try take(set)
        }
        guard !keys.isEmpty else {
            let why = unused.first.map { ": \($0)" } ?? ""
            throw JOSEError("the set has no key that can be used\(why)")
        }
        (self.keys, self.unused) = (keys, unused)
    }

    /// Whether it has this key, by whatever name.
    public func has(_ key: VerificationKey) -> Bool {
        keys.contains { $0.mark == key.mark && $0.algorithm == key.algorithm }
    }

    /// The same without secrets: one that is published is none.
    public func withoutSecrets() throws(JOSEError) -> KeySet {
        let keys = keys.filter { !$0.algorithm.isSymmetric }
        guard !keys.isEmpty else { throw JOSEError("the set has no key that can be used") }
        return KeySet(keys: keys, unused: unused)
    }

    private init(keys: [VerificationKey], unused: [JOSEError]) {
        (self.keys, self.unused) = (keys, unused)
    }

    /// What a token's header finds among the keys.
    public enum Match: Sendable {
        case key(VerificationKey)
        /// No key has this name: the issuer may have another one by now.
        case unknown
        /// None can be meant.
        case refused(JOSEError)
    }

    /// The key of a token: that of its name (`kid`); without a name the only one of its algorithm.
    public func key(of token: SignedToken) -> Match {
        let named = token.keyID.map { id in keys.filter { $0.id == id } } ?? keys
        if named.isEmpty { return .unknown }
        let fitting = named.filter { $0.algorithm == token.algorithm }
        guard let key = fitting.first else {
            return .refused(JOSEError("the token's algorithm (alg) is not that of its key"))
        }
        guard fitting.count == 1 else {
            return .refused(JOSEError("the token must name its key (kid), because there are several"))
        }
        return .key(key)
    }
}
