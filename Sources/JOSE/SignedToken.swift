public import Support
internal import Values

/// A JSON Web Token with a signature that is not checked yet: a JWS in its compact form (RFC 7515
/// §7.1, RFC 7519).
public struct SignedToken: Sendable {
    /// The longest token; heads of requests have 16 KiB.
    public static var mostBytes: Int { 16 << 10 }

    public let algorithm: SignatureAlgorithm
    /// The name of its key.
    public let keyID: String?
    /// The claims as JSON; an object.
    public let payload: [UInt8]
    /// What is signed: header and claims as they came.
    let signedBytes: [UInt8]
    let signature: [UInt8]

    /// Whether bytes look like a token of three parts.
    public static func isLikely(_ text: BorrowedBytes) -> Bool {
        // Base64url of `{"`, with which each header begins.
        text.count > 20 && text.starts(with: "eyJ".utf8) && text.contains(UInt8(ascii: "."))
    }

    /// Parses a token; nothing in it is to be believed yet.
    public init(_ text: BorrowedBytes) throws(JOSEError) {
        guard text.count <= Self.mostBytes else { throw JOSEError("the token is longer than 16 KiB") }
        let dots = text.indices.filter { text[$0] == UInt8(ascii: ".") }
        guard dots.count != 4 else { throw JOSEError("encrypted tokens are not supported") }
        guard dots.count == 2 else { throw JOSEError("a token has three parts with dots between them") }
        guard let header = Base64URL.bytes(text.part(..<dots[0])),
            let payload = Base64URL.bytes(text.part(dots[0] + 1..<dots[1])),
            let signature = Base64URL.bytes(text.part((dots[1] + 1)...))
        else { throw JOSEError("a part of the token is not base64url") }
        let (name, algorithm) = try header.withBorrowedBytes { bytes throws(JOSEError) in
            try Self.header(bytes)
        }
        guard !signature.isEmpty else { throw JOSEError("the token has no signature") }
        (keyID, self.algorithm, self.payload, self.signature) = (name, algorithm, payload, signature)
        signedBytes = Array(text.part(..<dots[1]))
    }

    private static func header(_ bytes: BorrowedBytes) throws(JOSEError) -> (String?, SignatureAlgorithm) {
        guard let header = try? JSONReader(checking: bytes), header.kind == .object else {
            throw JOSEError("the token's header is not a JSON object")
        }
        // No extension is understood (RFC 7515 §4.1.11), and b64 is one (RFC 7797).
        guard header["crit"] == nil, header["b64"] == nil else {
            throw JOSEError("the token has an extension that is not supported (crit)")
        }
        guard let algorithm = header["alg"]?.string.flatMap(SignatureAlgorithm.init(name:)) else {
            throw JOSEError("the token's algorithm (alg) is not supported")
        }
        // Tokens for other purposes, such as those of logout, name their type (RFC 8725 §3.11).
        if let type = header["typ"] {
            guard let text = type.string?.lowercased(), types.contains(text) else {
                throw JOSEError("the token is of another type (typ)")
            }
        }
        guard header["cty"] == nil else { throw JOSEError("a token in a token is not supported (cty)") }
        guard let name = header["kid"] else { return (nil, algorithm) }
        guard let text = name.string else { throw JOSEError("the token's key (kid) is not a string") }
        return (text, algorithm)
    }

    private static let types = ["jwt", "application/jwt", "at+jwt", "application/at+jwt"]
}
