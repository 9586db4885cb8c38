public import Support
internal import Values

/// The claims that each token is checked by (RFC 7519 §4.1).
public struct RegisteredClaims: Sendable {
    public let issuer: String
    public let subject: String
    public let audiences: [String]
    /// Seconds since 1970.
    public let expires: Double
    public let notBefore: Double?
    public let issuedAt: Double?
    public let id: String?

    /// Reads the claims of a token.
    ///
    /// - Throws: if they are not a JSON object, one of them has the wrong type, or one of issuer,
    ///   subject and expiry is missing.
    public init(_ payload: BorrowedBytes) throws(JOSEError) {
        guard let claims = try? JSONReader(checking: payload), claims.kind == .object else {
            throw JOSEError("the token's claims are not a JSON object")
        }
        func text(_ name: StaticString) throws(JOSEError) -> String? {
            guard let claim = claims[name] else { return nil }
            guard let text = claim.string else { throw JOSEError("the claim \(name) is not a string") }
            return text
        }
        func time(_ name: StaticString) throws(JOSEError) -> Double? {
            guard let claim = claims[name] else { return nil }
            guard let seconds = claim.double, (0...0x1p53).contains(seconds) else {
                throw JOSEError("the claim \(name) is not a time in seconds")
            }
            return seconds
        }
        func needed<Claim>(_ claim: Claim?, _ name: String) throws(JOSEError) -> Claim {
            guard let claim else { throw JOSEError("the token has no claim \(name)") }
            return claim
        }
        issuer = try needed(try text("iss"), "iss")
        subject = try needed(try text("sub"), "sub")
        expires = try needed(try time("exp"), "exp")
        (notBefore, issuedAt, id) = (try time("nbf"), try time("iat"), try text("jti"))
        guard let audience = claims["aud"] else {
            audiences = []
            return
        }
        var audiences: [String] = []
        for one in audience.kind == .array ? Array(audience.elements) : [audience] {
            guard let text = one.string else {
                throw JOSEError("the claim aud has other values than strings")
            }
            audiences.append(text)
        }
        self.audiences = audiences
    }
}
