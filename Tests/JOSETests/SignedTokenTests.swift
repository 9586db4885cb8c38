import JOSE
import Support
import Testing

@Suite struct SignedTokenTests {
    @Test(arguments: [
        (#"{"alg":"none"}"#, "(alg) is not supported"), (#"{"alg":"nOnE"}"#, "(alg) is not supported"),
        (#"{"alg":"RS512"}"#, "(alg) is not supported"), (#"{"alg":7}"#, "(alg) is not supported"),
        (#"{}"#, "(alg) is not supported"),
        (#"{"alg":"ES256","alg":"none"}"#, "not a JSON object"), (#"["ES256"]"#, "not a JSON object"),
        (#"{"alg":"ES256","crit":["exp"]}"#, "(crit)"), (#"{"alg":"ES256","crit":[]}"#, "(crit)"),
        (#"{"alg":"ES256","b64":false}"#, "(crit)"),
        (#"{"alg":"ES256","typ":"logout+jwt"}"#, "(typ)"), (#"{"alg":"ES256","typ":1}"#, "(typ)"),
        (#"{"alg":"ES256","cty":"JWT"}"#, "(cty)"), (#"{"alg":"ES256","kid":1}"#, "(kid)"),
    ])
    func refusesHeaders(header: String, why: String) {
        #expect(complaint { try signed("\(encoded(header)).e30.AAAA") }.contains(why))
    }

    @Test(arguments: ["JWT", "jwt", "at+jwt", "application/at+jwt"])
    func takesTypesOfTokensForAccess(type: String) throws {
        let token = try signed("\(encoded(#"{"alg":"ES256","typ":"\#(type)","kid":"k"}"#)).e30.AAAA")
        #expect((token.algorithm, token.keyID, token.payload) == (.es256, "k", Array("{}".utf8)))
    }

    private static let header = encoded(#"{"alg":"ES256"}"#)

    @Test(arguments: [
        ("", "three parts"), ("a.b", "three parts"), ("a.b.c.d", "three parts"), ("a.b.c.d.e", "encrypted"),
        ("\(header).e30.", "no signature"), ("\(header).e30.AAAA=", "base64url"),
        ("\(header).e30.AA+A", "base64url"), ("\(header).e30.AAB", "base64url"),
        ("\(header).e30.AAAAA", "base64url"), ("\(header).e30. AAA", "base64url"), (".e30.AAAA", "JSON"),
        ("\(header).\(String(repeating: "A", count: 16 << 10)).AAAA", "longer than 16 KiB"),
    ])
    func refusesOtherForms(token: String, why: String) {
        #expect(complaint { try signed(token) }.contains(why))
    }

    @Test func knowsWhatLooksLikeOne() {
        func isLikely(_ text: String) -> Bool { text.withBorrowedBytes { SignedToken.isLikely($0) } }
        #expect(isLikely(Vectors.es256.token) && !isLikely("slc_0123456789abcdefghijkl.mn.op"))
    }

    // MARK: - Claims

    private func claims(_ text: String) throws -> RegisteredClaims {
        try text.withBorrowedBytes { try RegisteredClaims($0) }
    }

    @Test func readsClaims() throws {
        let one = try claims(
            #"{"iss":"i","sub":"s","aud":"a","exp":1.5e9,"nbf":1,"iat":1.5,"jti":"j","x":{}}"#
        )
        #expect((one.issuer, one.subject, one.audiences, one.id) == ("i", "s", ["a"], "j"))
        #expect((one.expires, one.notBefore, one.issuedAt) == (1_500_000_000, 1, 1.5))
        #expect(try claims(#"{"iss":"i","sub":"s","aud":["a","b"],"exp":1}"#).audiences == ["a", "b"])
    }

    @Test(arguments: [
        (#"{"sub":"s","exp":1}"#, "no claim iss"), (#"{"iss":"i","exp":1}"#, "no claim sub"),
        (#"{"iss":"i","sub":"s"}"#, "no claim exp"), (#"{"iss":["i"],"sub":"s","exp":1}"#, "iss is not"),
        (#"{"iss":"i","sub":"s","exp":"1"}"#, "exp is not a time"),
        (#"{"iss":"i","sub":"s","exp":-1}"#, "exp is not a time"),
        (#"{"iss":"i","sub":"s","exp":1e99}"#, "exp is not a time"),
        (#"{"iss":"i","sub":"s","exp":1,"nbf":null}"#, "nbf is not a time"),
        (#"{"iss":"i","sub":"s","exp":1,"aud":["a",1]}"#, "aud has other values"),
        (#"{"iss":"i","iss":"j","sub":"s","exp":1}"#, "not a JSON object"), ("7", "not a JSON object"),
    ])
    func refusesClaims(text: String, why: String) {
        #expect(complaint { try claims(text) }.contains(why))
    }
}
