import Graphs
import Testing

@testable import SluiceServer

@Suite("WebSocket connections to a running server")
struct WebSocketTests {
    private let subscribe = #"{"op":"sub","id":1,"graph":"g","node":"deep"}"#

    @Test("a subscriber receives what is posted, in one frame per commit")
    func mainPath() throws {
        let server = try TestServer()
        let peer = try server.connect()
        let answer = peer.upgrade()
        #expect(answer.status == 101)
        #expect(answer.fields["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect(answer.fields["sec-websocket-protocol"] == "sluice.v1.json")
        peer.text(subscribe)
        #expect(peer.message().contains(#""v":30"#))
        #expect(try server.request("POST", "/v1/graphs/g/nodes/x", body: "2").status == 200)
        #expect(peer.message().contains(#""d":[{"id":1,"v":50}]"#))
    }

    @Test("bytes after the upgrade are the first frames")
    func pipelinedFrames() throws {
        let server = try TestServer()
        let peer = try server.connect()
        let ping = #"{"op":"ping","id":5}"#
        peer.send(
            Array(
                ("GET /v1/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                    + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n").utf8
            ) + [0x81, 0x80 | UInt8(ping.utf8.count), 0, 0, 0, 0] + Array(ping.utf8)
        )
        #expect(peer.read(to: "\r\n\r\n").contains("101"))
        #expect(peer.message() == #"{"op":"ok","id":5}"#)
    }

    @Test(
        "upgrades that are not welcome are refused",
        arguments: [
            ("Sec-WebSocket-Version: 12\r\n", 426),
            ("Sec-WebSocket-Version: 13\r\nOrigin: http://evil.example\r\n", 403),
            ("Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: chat\r\n", 400),
        ]
    )
    func refusals(fields: String, status: Int) throws {
        let answer = try TestServer().exchange(
            "GET /v1/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\(fields)\r\n"
        )
        #expect(answer.status == status, "\(answer.text)")
    }

    @Test(
        "however a subscriber goes, what only it needed goes in the same turn",
        arguments: [
            "close frame", "reset", "end of stream", "protocol error", "not UTF-8", "too large", "binary",
            "operator",
        ]
    )
    func release(kind: String) throws {
        let server = try TestServer()
        let start = server.counts
        let peer = try server.connect()
        _ = peer.upgrade()
        peer.text(subscribe)
        _ = peer.message()
        #expect(server.counts.listeners == start.listeners + 1)
        #expect(server.counts.nodes > start.nodes)
        switch kind {
        case "close frame": peer.frame(8, [3, 232])
        case "reset": peer.reset()
        case "end of stream": peer.close()
        case "protocol error": peer.send([0x83, 0x80, 0, 0, 0, 0])
        case "not UTF-8": peer.frame(1, [0xff, 0xfe])
        case "too large": peer.send([0x81, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0])
        case "binary": peer.frame(2, [1])
        default: #expect(try server.request("DELETE", "/v1/connections/c:1").status == 204)
        }
        #expect(server.until { server.counts.listeners == start.listeners })
        #expect(server.counts.nodes == start.nodes)
        #expect(server.counts.edges == start.edges)
        let expected = [
            "close frame": 1000, "protocol error": 1002, "not UTF-8": 1007, "too large": 1009, "binary": 1003,
            "operator": 1001,
        ]
        if let code = expected[kind] {
            #expect(peer.closeCode() == code)
            #expect(peer.readToEnd().isEmpty)
            #expect(peer.isEnded)
            peer.close()
        }
        #expect(server.until { server.server.connectionCount == 0 })
    }

    @Test("a peer that answers no pings is closed with 4508 and released")
    func silence() throws {
        let server = try TestServer { $0.heartbeat = .milliseconds(50) }
        let start = server.counts
        let peer = try server.connect()
        _ = peer.upgrade()
        peer.text(subscribe)
        #expect(peer.closeCode() == 4508)
        #expect(server.counts.listeners == start.listeners)
        #expect(server.counts.nodes == start.nodes)
    }

    @Test("a peer that answers pings stays, and receives a heartbeat when nothing else is sent")
    func heartbeat() throws {
        let server = try TestServer { $0.heartbeat = .milliseconds(50) }
        let peer = try server.connect()
        _ = peer.upgrade()
        peer.text(subscribe)
        var pings = 0
        var beats = 0
        while pings < 6, let frame = peer.frame() {
            if frame.opcode == 9 {
                pings += 1
                peer.frame(10, frame.payload)
            } else if frame.opcode == 1,
                String(decoding: frame.payload, as: UTF8.self).contains(#""op":"hb""#)
            {
                beats += 1
            }
        }
        #expect(pings == 6)
        #expect(beats > 0)
    }

    @Test("the plain stream is the bare value both ways")
    func plainStream() throws {
        let server = try TestServer()
        let peer = try server.connect()
        #expect(peer.upgrade("/v1/graphs/g/nodes/x", subprotocol: nil).status == 101)
        #expect(peer.message() == "1")
        peer.text(" 3.25 ")
        #expect(peer.message() == "3.25")
        peer.text("nonsense")
        #expect(peer.message() == "closed 4400")
        let bad = try server.connect()
        #expect(bad.upgrade("/v1/graphs/g/nodes/x?every=soon", subprotocol: nil).status == 400)
    }

    @Test("echo is there only when it is switched on")
    func echo() throws {
        let server = try TestServer { $0.echo = true }
        let peer = try server.connect()
        #expect(peer.upgrade("/v1/diagnostics/echo", subprotocol: nil).status == 101)
        peer.text("hello")
        #expect(peer.message() == "hello")
        peer.frame(2, [1, 2, 3])
        #expect(peer.frame()?.payload == [1, 2, 3])
    }

    @Test("a slow reader is skipped forward and costs little; it gets the newest value and the count of all")
    func slowReader() throws {
        let server = try TestServer()
        let peer = try server.connect()
        _ = peer.upgrade()
        peer.text(#"{"op":"sub","id":1,"graph":"g","node":"any"}"#)
        _ = peer.message()
        let writer = try server.connect()
        let big = "\"\(String(repeating: "x", count: 30_000))\""
        for _ in 0..<400 {
            writer.send(
                "POST /v1/graphs/g/nodes/any HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(big.utf8.count)\r\n\r\n\(big)"
            )
            #expect(writer.answer().status == 200)
        }
        #expect(server.server.hub.connections.map(\.unsentBytes).max()! < 200_000)
        writer.send(
            "POST /v1/graphs/g/nodes/any HTTP/1.1\r\nHost: localhost\r\nContent-Length: 6\r\n\r\n\"last\""
        )
        #expect(writer.answer().status == 200)
        var total = 0
        while true {
            let message = peer.message()
            #expect(message.contains("\"op\":\"upd\""))
            if let mark = message.firstRange(of: "\"n\":") {
                total += Int(message[mark.upperBound...].prefix { $0.isNumber }) ?? 0
            } else {
                total += 1
            }
            if message.contains("\"last\"") || message.hasPrefix("closed") || message == "ended" { break }
        }
        #expect(total == 401)
    }
}
