import Testing

@testable import SluiceServer

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@Suite("Deadlines of a server that stood still")
struct DeadlineTests {
    private func makeServer() throws -> TestServer {
        try TestServer {
            // So much that no machine is too slow to send the first half in time.
            $0.fixed.times.headers = 1_000
            $0.fixed.times.body = 1_000
            $0.idle = .milliseconds(1_000)
            $0.fixed.times.frame = 1_000
        }
    }

    /// Longer than any deadline; what is sent next lies on the socket when the loop looks at the
    /// clock again.
    private func standStill() {
        usleep(1_500_000)
    }

    @Test(
        "what lies on the socket when the deadline is looked at was in time: the head, the body, the next request",
        arguments: ["head", "body", "next request"]
    )
    func requests(what: String) throws {
        let server = try makeServer()
        let peer = try server.connect()
        let (first, rest) =
            switch what {
            case "head": ("GET /healthz HTTP/1.1\r\nHo", "st: localhost\r\n\r\n")
            case "body":
                (
                    "POST /v1/graphs/g/nodes/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n1",
                    "2"
                )
            default:
                (
                    "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
                    "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
                )
            }
        let before = server.server.receivedBytes
        peer.send(first)
        #expect(server.until { server.server.receivedBytes == before + UInt64(first.utf8.count) })
        if what == "next request" { #expect(peer.answer().status == 200) }
        standStill()
        peer.send(rest)
        #expect(peer.answer().status == 200)
    }

    @Test("so was the rest of a message")
    func message() throws {
        let server = try makeServer()
        let peer = try server.connect()
        _ = peer.upgrade()
        let before = server.server.receivedBytes
        let ping = Array(#"{"op":"ping","id":5}"#.utf8)
        peer.send([0x81, 0x80 | UInt8(ping.count), 0, 0, 0, 0] + ping.prefix(3))
        #expect(server.until { server.server.receivedBytes == before + 9 })
        standStill()
        peer.send(Array(ping.dropFirst(3)))
        #expect(peer.message() == #"{"op":"ok","id":5}"#)
    }

    @Test("what comes later was not: the peer gets an error and is closed")
    func late() throws {
        let server = try makeServer()
        let peer = try server.connect()
        peer.send("GET /healthz HTTP/1.1\r\nHo")
        standStill()
        #expect(RawAnswer(peer.readToEnd()).status == 408)
    }
}
