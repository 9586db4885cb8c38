import JOSE
import Support
import Testing

@Suite struct SignatureTests {
    @Test(arguments: Vectors.all)
    func acceptsWhatTheRFCsHaveSigned(key: String, token: String) throws {
        #expect(try isAccepted(token, by: key))
    }

    /// Each bit counts, of header, claims and signature.
    @Test(arguments: Vectors.all)
    func refusesWhateverIsChanged(key: String, token: String) throws {
        let set = try keys(key)
        let bytes = Array(token.utf8)
        for place in stride(from: 0, to: bytes.count, by: 7) {
            var changed = bytes
            changed[place] = changed[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            guard changed != bytes, let token = try? signed(changed) else { continue }
            if case .key(let key) = set.key(of: token) { #expect(!key.accepts(token), "\(place)") }
        }
    }

    /// A public key is no secret for HMAC, and the token does not choose how it is checked.
    @Test func refusesAnotherAlgorithmThanThatOfTheKey() throws {
        for (key, token) in Vectors.all {
            for (_, other) in Vectors.all where other != token {
                let other = try signed(other)
                guard case .refused = try keys(key).key(of: other) else {
                    Issue.record("\(other.algorithm) with \(key)")
                    continue
                }
                #expect(try !keys(key).keys[0].accepts(other))
            }
        }
    }

    @Test func refusesSignaturesOfAnotherLength() throws {
        let (key, token) = Vectors.es256
        let start = token.prefix(through: try #require(token.lastIndex(of: ".")))
        #expect(try !isAccepted(start + "AAAA", by: key))
        #expect(try !isAccepted(start + String(repeating: "A", count: 86), by: key))
        // The same numbers as a sequence, which is the other common form.
        #expect(
            try !isAccepted(
                start
                    + "MEUCIA7RIVN5Y2xIPC9_FVgH1AKjsigDOvl8fheBmsMWnqZlAiEAxQoH04w8cOXY8S2vCEpUgKZlkMXyk1Caj9z_ioOjVNU",
                by: key
            )
        )
    }

    private func isAccepted(_ token: String, by key: String) throws -> Bool {
        let token = try signed(Array(token.utf8))
        guard case .key(let key) = try keys(key).key(of: token) else { return false }
        return key.accepts(token)
    }
}

func keys(_ text: String, rsa: SignatureAlgorithm = .rs256) throws -> KeySet {
    try text.withBorrowedBytes { try KeySet($0, rsa: rsa) }
}

func signed(_ text: String) throws -> SignedToken { try signed(Array(text.utf8)) }

func signed(_ bytes: [UInt8]) throws -> SignedToken {
    try bytes.withBorrowedBytes { try SignedToken($0) }
}

/// Base64url without padding.
func encoded(_ text: String) -> String {
    Base64.text(Array(text.utf8)).filter { $0 != "=" }.map { ["+": "-", "/": "_"][$0] ?? String($0) }.joined()
}

/// Why something is refused.
func complaint(_ body: () throws -> some Any) -> String {
    do {
        _ = try body()
        return ""
    } catch {
        return "\(error)"
    }
}
