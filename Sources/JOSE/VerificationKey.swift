internal import Support
public import Values

/// A key that checks signatures of one algorithm (RFC 7517).
///
/// The key says which algorithm that is, never the token: a token that names another one is refused
/// (RFC 8725 §3.1).
public struct VerificationKey: Sendable {
    private enum Material: Sendable {
        case publicKey(PublicKey)
        case secret(SharedSecret)
    }

    /// Its name in the headers of tokens (`kid`); nil: it has none.
    public let id: String?
    public let algorithm: SignatureAlgorithm
    /// What makes it this key, whatever its name: two keys with the same are the same.
    public let mark: [UInt8]
    private let material: Material

    /// Whether the signature of a token is by this key.
    public func accepts(_ token: SignedToken) -> Bool {
        guard token.algorithm == algorithm else { return false }
        let signature = token.signature
        switch material {
        case .secret(let secret): return secret.accepts(signature, of: token.signedBytes)
        case .publicKey(let key):
            guard algorithm == .es256 else { return key.accepts(signature, of: token.signedBytes) }
            // Two numbers of 32 bytes (RFC 7518 §3.4); OpenSSL takes them as a sequence.
            guard signature.count == 64 else { return false }
            let numbers = DER.sequence(DER.integer(signature[..<32]), DER.integer(signature[32...]))
            return key.accepts(numbers, of: token.signedBytes)
        }
    }

    // MARK: - JWK

    /// Reads a key.
    ///
    /// A key of RSA without `alg` is for `rsa`, RS256 or PS256: it must not be for both.
    ///
    /// - Throws: if it is not for checking signatures, of an algorithm that is not supported, too
    ///   weak, or malformed.
    public init(_ jwk: JSONReader, rsa: SignatureAlgorithm) throws(JOSEError) {
        guard jwk.kind == .object else { throw JOSEError("a key must be an object") }
        if let use = jwk["use"], use.string != "sig" {
            throw JOSEError("the key is not for signatures (use)")
        }
        if let uses = jwk["key_ops"], !uses.elements.contains(where: { $0.string == "verify" }) {
            throw JOSEError("the key is not for checking signatures (key_ops)")
        }
        id = try jwk["kid"].map { kid throws(JOSEError) in
            guard let id = kid.string else { throw JOSEError("kid must be a string") }
            return id
        }
        let named = try jwk["alg"].map { alg throws(JOSEError) in
            guard let algorithm = alg.string.flatMap(SignatureAlgorithm.init(name:)) else {
                throw JOSEError("the key's algorithm (alg) is not supported")
            }
            return algorithm
        }
        let made: (algorithm: SignatureAlgorithm, key: [UInt8])
        switch jwk["kty"]?.string {
        case "RSA": made = (named ?? rsa, try Self.rsaKey(jwk))
        case "EC": made = (.es256, try Self.curvePoint(jwk))
        case "OKP": made = (.edDSA, try Self.edwardsKey(jwk))
        case "oct": made = (.hs256, try Self.number("k", of: jwk))
        default: throw JOSEError("the kind of key (kty) is not supported")
        }
        let fits = made.algorithm == .rs256 || made.algorithm == .ps256
        guard named == nil || named == made.algorithm, fits == (jwk["kty"]?.string == "RSA") else {
            throw JOSEError("the key's algorithm (alg) does not fit its kind (kty)")
        }
        (algorithm, mark) = (made.algorithm, made.key)
        if algorithm == .hs256 {
            // As long as the digest (RFC 7518 §3.2).
            guard mark.count >= 32 else { throw JOSEError("a secret must have 32 bytes or more") }
            material = .secret(SharedSecret(bytes: mark))
        } else {
            let scheme: PublicKey.Scheme =
                switch algorithm {
                case .ps256: .salted
                case .edDSA: .whole
                default: .sha256
                }
            guard let key = PublicKey(der: mark, scheme) else {
                throw JOSEError("the numbers are not a key of this kind")
            }
            material = .publicKey(key)
        }
    }

    private static func number(_ name: StaticString, of jwk: JSONReader) throws(JOSEError) -> [UInt8] {
        guard let text = jwk[name]?.string, text.utf8.count <= 2048, let bytes = Base64URL.bytes(text),
            !bytes.isEmpty
        else { throw JOSEError("\(name) must be base64url") }
        return bytes
    }

    private static func rsaKey(_ jwk: JSONReader) throws(JOSEError) -> [UInt8] {
        let (modulus, exponent) = (try number("n", of: jwk), try number("e", of: jwk))
        let bits = modulus.count * 8 - modulus[0].leadingZeroBitCount
        guard modulus[0] != 0, exponent[0] != 0 else { throw JOSEError("n and e must not begin with a zero") }
        // More bits cost more than a token is worth.
        guard (2048...8192).contains(bits) else { throw JOSEError("an RSA key must have 2048 to 8192 bits") }
        guard exponent.count <= 4, exponent != [1], exponent.last.map({ $0 % 2 == 1 }) == true else {
            throw JOSEError("e must be an odd number from 3 to 2^32")
        }
        return DER.publicKey(DER.rsa, DER.sequence(DER.integer(modulus), DER.integer(exponent)))
    }

    private static func curvePoint(_ jwk: JSONReader) throws(JOSEError) -> [UInt8] {
        guard jwk["crv"]?.string == "P-256" else { throw JOSEError("the curve (crv) is not supported") }
        let (x, y) = (try number("x", of: jwk), try number("y", of: jwk))
        guard x.count == 32, y.count == 32 else { throw JOSEError("x and y must have 32 bytes") }
        return DER.publicKey(DER.p256, [4] + x + y)
    }

    private static func edwardsKey(_ jwk: JSONReader) throws(JOSEError) -> [UInt8] {
        guard jwk["crv"]?.string == "Ed25519" else { throw JOSEError("the curve (crv) is not supported") }
        let key = try number("x", of: jwk)
        guard key.count == 32 else { throw JOSEError("x must have 32 bytes") }
        return DER.publicKey(DER.ed25519, key)
    }
}
