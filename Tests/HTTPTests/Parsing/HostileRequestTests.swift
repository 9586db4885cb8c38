import HTTP
import Testing

@Suite("Malformed and ambiguous requests are refused with the documented code")
struct HostileRequestTests {
    /// Bytes, and the code they are refused with.
    ///
    /// Each is also tried at every split.
    static let cases: [(String, String)] =
        requestLines.map { ($0, "bad_request") } + fields.map { ($0, "bad_request") }
        + framing.map { ($0, "bad_request") } + tooMuch

    static let requestLines: [String] = [
        "GET / HTTP/1.1\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\rHost: a\r\n\r\n",
        "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /  HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1 \r\nHost: a\r\n\r\n",
        "GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /\tHTTP/1.1\r\nHost: a\r\n\r\n",
        " GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /\r\nHost: a\r\n\r\n",
        "GET / \r\nHost: a\r\n\r\n",
        "GET\r\nHost: a\r\n\r\n",
        "/ HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / http/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.2\r\nHost: a\r\n\r\n",
        "GET / HTTP/2.0\r\nHost: a\r\n\r\n",
        "GET / HTTP/0.9\r\nHost: a\r\n\r\n",
        "GET / HTTP/1\r\nHost: a\r\n\r\n",
        "GET / HTTP/11\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.10\r\nHost: a\r\n\r\n",
        "GET / HTTP/01.1\r\nHost: a\r\n\r\n",
        "GET / HTTPS/1.1\r\nHost: a\r\n\r\n",
        "SOURCE / ICE/1.0\r\nHost: a\r\n\r\n",
        "DESCRIBE / RTSP/1.0\r\nHost: a\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "get / HTTP/1.1\r\nHost: a\r\n\r\n",
        "FROBNICATE / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GE T / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /\u{0} HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /\u{7f} HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /ä HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET index.html HTTP/1.1\r\nHost: a\r\n\r\n",
        "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}",
        "HTTP/1.1 200 OK\r\nHost: a\r\n\r\n",
    ]

    static let fields: [String] = [
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.0\r\n\r\n",
        "GET / HTTP/1.1\r\nA: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost:\r\n\r\n",
        "GET / HTTP/1.1\r\nHost:   \r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost\t: a\r\n\r\n",
        "GET / HTTP/1.1\r\n Host: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\tfolded\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX:\r\n b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: \r\n b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n \r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\r\n\r\n",
        "GET / HTTP/1.1\r\nX:\rHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nX:\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\r\r\n",
        "GET / HTTP/1.1\r\nHost: a\n\n",
        "GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nnocolon\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX(: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX\u{1}: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nÄ: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: b\u{0}\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: b\u{7f}\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nOrigin: http://a\r\nOrigin: http://b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nAuthorization: a\r\nauthorization: b\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Type: text/html\r\n\r\n",
    ]

    static let framing: [String] = [
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\na",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\na",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\na",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x1\r\n\r\na",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1a\r\n\r\na",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1 1\r\n\r\na",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\na",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\na",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        chunked + "\r\n", chunked + "g\r\n", chunked + "-1\r\n", chunked + "+1\r\n", chunked + "0x1\r\n",
        chunked + " 1\r\na\r\n", chunked + "1 \r\na\r\n", chunked + "1\na\r\n", chunked + "1\r\ra\r\n",
        chunked + "1\r\nab\r\n", chunked + "1\r\na\n", chunked + "1\r\na\r0",
        chunked + "1;\r\na\r\n", chunked + "1 ;x\r\na\r\n", chunked + "fffffffffffffffff\r\n",
        chunked + "1;;x\r\na\r\n", chunked + "1;x=\r\na\r\n", chunked + "1;=y\r\na\r\n",
        chunked + "1;x=y z\r\na\r\n",
        chunked + "1;x\na\r\n", chunked + "1;x=y\na\r\n", chunked + "1;x=\"y\na\r\n",
        chunked + "1;x=\"y\"\na\r\n",
        chunked + "1;x=\"y\r\n\"\r\na\r\n", chunked + "1;x\r\r\na\r\n", chunked + "1;x\u{1}\r\na\r\n",
        chunked + "1;x=\"\u{0}\"\r\na\r\n", chunked + "1;x=\u{7f}\r\na\r\n",
        chunked + "1;\(String(repeating: "x", count: 201))\r\n",
        chunked + "1;x=\"\(String(repeating: "x", count: 201))\"\r\n",
        chunked + "1;\(String(repeating: "x", count: 199))\r\na\r\n1;xx\r\na\r\n",
        chunked + "0\r\n\n", chunked + "0\n\r\n", chunked + "0;x\n\r\n",
        chunked + "0\r\n\r\r\n", chunked + "1\r\na\r\n0\r\n\n",
        chunked + "0\r\nT: x\n\r\n", chunked + "0\r\nT: x\r\r\n", chunked + "0\r\nT: x\rU: y\r\n\r\n",
        chunked + "0\r\nT: x\r\n\n", chunked + "0\r\n: x\r\n\r\n", chunked + "0\r\nT : x\r\n\r\n",
        chunked + "0\r\nT\r\n\r\n", chunked + "0\r\n T: x\r\n\r\n", chunked + "0\r\nT: x\r\n y\r\n\r\n",
        chunked + "0\r\nT: \u{0}\r\n\r\n", chunked + "0\r\nT: \u{7f}\r\n\r\n",
        chunked + "0\r\nGET / HTTP/1.1\r\n\r\n",
        chunked + "0\r\nContent-Length: 5\r\n\r\n",
        chunked + "0\r\nT: x\r\nTRANSFER-ENCODING: chunked\r\n\r\n",
        chunked + "0\r\nHost: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost:abc\r\n\r\n", "GET / HTTP/1.1\r\nHost: a:1:2\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: :80\r\n\r\n", "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: []\r\n\r\n", "GET / HTTP/1.1\r\nHost: [::1]x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: [::1]:x\r\n\r\n", "GET / HTTP/1.1\r\nHost: a]\r\n\r\n",
        "GET http://a:x/ HTTP/1.1\r\nHost: a\r\n\r\n", "GET http://:80/ HTTP/1.1\r\nHost: a\r\n\r\n",
    ]

    static let chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"

    static let limits = Limits(targetBytes: 40, headerBytes: 200, headerFields: 5, bodyBytes: 10)

    static let tooMuch: [(String, String)] = [
        ("GET /\(String(repeating: "a", count: 40)) HTTP/1.1\r\nHost: a\r\n\r\n", "uri_too_long"),
        ("GET /\(String(repeating: "a", count: 4000))", "uri_too_long"),
        ("GET /\(String(repeating: "a", count: 60)) HTTP/1.1\r\nHost: \r\n\n", "uri_too_long"),
        (
            "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 200))\r\n\r\n",
            "headers_too_large"
        ),
        (
            "GET / HTTP/1.1\r\nHost: a\r\n\(String(repeating: "a", count: 200)): 1\r\n\r\n",
            "headers_too_large"
        ),
        ("GET / HTTP/1.1\r\nHost:\(String(repeating: " ", count: 4000))", "headers_too_large"),
        ("GET / HTTP/1.1\r\nHost:\(String(repeating: " ", count: 200))a\r\n\r\n", "headers_too_large"),
        ("GET / HTTP/1.1\r\nHost: a\r\nA: 1\r\nB: 1\r\nC: 1\r\nD: 1\r\nE: 1\r\n\r\n", "headers_too_large"),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n", "too_large"),
        (
            "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n", "too_large"
        ),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 18446744073709551615\r\n\r\n", "too_large"),
        (chunked + "B\r\n", "too_large"),
        (chunked + "6\r\nabcdef\r\n5\r\n", "too_large"),
        (chunked + "ffffffffffffffff\r\n", "too_large"),
        (chunked + "0\r\nA: 1\r\nB: 1\r\nC: 1\r\nD: 1\r\nE: 1\r\nF: 1\r\n\r\n", "headers_too_large"),
        (chunked + "0\r\nA: \(String(repeating: "a", count: 200))\r\n\r\n", "headers_too_large"),
        (chunked + "0\r\n\(String(repeating: "a", count: 201))", "headers_too_large"),
        (
            chunked + "1;\(String(repeating: "x", count: 190))\r\na\r\n0\r\nA: 1234\r\n\r\n",
            "headers_too_large"
        ),
    ]

    @Test("whole", arguments: cases)
    func whole(bytes: String, code: String) {
        #expect(Transcript.of(bytes, limits: Self.limits).last == "failed \(code)")
    }

    @Test("at every split", arguments: cases)
    func split(bytes: String, code: String) {
        let all = Array(bytes.utf8)
        for place in 1..<max(all.count, 2) {
            let heard = Transcript.of([Array(all[..<place]), Array(all[place...])], limits: Self.limits)
            #expect(heard.last == "failed \(code)", "split at \(place)")
        }
        #expect(Transcript.of(all.map { [$0] }, limits: Self.limits).last == "failed \(code)", "byte by byte")
    }

    @Test("there are at least sixty of them")
    func count() {
        #expect(Self.cases.count >= 60)
    }

    @Test("exactly the limits are accepted")
    func atTheLimits() {
        let target = "/" + String(repeating: "a", count: 39)
        #expect(
            Transcript.of("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n", limits: Self.limits).last?.hasSuffix(
                "keep"
            ) == true
        )
        let five = "GET / HTTP/1.1\r\nHost: a\r\nA: 1\r\nB: 1\r\nC: 1\r\nD: 1\r\n\r\n"
        #expect(Transcript.of(five, limits: Self.limits).last?.hasSuffix("keep") == true)
        let ten = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n0123456789"
        #expect(Transcript.of(ten, limits: Self.limits).last?.hasSuffix("keep") == true)
        // The block counts from after the request line to the empty line, both line ends included:
        // 200 bytes.
        let filler = String(repeating: "a", count: 200 - "Host: a\r\nX: \r\n\r\n".utf8.count)
        let block = "GET / HTTP/1.1\r\nHost: a\r\nX: \(filler)\r\n\r\n"
        #expect(Transcript.of(block, limits: Self.limits).last?.hasSuffix("keep") == true)
        let more = "GET / HTTP/1.1\r\nHost: a\r\nX: a\(filler)\r\n\r\n"
        #expect(Transcript.of(more, limits: Self.limits) == ["failed headers_too_large"])
    }
}
