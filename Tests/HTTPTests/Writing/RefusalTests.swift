import HTTP
import Support
import Testing

@Suite("A refusal is written as application/problem+json")
struct RefusalTests {
    private func answer(_ problem: Refusal, _ framing: ResponseFraming = ResponseFraming()) -> String {
        var buffer = ByteBuffer()
        problem.append(ResponseEncoder(), framing, to: &buffer)
        return buffer.bytes.text
    }

    @Test("code, status, retry and further members")
    func members() {
        let problem = Refusal("conflict", "a \"b\" \\ \n", members: Array(#","node":"x","rev":7"#.utf8))
        let body =
            #"{"type":"about:blank","title":"Precondition Failed","status":412,"code":"conflict","#
            + #""detail":"a \"b\" \\ \n","retry":false,"node":"x","rev":7}"# + "\n"
        #expect(
            answer(problem) == "HTTP/1.1 412 Precondition Failed\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
                + "Content-Type: application/problem+json\r\nX-Content-Type-Options: nosniff\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
                + body
        )
    }

    @Test("405 names what is allowed, 503 when to come back, 401 how to authenticate")
    func fields() {
        #expect(answer(Refusal(.methodNotAllowed, "", allow: "GET")).contains("\r\nAllow: GET\r\n"))
        #expect(answer(Refusal(.draining, "")).contains("\r\nRetry-After: 1\r\n"))
        #expect(answer(Refusal("rate_limited", "", retryAfterSeconds: 9)).contains("\r\nRetry-After: 9\r\n"))
        #expect(!answer(Refusal("sub_limit", "", retry: false)).contains("Retry-After"))
        #expect(answer(Refusal("unauthenticated", "")).contains("\r\nWWW-Authenticate: Bearer\r\n"))
    }

    @Test("HEAD gets the length and no body; a closing connection says so")
    func framing() {
        let text = answer(Refusal(.notFound, "x"), ResponseFraming(omitsBody: true, keepsAlive: false))
        #expect(text.hasSuffix("\r\n\r\n") && text.contains("\r\nConnection: close\r\n"))
        #expect(!text.contains("Content-Length: 0"))
    }

    @Test("a word of its own overrides the table's retry")
    func retry() {
        #expect(answer(Refusal("conflict", "", retry: true)).contains(#""retry":true"#))
    }
}
