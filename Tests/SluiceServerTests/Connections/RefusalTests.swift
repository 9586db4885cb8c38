import Graphs
import Testing

@testable import SluiceServer

@Suite("A server that is full")
struct RefusalTests {
    @Test(
        "4529: a WebSocket is accepted and closed with a code that browsers can see; the room does not grow"
    )
    func webSocket() throws {
        let server = try TestServer { $0.connections = 1 }
        let first = try server.connect()
        #expect(first.upgrade().status == 101)
        for _ in 0..<3 {
            let peer = try server.connect()
            let answer = peer.upgrade()
            #expect(answer.status == 101)
            #expect(answer.fields["sec-websocket-protocol"] == "sluice.v1.json")
            let close = peer.frame()
            #expect(close?.opcode == 8 && close?.payload.prefix(2) == [0x11, 0xb1], "4529")
            peer.text(#"{"op":"ping","id":1}"#)
            #expect(peer.readToEnd().isEmpty, "nothing is answered behind it")
        }
        #expect(server.until { server.server.hub.refusing == 0 })
        let plain = try server.connect()
        #expect(plain.upgrade("/v1/graphs/g/nodes/x", subprotocol: nil).status == 101)
        #expect(plain.closeCode() == 4529)
        first.close()
        plain.close()
        #expect(server.until { server.server.connectionCount == 0 })
        let next = try server.connect()
        _ = next.upgrade()
        next.text(#"{"op":"ping","id":1}"#)
        #expect(next.message() == #"{"op":"ok","id":1}"#)
    }

    @Test("a request, a broken one and an invalid handshake get 503")
    func requests() throws {
        let server = try TestServer { $0.connections = 1 }
        let first = try server.connect()
        #expect(server.until { server.server.connectionCount == 1 })
        for text in [
            "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "POST /v1/graphs/g/nodes/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n2",
            "nonsense\r\n\r\n",
            "GET /v1/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: short\r\n\r\n",
            "GET /v1/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                + "Sec-WebSocket-Protocol: chat\r\n\r\n",
        ] {
            let answer = try server.exchange(text)
            #expect(answer.status == 503, "\(text)")
            #expect(answer.fields["retry-after"] == "5")
            #expect(answer.body.contains("too_many_connections"))
        }
        withExtendedLifetime(first) {}
        #expect(server.server.host["g"]?.rev == 1, "nothing was done")
    }

    @Test("times.refusal: a silent client gets 503 when the time is over, and one that does not go is closed")
    func silence() throws {
        let server = try TestServer {
            $0.connections = 1
            $0.fixed.times.refusal = 50
            $0.fixed.times.close = 3600000
        }
        let first = try server.connect()
        #expect(server.until { server.server.connectionCount == 1 })
        let silent = try server.connect()
        #expect(silent.answer().status == 503)
        #expect(server.until { server.server.connectionCount == 1 }, "it never says goodbye")
        withExtendedLifetime((first, silent)) {}
    }

    @Test("Those beyond the 32 that are served get 503 at once")
    func beyond() throws {
        let server = try TestServer {
            $0.connections = 1
            $0.fixed.times.refusal = 60000
        }
        let first = try server.connect()
        #expect(server.until { server.server.connectionCount == 1 })
        let most = RefusedConnection.mostAtOnce
        let heard = try (0..<most).map { _ in try server.connect() }
        #expect(server.until { server.server.hub.refusing == most })
        let answer = RawAnswer(try server.connect().readToEnd())
        #expect(answer.status == 503)
        #expect(heard[0].upgrade().status == 101)
        #expect(heard[0].closeCode() == 4529)
        heard[0].close()
        #expect(server.until { server.server.hub.refusing == most - 1 })
        withExtendedLifetime((first, heard)) {}
    }

    @Test("a server that stops does not wait for refused clients")
    func draining() throws {
        let server = try TestServer {
            $0.connections = 1
            $0.fixed.times.refusal = 60000
        }
        let first = try server.connect()
        #expect(server.until { server.server.connectionCount == 1 })
        let refused = try server.connect()
        #expect(server.until { server.server.hub.refusing == 1 })
        server.server.drain()
        #expect(server.until { server.server.state == .stopped })
        withExtendedLifetime((first, refused)) {}
    }
}
