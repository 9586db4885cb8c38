import HTTP
import Support
import Testing

@Suite("permessage-deflate is agreed on as RFC 7692 §7.1 says")
struct NegotiationTests {
    /// What a request with these `Sec-WebSocket-Extensions` lines is answered: the field's value,
    /// `-` without one, or `refused`.
    private func answer(_ fields: [String], _ mode: CompressionMode, keepsContexts: Bool = true) -> String {
        let parser = RequestParser()
        let lines = fields.map { "Sec-WebSocket-Extensions: \($0)\r\n" }.joined()
        let bytes = Array("GET /v1/ws HTTP/1.1\r\nHost: a\r\n\(HandshakeTests.ok)\(lines)\r\n".utf8)
        return bytes.withBorrowedBytes {
            var input = $0
            guard case .upgrade = parser.parse(&input) else { return "no upgrade" }
            let outcome = Handshake.judge(
                parser.head,
                subprotocols: [],
                compression: mode,
                keepsContexts: keepsContexts
            )
            guard case .accepted(_, let deflate) = outcome else { return "refused" }
            guard let deflate else { return "-" }
            var buffer = ByteBuffer()
            deflate.append(to: &buffer)
            return buffer.bytes.text
        }
    }

    private static let both = "permessage-deflate; server_no_context_takeover; client_no_context_takeover"

    @Test("mode off accepts no offer")
    func off() {
        #expect(answer(["permessage-deflate"], .off) == "-")
        #expect(answer(["permessage-deflate; client_max_window_bits", "x"], .off) == "-")
    }

    @Test(
        "mode on: every message by itself, whatever the client would allow",
        arguments: [
            ("permessage-deflate", both), ("permessage-deflate; client_max_window_bits", both),
            ("permessage-deflate; client_max_window_bits=9", both),
            ("permessage-deflate; server_no_context_takeover", both),
            ("permessage-deflate; client_no_context_takeover; server_no_context_takeover", both),
            ("permessage-deflate; server_max_window_bits=15", both + "; server_max_window_bits=15"),
            ("permessage-deflate; server_max_window_bits=10", "-"),
            ("permessage-deflate; server_max_window_bits=10, permessage-deflate", both),
        ]
    )
    func on(offer: String, expected: String) {
        #expect(answer([offer], .on) == expected)
    }

    @Test(
        "mode full: all four parameters as offered",
        arguments: [
            ("permessage-deflate", "permessage-deflate"),
            ("PerMessage-Deflate", "permessage-deflate"),
            ("permessage-deflate; client_max_window_bits", "permessage-deflate"),
            (
                "permessage-deflate; Server_No_Context_Takeover",
                "permessage-deflate; server_no_context_takeover"
            ),
            (
                "permessage-deflate;client_no_context_takeover",
                "permessage-deflate; client_no_context_takeover"
            ),
            ("permessage-deflate; server_max_window_bits=8", "permessage-deflate; server_max_window_bits=8"),
            (
                "permessage-deflate; server_max_window_bits=15",
                "permessage-deflate; server_max_window_bits=15"
            ),
            ("permessage-deflate; client_max_window_bits=8", "permessage-deflate; client_max_window_bits=8"),
            (
                "permessage-deflate; client_max_window_bits=\"12\"",
                "permessage-deflate; client_max_window_bits=12"
            ),
            (
                "permessage-deflate; client_max_window_bits=\"1\\2\"",
                "permessage-deflate; client_max_window_bits=12"
            ),
            (
                "permessage-deflate ; server_max_window_bits = 10",
                "permessage-deflate; server_max_window_bits=10"
            ),
            (
                "permessage-deflate; client_max_window_bits=10; server_max_window_bits=9; client_no_context_takeover; "
                    + "server_no_context_takeover",
                both + "; server_max_window_bits=9; client_max_window_bits=10"
            ),
            ("x-other, permessage-deflate", "permessage-deflate"),
            ("x-other; a; b=1; c=\"d\" , , permessage-deflate", "permessage-deflate"),
            (
                "permessage-deflate; server_max_window_bits=7, permessage-deflate; server_max_window_bits=9",
                "permessage-deflate; server_max_window_bits=9"
            ),
            (
                "permessage-deflate; unknown, permessage-deflate; client_no_context_takeover, permessage-deflate",
                "permessage-deflate; client_no_context_takeover"
            ),
        ]
    )
    func full(offer: String, expected: String) {
        #expect(answer([offer], .full) == expected)
    }

    @Test(
        "an offer with an unknown, repeated or impossible parameter is declined",
        arguments: [
            "permessage-deflate; unknown", "permessage-deflate; unknown=1",
            "permessage-deflate; server_no_context_takeover; server_no_context_takeover",
            "permessage-deflate; client_no_context_takeover; client_no_context_takeover",
            "permessage-deflate; server_max_window_bits=10; server_max_window_bits=10",
            "permessage-deflate; client_max_window_bits; client_max_window_bits",
            "permessage-deflate; client_max_window_bits=10; client_max_window_bits",
            "permessage-deflate; server_no_context_takeover=1",
            "permessage-deflate; client_no_context_takeover=true",
            "permessage-deflate; server_max_window_bits", "permessage-deflate; server_max_window_bits=7",
            "permessage-deflate; server_max_window_bits=16", "permessage-deflate; server_max_window_bits=08",
            "permessage-deflate; server_max_window_bits=abc", "permessage-deflate; client_max_window_bits=0",
            "permessage-deflate; client_max_window_bits=7", "permessage-deflate; client_max_window_bits=16",
            "permessage-deflate; client_max_window_bits=015", "permessage-deflate; client_max_window_bits=+9",
            "permessage-deflate; client_max_window_bits=99999999999999999999", "x-webkit-deflate-frame",
            "permessage-bzip2",
        ]
    )
    func declined(offer: String) {
        #expect(answer([offer], .full) == "-")
        #expect(answer([offer], .on) == "-")
        // The next offer is looked at.
        #expect(answer([offer + ", permessage-deflate"], .full) == "permessage-deflate")
    }

    @Test(
        "a field that breaks its grammar refuses the upgrade, in every mode",
        arguments: [
            "", ",", ";", "permessage-deflate;", "permessage-deflate; =1", "permessage-deflate; a=",
            "permessage-deflate a", "permessage-deflate; a=\"", "permessage-deflate; a=\"\"",
            "permessage-deflate; a=\"b c\"", "permessage-deflate; a=\"b\"c", "permessage-deflate; a=\"b\\",
            "permessage-deflate, b@", "permessage-deflate; a=b=c", "\"permessage-deflate\"",
        ]
    )
    func malformed(value: String) {
        for mode in CompressionMode.allCases {
            #expect(answer([value], mode) == "refused", "\(mode)")
        }
    }

    @Test("several fields are one list, in order")
    func severalFields() {
        let fields = ["permessage-deflate; unknown", "permessage-deflate; server_max_window_bits=11"]
        #expect(answer(fields, .full) == "permessage-deflate; server_max_window_bits=11")
        #expect(answer(["permessage-deflate", "b="], .full) == "refused")
    }

    @Test("without memory for contexts, mode full agrees on what mode on does")
    func noMemory() {
        #expect(answer(["permessage-deflate"], .full, keepsContexts: false) == Self.both)
        #expect(answer(["permessage-deflate; server_max_window_bits=9"], .full, keepsContexts: false) == "-")
    }
}
