import JOSE
import Support

extension Target {
    /// Tokens, their claims, and sets of keys: what a client may send before it is known.
    static let jose = Target(name: "jose") { bytes in
        if let plain = Base64URL.bytes(bytes) {
            let text = Base64.text(plain).utf8.filter { $0 != UInt8(ascii: "=") }
            let isSame = zip(text, bytes).allSatisfy { canonical, given in
                switch given {
                case UInt8(ascii: "-"): canonical == UInt8(ascii: "+")
                case UInt8(ascii: "_"): canonical == UInt8(ascii: "/")
                default: canonical == given
                }
            }
            require(isSame && text.count == bytes.count, "two texts for the same bytes")
        }
        _ = try? RegisteredClaims(bytes)
        if let set = try? KeySet(bytes) { require(!set.keys.isEmpty, "a set without keys") }
        // Base64 is hard to come by: the parts are encoded here.
        let parts = bytes.split(separator: 0, maxSplits: 1).map { Base64.text(Array($0)) }
        let joined = parts.joined(separator: ".").utf8.compactMap { byte -> UInt8? in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            case UInt8(ascii: "="): nil
            default: byte
            }
        }
        check(bytes)
        (joined + Array(".AAAA".utf8)).withBorrowedBytes { check($0) }
    }

    /// No token is accepted by a key that has signed nothing.
    private static func check(_ text: BorrowedBytes) {
        _ = SignedToken.isLikely(text)
        guard let token = try? SignedToken(text), let set = try? keySet.get() else { return }
        _ = token.payload.withBorrowedBytes { try? RegisteredClaims($0) }
        _ = set.key(of: token)
        for key in set.keys { require(!key.accepts(token), "an accepted signature") }
    }

    private static let keySet = Result {
        try Array(
            #"""
            {"keys":[
            {"kty":"OKP","kid":"a","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"},
            {"kty":"EC","kid":"b","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"},
            {"kty":"oct","k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"}]}
            """#.utf8
        ).withBorrowedBytes { try KeySet($0) }
    }
}
