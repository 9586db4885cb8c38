import HTTP
import Support
import Testing

@Suite("Handshake judges requests for WebSocket (RFC 6455 §4)")
struct HandshakeTests {
    static let ok =
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

    private func judge(_ fields: String, _ spoken: [StaticString] = ["sluice.v1.json"]) -> Handshake.Outcome?
    {
        let parser = RequestParser()
        let bytes = Array("GET /v1/ws HTTP/1.1\r\nHost: a\r\n\(fields)\r\n".utf8)
        return bytes.withBorrowedBytes {
            var input = $0
            switch parser.parse(&input) {
            case .upgrade, .request: return Handshake.judge(parser.head, subprotocols: spoken)
            default: return nil
            }
        }
    }

    @Test("no subprotocol offered is welcome, ours is chosen, only others are refused")
    func subprotocols() {
        #expect(judge(Self.ok) == .accepted(subprotocol: nil))
        let ours = Self.ok + "Sec-WebSocket-Protocol: other, sluice.v1.json\r\n"
        #expect(judge(ours) == .accepted(subprotocol: "sluice.v1.json"))
        let two = Self.ok + "Sec-WebSocket-Protocol: other\r\nSec-WebSocket-Protocol: sluice.v1.json\r\n"
        #expect(judge(two) == .accepted(subprotocol: "sluice.v1.json"))
        #expect(judge(two, ["other", "sluice.v1.json"]) == .accepted(subprotocol: "other"))
        guard case .refused = judge(Self.ok + "Sec-WebSocket-Protocol: other\r\n") else {
            return #expect(Bool(false), "a foreign subprotocol was accepted")
        }
        guard case .refused = judge(Self.ok + "Sec-WebSocket-Protocol: sluice v1\r\n") else {
            return #expect(Bool(false), "a malformed list was accepted")
        }
        guard case .refused = judge(Self.ok + "Sec-WebSocket-Protocol:\r\n") else {
            return #expect(Bool(false), "an empty list was accepted")
        }
    }

    @Test(
        "an upgrade of another version than 13 gets 426",
        arguments: [
            "", "Upgrade: websocket\r\n", "Connection: Upgrade\r\nUpgrade: h2c\r\n",
            ok.replacing("13", with: "8"), ok.replacing("13", with: "13, 8"), ok.replacing("13", with: ""),
            ok.replacing("Sec-WebSocket-Version: 13\r\n", with: ""),
        ]
    )
    func upgradeRequired(fields: String) {
        #expect(judge(fields) == .upgradeRequired)
    }

    @Test(
        "a key that is not 16 bytes in base64 is refused",
        arguments: [
            "", "abc", "dGhlIHNhbXBsZSBub25jZQ=", "dGhlIHNhbXBsZSBub25jZR==", "dGhlIHNhbXBsZSBub25jZQ====",
            "!!!!IHNhbXBsZSBub25jZQ==",
        ]
    )
    func badKey(key: String) {
        guard case .refused = judge(Self.ok.replacing("dGhlIHNhbXBsZSBub25jZQ==", with: key)) else {
            return #expect(Bool(false), "accepted")
        }
    }

    @Test("the answer carries the token of RFC 6455 §1.3")
    func token() {
        let parser = RequestParser()
        let bytes = Array("GET /v1/ws HTTP/1.1\r\nHost: a\r\n\(Self.ok)\r\n".utf8)
        var out = ByteBuffer()
        bytes.withBorrowedBytes {
            var input = $0
            guard case .upgrade = parser.parse(&input) else { return #expect(Bool(false), "no upgrade") }
            Handshake.accept(
                parser.head,
                subprotocol: "sluice.v1.json",
                ResponseEncoder(),
                sha1: SHA1.digest,
                to: &out
            )
        }
        let expected =
            "HTTP/1.1 101 Switching Protocols\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
            + "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
            + "Sec-WebSocket-Protocol: sluice.v1.json\r\n\r\n"
        #expect(out.bytes.text == expected)
    }

    @Test(
        "a client takes the answer it asked for and no other",
        arguments: [
            ("", true), ("Sec-WebSocket-Protocol: sluice.v1.json\r\n", true),
            ("Sec-WebSocket-Protocol: other\r\n", false),
            ("Sec-WebSocket-Extensions: permessage-deflate\r\n", false),
        ]
    )
    func client(fields: String, isTaken: Bool) {
        let begin = "HTTP/1.1 101 Switching Protocols\r\n"
        let upgrade = "Upgrade: WebSocket\r\nConnection: keep-alive, Upgrade\r\n"
        let token = "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
        #expect((complaint(begin + upgrade + token + fields + "\r\n") == nil) == isTaken)
        #expect(complaint(begin + upgrade + token.uppercased() + fields + "\r\n") != nil)
        #expect(complaint(begin + upgrade + fields + "\r\n") != nil)
        #expect(complaint(begin + upgrade.replacing("WebSocket", with: "h2c") + token + "\r\n") != nil)
    }

    /// What a client that sent the RFC's key and offered our subprotocol has against an answer.
    private func complaint(_ answer: String) -> String? {
        let parser = ResponseParser()
        let offer = Handshake.Offer(key: "dGhlIHNhbXBsZSBub25jZQ==", subprotocol: "sluice.v1.json")
        return Array(answer.utf8).withBorrowedBytes {
            var input = $0
            guard case .upgrade = parser.parse(&input) else { return "no upgrade" }
            return Handshake.judge(parser.head, answering: offer, sha1: SHA1.digest)
        }
    }

    @Test("426 names the version, and is a body for people too")
    func requireUpgrade() {
        let sentences = [
            "": "this is a WebSocket endpoint: send Upgrade: websocket",
            Self.ok.replacing("13", with: "8"): "only WebSocket version 13 is supported",
        ]
        for (fields, sentence) in sentences {
            let parser = RequestParser()
            var out = ByteBuffer()
            Array("GET /v1/ws HTTP/1.1\r\nHost: a\r\n\(fields)\r\n".utf8).withBorrowedBytes {
                var input = $0
                _ = parser.parse(&input)
                Handshake.requireUpgrade(parser.head, ResponseEncoder(), ResponseFraming(), to: &out)
            }
            let text = out.bytes.text
            #expect(text.hasPrefix("HTTP/1.1 426 Upgrade Required\r\n"))
            #expect(text.contains("\r\nSec-WebSocket-Version: 13\r\n"))
            #expect(text.contains("\r\nUpgrade: websocket\r\n"))
            #expect(text.contains(sentence))
        }
    }
}

extension String {
    fileprivate func replacing(_ part: String, with other: String) -> String {
        guard let range = ranges(of: part).first else { return self }
        return self[..<range.lowerBound] + other + self[range.upperBound...]
    }
}

/// SHA-1 (RFC 3174) as the tests need it; the server brings OpenSSL's.
enum SHA1 {
    static func digest(_ bytes: BorrowedBytes) -> [UInt8] {
        var message = Array(bytes) + [0x80]
        while message.count % 64 != 56 { message.append(0) }
        withUnsafeBytes(of: UInt64(bytes.count * 8).bigEndian) { message.append(contentsOf: $0) }
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        for block in stride(from: 0, to: message.count, by: 64) {
            var words = (0..<16).map { index in
                (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(message[block + index * 4 + $1]) }
            }
            for index in 16..<80 {
                words.append(
                    rotate(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1)
                )
            }
            var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
            for index in 0..<80 {
                let (f, k): (UInt32, UInt32) =
                    switch index {
                    case 0..<20: ((b & c) | (~b & d), 0x5A82_7999)
                    case 20..<40: (b ^ c ^ d, 0x6ED9_EBA1)
                    case 40..<60: ((b & c) | (b & d) | (c & d), 0x8F1B_BCDC)
                    default: (b ^ c ^ d, 0xCA62_C1D6)
                    }
                let next = rotate(a, 5) &+ f &+ e &+ k &+ words[index]
                (e, d, c, b, a) = (d, c, rotate(b, 30), a, next)
            }
            state = zip(state, [a, b, c, d, e]).map { $0 &+ $1 }
        }
        return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * $0)) }
        }
    }

    private static func rotate(_ word: UInt32, _ bits: UInt32) -> UInt32 {
        word << bits | word >> (32 - bits)
    }
}
