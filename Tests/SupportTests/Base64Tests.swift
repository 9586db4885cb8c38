import Support
import Testing

@Suite("Base64 is that of RFC 4648")
struct Base64Tests {
    @Test(
        "the examples of §10",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
        ]
    )
    func examples(plain: String, encoded: String) {
        #expect(Base64.text(Array(plain.utf8)) == encoded)
        #expect(Base64.bytes(encoded.utf8, isCanonical: true) == Array(plain.utf8))
        #expect(Base64.bytes(encoded.utf8, isCanonical: false) == Array(plain.utf8))
    }

    @Test("all bytes survive")
    func roundTrip() {
        let all = (UInt8.min...UInt8.max).map { $0 }
        #expect(Base64.bytes(Base64.text(all).utf8, isCanonical: true) == all)
    }

    @Test(
        "padding and unused bits matter only where the canonical form is asked for",
        arguments: [("Zg", "f"), ("Zm8", "fo"), ("Zh==", "f"), ("Zm9=", "fo"), ("Zh", "f")]
    )
    func notCanonical(text: String, plain: String) {
        #expect(Base64.bytes(text.utf8, isCanonical: true) == nil)
        #expect(Base64.bytes(text.utf8, isCanonical: false) == Array(plain.utf8))
    }

    @Test(
        "what is not base64 is refused",
        arguments: ["Z", "Zg=", "Z===", "====", "=", "Zg==Zg==", "Zm 9", "Zm-_", "Zg==\n", "Zm9vZ", "Zé=="]
    )
    func malformed(text: String) {
        #expect(Base64.bytes(text.utf8, isCanonical: true) == nil)
        #expect(Base64.bytes(text.utf8, isCanonical: false) == nil)
    }
}
