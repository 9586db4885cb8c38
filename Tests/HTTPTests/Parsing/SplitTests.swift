import HTTP
import TestSupport
import Testing

@Suite("Any split of the bytes gives the same requests")
struct SplitTests {
    static let streams: [String] = [
        "POST /v1/graphs/g/nodes/n HTTP/1.1\r\nHost: localhost:8080\r\nContent-Type: application/json\r\n"
            + "Content-Length: 4\r\n\r\n21.5GET /x%20y?a=b%20c&d HTTP/1.1\r\nHost: a\r\nEmpty:\r\nBlank:   \r\nX:  b c \t\r\n\r\n",
        "\r\nPUT /c HTTP/1.1\r\nHost: a\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n1a\r\n"
            + "abcdefghijklmnopqrstuvwxyz\r\n0\r\n\r\nDELETE http://b/d HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n\u{1}frames",
        "PUT /e HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;x;y=z\r\na\r\n2;q=\"b c\";r\r\nbc\r\n0;end\r\n"
            + "Connection: close, upgrade\r\nUpgrade: websocket\r\nEmpty:\r\nT: \u{e4} \r\n\r\nGET /f HTTP/1.1\r\nHost: a\r\n\r\n",
        "PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc"
            + "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.0\r\nHost: a\r\n\r\nignored",
        "POST /0 HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\nPOST /1 HTTP/1.1\r\nHost: a\r\n\r\nGARBAGE",
    ]

    @Test("two pieces, every place", arguments: streams)
    func everyPlace(stream: String) {
        let bytes = Array(stream.utf8)
        let whole = Transcript.of([bytes])
        #expect(whole.count >= 2)
        for place in 0...bytes.count {
            let heard = Transcript.of([Array(bytes[..<place]), Array(bytes[place...])])
            #expect(heard == whole, "split at \(place)")
        }
    }

    @Test("byte by byte", arguments: streams)
    func byteByByte(stream: String) {
        let bytes = Array(stream.utf8)
        #expect(Transcript.of(bytes.map { [$0] }) == Transcript.of([bytes]))
    }

    @Test("three pieces, every pair of places", arguments: streams)
    func everyPair(stream: String) {
        let bytes = Array(stream.utf8)
        let whole = Transcript.of([bytes])
        let step = Nightly.isOn ? 1 : 3
        for first in stride(from: 0, through: bytes.count, by: step) {
            for second in stride(from: first, through: bytes.count, by: step) {
                let pieces = [Array(bytes[..<first]), Array(bytes[first..<second]), Array(bytes[second...])]
                guard Transcript.of(pieces) != whole else { continue }
                #expect(Bool(false), "split at \(first) and \(second)")
            }
        }
    }
}
