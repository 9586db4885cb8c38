import Support
import TLS
import Testing

@Suite("Digests")
struct DigestTests {
    @Test("A signature is the HMAC-SHA256 of the body (RFC 4231, test case 2)")
    func signature() {
        #expect(
            SHA256.signature(of: Array("what do ya want for nothing?".utf8), by: "Jefe")
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        )
    }

    @Test("SHA-1 as the handshake needs it")
    func sha1() {
        let digest = Array("abc".utf8).withBorrowedBytes { SHA1.digest($0) }
        #expect(digest.count == 20)
        #expect(digest.prefix(4) == [0xa9, 0x99, 0x3e, 0x36])
    }
}
