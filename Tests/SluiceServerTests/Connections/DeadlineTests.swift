import EventLoop
import Testing

@testable import SluiceServer

@Suite("Deadlines of a server that stood still")
struct DeadlineTests {
    private func makeServer() throws -> TestServer {
        try TestServer {
            $0.fixed.times.headers = Self.limit
            $0.fixed.times.body = Self.limit
            $0.idle = .milliseconds(Int64(Self.limit))
            $0.fixed.times.frame = Self.limit
            $0.heartbeat = .milliseconds(Int64(Self.limit) * 2)
        }
    }

    /// Milliseconds; so many that no machine is too slow to send the first half in time.
    private static let limit: UInt64 = 3_600_000

    /// Longer than any deadline; what is sent next lies on the socket when the loop looks at the
    /// clock again.
    private func standStill(_ server: TestServer) {
        server.loop.skip(Self.limit + 1_000)
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
        let before = server.server.hub.traffic.receivedBytes
        peer.send(first)
        #expect(server.until { server.server.hub.traffic.receivedBytes == before + UInt64(first.utf8.count) })
        if what == "next request" { #expect(peer.answer().status == 200) }
        standStill(server)
        peer.send(rest)
        #expect(peer.answer().status == 200)
    }

    @Test("so was the rest of a message")
    func message() throws {
        let server = try makeServer()
        let peer = try server.connect()
        _ = peer.upgrade()
        let before = server.server.hub.traffic.receivedBytes
        let ping = Array(#"{"op":"ping","id":5}"#.utf8)
        peer.send([0x81, 0x80 | UInt8(ping.count), 0, 0, 0, 0] + ping.prefix(3))
        #expect(server.until { server.server.hub.traffic.receivedBytes == before + 9 })
        standStill(server)
        peer.send(Array(ping.dropFirst(3)))
        #expect(peer.message() == #"{"op":"ok","id":5}"#)
    }

    @Test(
        "what comes later was not: a head or a body that is late is 408",
        arguments: [
            "GET /healthz HTTP/1.1\r\nHo",
            "POST /v1/graphs/g/nodes/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n1",
        ]
    )
    func late(start: String) throws {
        let server = try makeServer()
        let peer = try server.connect()
        let before = server.server.hub.traffic.receivedBytes
        peer.send(start)
        #expect(server.until { server.server.hub.traffic.receivedBytes > before })
        standStill(server)
        #expect(RawAnswer(peer.readToEnd()).status == 408)
    }

    @Test("what a long turn of the server has taken is given to the peers, once")
    func excused() throws {
        let server = try makeServer()
        let peer = try server.connect()
        let before = server.server.hub.traffic.receivedBytes
        peer.send("GET /healthz HTTP/1.1\r\nHo")
        #expect(server.until { server.server.hub.traffic.receivedBytes > before })
        server.server.hub.deadlines.excuse(Self.limit)
        // A look that comes earlier takes nothing of it away.
        server.server.hub.deadlines.advance(to: server.loop.now)
        standStill(server)
        for _ in 0..<5 { server.loop.poll() }
        peer.send("st: localhost\r\n\r\nGET /healthz HTTP/1.1\r\nHo")
        #expect(peer.answer().status == 200)
        standStill(server)
        #expect(RawAnswer(peer.readToEnd()).status == 408)
    }

    @Test("an idle connection just ends")
    func idle() throws {
        let server = try makeServer()
        let peer = try server.connect()
        peer.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(peer.answer().status == 200)
        standStill(server)
        #expect(peer.readToEnd().isEmpty && peer.isEnded)
    }

    @Test("a message that is not finished in time ends the connection")
    func lateMessage() throws {
        let server = try makeServer()
        let peer = try server.connect()
        _ = peer.upgrade()
        let before = server.server.hub.traffic.receivedBytes
        peer.send([0x81, 0x8a, 0, 0])
        #expect(server.until { server.server.hub.traffic.receivedBytes == before + 4 })
        standStill(server)
        #expect(peer.closeCode() == 4508)
    }
}
