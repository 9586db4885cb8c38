import EventLoop
import Graphs
import LogTestSupport
import Testing

@testable import SluiceServer

@Suite("A server that stops")
struct DrainTests {
    @Test("sessions are asked to come back, idle connections end, requests finish")
    func drain() throws {
        let server = try TestServer()
        let subscriber = try server.connect()
        _ = subscriber.upgrade()
        subscriber.text(#"{"op":"sub","id":1,"graph":"g","node":"deep"}"#)
        _ = subscriber.message()
        let idle = try server.connect()
        let busy = try server.connect()
        busy.send("POST /v1/graphs/g/nodes/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n")
        #expect(server.until { server.server.connectionCount == 3 })
        // The head of the request has arrived when nothing more comes in.
        for _ in 0..<50 { server.loop.poll() }
        var isStopped = false
        server.server.onStop = { isStopped = true }
        server.server.drain()
        #expect(server.server.state == .draining)
        #expect(subscriber.message().contains(#""op":"end","id":1,"code":"shutdown""#))
        let close = subscriber.frame()
        #expect(close?.payload.prefix(2) == [0x11, 0x97])
        let reason = String(decoding: (close?.payload ?? []).dropFirst(2), as: UTF8.self)
        #expect(reason.hasPrefix(#"{"after":"#))
        #expect(idle.readToEnd().isEmpty)
        busy.send("9")
        let answer = busy.answer()
        #expect(answer.status == 200)
        #expect(answer.fields["connection"] == "close")
        busy.close()
        subscriber.close()
        #expect(server.until { isStopped })
        #expect(server.server.state == .stopped)
        #expect(server.counts.listeners == 0)
    }

    @Test("clients that do not go are closed when the time is over")
    func impatience() throws {
        let server = try TestServer {
            $0.drain = .milliseconds(50)
            $0.fixed.times.close = 60000
        }
        let subscriber = try server.connect()
        _ = subscriber.upgrade()
        server.server.drain()
        #expect(server.until { server.server.state == .stopped })
        withExtendedLifetime(subscriber) {}
    }

    @Test("a server without connections stops at once, and stopping twice is nothing")
    func nobody() throws {
        let server = try TestServer()
        server.server.stopSoon()
        #expect(server.server.state == .stopped)
        server.server.stopSoon()
        server.server.stop()
    }

    @Test("two servers live in one process, each with its own graphs")
    func two() throws {
        let first = try TestServer()
        let second = try TestServer()
        #expect(first.port != second.port)
        _ = try first.request("POST", "/v1/graphs/g/nodes/x", body: "5")
        #expect(try second.request("GET", "/v1/graphs/g/nodes/x").body == "1")
    }

    @Test("a server that may not start says why")
    func refusals() throws {
        let loop = try Loop()
        func problems(_ change: (inout Configuration) -> Void) throws -> String {
            var configuration = Configuration()
            configuration.listen = .tcp(host: "127.0.0.1", port: 0)
            configuration.publicFolder = ""
            change(&configuration)
            let server = try Server(configuration, on: loop, log: StandardErrorLog.logger(configuration))
            do {
                try server.start()
                server.stop()
                return ""
            } catch {
                return error.description
            }
        }
        let folder = try TemporaryFolder()
        folder.write("one.yaml", "graph: a\nnodes: { x: { set: numbr } }\n")
        folder.write("two.yaml", "nodes: { y: { from: nope } }\n")
        #expect(try problems { $0.graphs = "/nowhere" }.contains("/nowhere"))
        #expect(try problems { $0.graphs = folder.path } == "", "the good files are served")
        let found = try problems {
            $0.graphs = folder.path
            $0.isStrict = true
        }
        #expect(found.contains("one.yaml:2:"))
        #expect(found.contains("two.yaml:1:"))
        #expect(try problems { $0.listen = .tcp(host: "0.0.0.0", port: 0) }.contains("--insecure"))
        #expect(try problems { $0.publicFolder = "/nowhere" }.contains("public"))
    }
}
