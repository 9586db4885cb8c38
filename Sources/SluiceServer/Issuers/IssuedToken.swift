internal import Graphs
internal import JOSE
internal import Support

/// A token of an issuer whose signature has been checked.
///
/// A principal keeps it (`Principal.source`), so that its rights can be found again when the file
/// of issuers has changed.
final class IssuedToken {
    let claims: RegisteredClaims
    /// All claims, as JSON.
    let payload: [UInt8]
    /// The key that signed it.
    let key: VerificationKey
    let digest: [UInt8]

    init(_ claims: RegisteredClaims, _ payload: [UInt8], _ key: VerificationKey, digest: [UInt8]) {
        (self.claims, self.payload, self.key, self.digest) = (claims, payload, key, digest)
    }
}

extension Issuer {
    /// Why a token does not count at a time (milliseconds since 1970), even if its signature is
    /// good; nil: it may.
    func refusal(_ claims: RegisteredClaims, at now: UInt64) -> TokenOutcome? {
        let seconds = Double(now) / 1000
        if claims.expires + skew <= seconds { return .expired }
        if let start = claims.notBefore, start > seconds + skew {
            return .refused("the token is not valid yet (nbf)")
        }
        guard claims.audiences.contains(where: audiences.contains) else {
            return .refused("the token is for another audience (aud)")
        }
        let subject = claims.subject.utf8
        guard (1...255).contains(subject.count), subject.allSatisfy({ $0 > 32 && $0 != 127 }) else {
            return .refused("the token's subject (sub) is longer than 255 bytes, or has blanks")
        }
        guard !revoked.cover(claims) else {
            return .refused("the token is revoked")
        }
        return nil
    }

    /// The client that shows a token, with its rights by the present rules.
    func principal(_ token: IssuedToken) -> Principal {
        let claims = Claims(token)
        return Principal(
            name: "\(name)#\(token.claims.subject)",
            roles: roles.map { Array(claims.texts($0).prefix(IssuerFile.mostRules)) } ?? [],
            grants: rights.grants(claims),
            // Until then it would be accepted again.
            expires: UInt64((token.claims.expires + skew) * 1000),
            digest: token.digest,
            source: token
        )
    }
}
