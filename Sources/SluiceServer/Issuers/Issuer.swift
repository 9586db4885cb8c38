internal import Definitions
internal import JOSE
internal import TLS

/// An issuer of tokens, as the file of issuers has it.
struct Issuer {
    /// Where its keys come from.
    enum KeySource {
        case file(KeySet)
        /// A set of keys at an address.
        case address(RemoteURL)
        /// The address that its metadata names (OpenID Connect Discovery 1.0 §4).
        case discovery(RemoteURL)

        /// What is asked first; nil: a file.
        var url: RemoteURL? {
            switch self {
            case .file: nil
            case .address(let url), .discovery(let url): url
            }
        }
    }

    /// Its name in tokens (`iss`), compared byte by byte.
    let id: String
    /// What the names of its principals begin with.
    let name: String
    /// A token must be for one of them (`aud`).
    let audiences: [String]
    let keys: KeySource
    /// The authorities of its address: a path as it is written, and what was read there.
    let authorities: String?
    let trust: TLSContext?
    let algorithms: [SignatureAlgorithm]
    /// How far its clock may be off, in seconds.
    let skew: Double
    /// Gives the roles; nil: none.
    let roles: Expression?
    let rights: GrantRules
    /// The tokens that no longer count.
    let revoked: Revocations

    /// What an RSA key is for that does not say it: RS256, which OpenID Connect requires, unless
    /// only PS256 is wanted.
    static func rsa(_ algorithms: [SignatureAlgorithm]) -> SignatureAlgorithm {
        algorithms.contains(.ps256) && !algorithms.contains(.rs256) ? .ps256 : .rs256
    }
}
