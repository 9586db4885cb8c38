/// The algorithms whose signatures are checked (RFC 7518 §3.1, RFC 8037 §3.1).
///
/// `none` is not among them, and neither is any with a digest that no issuer needs.
public enum SignatureAlgorithm: String, Sendable, CaseIterable {
    case rs256 = "RS256"
    case ps256 = "PS256"
    case es256 = "ES256"
    case edDSA = "EdDSA"
    case hs256 = "HS256"

    /// The algorithm with that name; nil: it is not supported.
    ///
    /// RFC 9864 calls EdDSA with this curve `Ed25519`.
    public init?(name: String) {
        self.init(rawValue: name == "Ed25519" ? "EdDSA" : name)
    }

    /// Whether who can check a signature can also make one.
    public var isSymmetric: Bool { self == .hs256 }
}
