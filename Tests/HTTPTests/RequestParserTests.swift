import HTTP
import Testing

@Suite("RequestParser reads requests from bytes")
struct RequestParserTests {
    @Test("a plain request is read whole")
    func plain() {
        let heard = Transcript.of(
            "POST /v1/graphs/g/nodes/n?a=1 HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n21.5"
        )
        #expect(heard == ["POST /v1/graphs/g/nodes/n ?a=1 @a [21.5] keep"])
    }
}
