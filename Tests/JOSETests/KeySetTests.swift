import JOSE
import Testing

@Suite struct KeySetTests {
    @Test(arguments: [
        (#"{"kty":"RSA","n":"\#(Vectors.modulus)","e":"AQAB","alg":"RS256"}"#, SignatureAlgorithm.rs256),
        (#"{"kty":"RSA","n":"\#(Vectors.modulus)","e":"AQAB","alg":"PS256"}"#, .ps256),
        (#"{"kty":"RSA","n":"\#(Vectors.modulus)","e":"AQAB"}"#, .rs256),
        (#"{"alg":"Ed25519","# + Vectors.edDSA.key.dropFirst(), .edDSA),
        (Vectors.es256.key, .es256), (Vectors.edDSA.key, .edDSA), (Vectors.hs256.key, .hs256),
    ])
    func aKeyFixesItsAlgorithm(key: String, algorithm: SignatureAlgorithm) throws {
        #expect(try keys(key).keys.map(\.algorithm) == [algorithm])
    }

    @Test func anRSAKeyWithoutAlgorithmIsForTheConfiguredOne() throws {
        #expect(try keys(Vectors.rs256.key, rsa: .ps256).keys[0].algorithm == .ps256)
    }

    @Test(arguments: [
        (Vectors.shortKey, "2048 to 8192 bits"),
        (#"{"kty":"RSA","n":"AA\#(Vectors.modulus)","e":"AQAB"}"#, "begin with a zero"),
        (#"{"kty":"RSA","n":"\#(Vectors.modulus)","e":"Ag"}"#, "odd number"),
        (#"{"kty":"RSA","n":"\#(Vectors.modulus)","e":"AQ"}"#, "odd number"),
        (#"{"kty":"RSA","n":"\#(Vectors.modulus)"}"#, "e must be base64url"),
        (#"{"kty":"RSA","n":"\#(Vectors.modulus)","e":"AQAB","use":"enc"}"#, "(use)"),
        (#"{"kty":"RSA","n":"\#(Vectors.modulus)","e":"AQAB","key_ops":["encrypt"]}"#, "(key_ops)"),
        (#"{"kty":"RSA","n":"\#(Vectors.modulus)","e":"AQAB","alg":"RS512"}"#, "not supported"),
        (#"{"kty":"RSA","n":"\#(Vectors.modulus)","e":"AQAB","alg":"HS256"}"#, "does not fit"),
        (#"{"kty":"oct","k":"\#(Vectors.modulus)","alg":"RS256"}"#, "does not fit"),
        (#"{"kty":"oct","k":"AAAAAAAAAAAAAAAAAAAAAA"}"#, "32 bytes or more"),
        (
            #"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"}"#,
            "not a key"
        ),
        (#"{"kty":"EC","crv":"P-384","x":"AA","y":"AA"}"#, "(crv)"),
        (#"{"kty":"OKP","crv":"X25519","x":"AA"}"#, "(crv)"),
        (#"{"kty":"OKP","crv":"Ed25519","x":"AA"}"#, "32 bytes"),
        (#"{"kty":"AKP"}"#, "(kty)"),
        (#"{"kty":"oct","k":"a=","kid":1}"#, "kid must be a string"),
    ])
    func refusesKeysThatAreWeakOrMalformed(key: String, why: String) {
        #expect(complaint { try keys(key) }.contains(why))
    }

    /// Issuers have keys for other purposes beside those for tokens.
    @Test func leavesOutWhatItCannotUse() throws {
        let set = try keys(#"{"keys":[\#(Vectors.shortKey),\#(Vectors.es256.key),{"kty":"AKP"},7]}"#)
        #expect(set.keys.map(\.algorithm) == [.es256] && set.unused.count == 3)
    }

    @Test(arguments: [
        ("", "not a JSON object"), ("[]", "not a JSON object"), (#"{"keys":{}}"#, "must be a list"),
        (#"{"keys":[]}"#, "no key"), (#"{"keys":[],"keys":[]}"#, "not a JSON object"),
        (#"{"keys":[\#(Array(repeating: "{}", count: 101).joined(separator: ","))]}"#, "more than 100"),
        (#"{"a":"\#(String(repeating: "a", count: 256 << 10))"}"#, "too long"),
    ])
    func refusesSets(text: String, why: String) {
        #expect(complaint { try keys(text) }.contains(why))
    }

    @Test func findsTheKeyThatATokenNames() throws {
        func named(_ id: String, _ key: String) -> String { #"{"kid":"\#(id)","# + key.dropFirst() }
        let two = try keys(#"{"keys":[\#(named("a", Vectors.es256.key)),\#(named("b", Vectors.es256.key))]}"#)
        func match(_ header: String) throws -> String {
            switch two.key(of: try signed("\(encoded(header)).e30.AAAA")) {
            case .key(let key): key.id ?? ""
            case .unknown: "unknown"
            case .refused(let why): "\(why)"
            }
        }
        #expect(try match(#"{"alg":"ES256","kid":"b"}"#) == "b")
        #expect(try match(#"{"alg":"ES256","kid":"c"}"#) == "unknown")
        #expect(try match(#"{"alg":"ES256"}"#).contains("must name its key"))
        #expect(try match(#"{"alg":"RS256","kid":"a"}"#).contains("not that of its key"))
    }
}
