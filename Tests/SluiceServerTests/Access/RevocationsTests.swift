import Support
import Testing

@testable import JOSE
@testable import SluiceServer

/// Which tokens of an issuer are revoked.
@Suite("Revocations")
struct RevocationsTests {
    private func claims(_ subject: String, id: String? = nil, issued: Int? = nil) throws -> RegisteredClaims {
        var json = #"{"iss":"i","sub":"\#(subject)","aud":"a","exp":4000000000"#
        if let id { json += #","jti":"\#(id)""# }
        if let issued { json += #","iat":\#(issued)"# }
        return try Array((json + "}").utf8).withBorrowedBytes { bytes throws(JOSEError) in
            try RegisteredClaims(bytes)
        }
    }

    @Test("By jti, by subject, by both, and by when it was issued; a token without iat may be an old one")
    func covered() throws {
        let all = Revocations([
            Revocation(id: "one", subject: nil), Revocation(id: "two", subject: "bob"),
            Revocation(id: nil, subject: "eve", before: 100),
        ])
        let covered: [(RegisteredClaims, Bool)] = [
            (try claims("alice", id: "one"), true), (try claims("alice", id: "three"), false),
            (try claims("alice"), false), (try claims("bob", id: "two"), true),
            (try claims("alice", id: "two"), false), (try claims("eve", issued: 99), true),
            (try claims("eve", issued: 100), false), (try claims("eve"), true),
        ]
        for (claims, isRevoked) in covered { #expect(all.cover(claims) == isRevoked, "\(claims)") }
    }

    @Test("Taking one back leaves an equal one that was inserted besides")
    func removed() throws {
        var all = Revocations()
        let alice = Revocation(id: nil, subject: "alice")
        for revocation in [alice, alice, Revocation(id: nil, subject: "alice", before: 5)] {
            all.insert(revocation)
        }
        all.remove(alice)
        let (early, late) = (try claims("alice", issued: 4), try claims("alice", issued: 7))
        #expect(all.cover(late))
        all.remove(alice)
        #expect(!all.cover(late))
        #expect(all.cover(early))
        all.remove(Revocation(id: nil, subject: "alice", before: 5))
        #expect(all.isEmpty)
    }
}
