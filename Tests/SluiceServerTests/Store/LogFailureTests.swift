import Commits
import Graphs
import LogTestSupport
import Testing
import Values

@testable import SluiceServer

private let node = "/v1/graphs/g/nodes/x"
private let subscribe = #"{"op":"sub","id":1,"graph":"g","node":"deep"}"#
private let set = #"{"op":"set","id":2,"graph":"g","set":{"x":2}}"#

@Suite("A server whose log fails")
struct LogFailureTests {
    private func check(_ answer: RawAnswer, _ status: Int, _ code: String) {
        #expect(answer.status == status, "\(answer.text)")
        #expect(answer.body.contains("\"code\":\"\(code)\""))
        #expect(answer.fields["content-type"] == "application/problem+json")
        #expect(answer.body.contains("\"retry\":true"))
        if status == 503 { #expect(answer.fields["retry-after"] != nil) }
    }

    @Test("not_ready: while the log is catching up nothing is read and nothing set, and /readyz says so")
    func notReady() throws {
        let log = FaultyLog(.catchingUp)
        log.isSlow = true
        let server = try TestServer(commits: log)
        #expect(try server.request("GET", "/healthz").status == 200)
        for path in [
            "/readyz", "/v1/graphs", "/v1/graphs/g", "/v1/graphs/g/values", node,
            "/v1/graphs/g/events?node=x", "/v1/graphs/g/graph",
        ] {
            check(try server.request("GET", path), 503, "not_ready")
        }
        check(try server.request("POST", node, body: "2"), 503, "not_ready")
        let peer = try server.connect()
        _ = peer.upgrade()
        for message in [
            subscribe, set, #"{"op":"get","id":3,"graph":"g","nodes":["x"]}"#, #"{"op":"list","id":4}"#,
        ] {
            peer.text(message)
            #expect(peer.message().contains(#""code":"not_ready""#), "\(message)")
        }
        #expect(try server.connect().upgrade(node, subprotocol: nil).status == 503)

        log.isSlow = false
        log.confirm()
        log.health = .ready
        #expect(peer.message().contains(#""op":"hb","revs":{}}"#), "it is not stale any more")
        peer.text(subscribe)
        #expect(peer.message().contains(#""v":30"#))
        #expect(try server.request("GET", "/readyz").status == 200)
        #expect(try server.request("POST", node, body: "2").status == 200)
        #expect(peer.message().contains(#""v":50"#))
    }

    @Test("not_ready: a graph that cannot be built is named by /readyz, until it can be")
    func unbuilt() throws {
        let log = FaultyLog()
        let server = try TestServer(commits: log)
        #expect(try server.request("GET", "/readyz").status == 200)
        let snapshot = try #require(log.lose("g"))
        let answer = try server.request("GET", "/readyz")
        check(answer, 503, "not_ready")
        #expect(answer.body.contains("not served here, because what is stored cannot be read: g\""))
        #expect(answer.fields["retry-after"] == "10")
        #expect(try server.request("GET", "/healthz").status == 200)
        #expect(try server.request("GET", node).status == 404)
        log.bringBack("g", as: snapshot)
        #expect(try server.request("GET", "/readyz").status == 200)
        #expect(try server.request("GET", node).status == 200)
    }

    @Test(
        "engine_down, no_space: sets are refused, reads and subscriptions continue, and it recovers by itself",
        arguments: [(LogHealth.outOfReach, "engine_down"), (.full, "no_space")]
    )
    func unwell(health: LogHealth, code: String) throws {
        let log = FaultyLog()
        let server = try TestServer(commits: log)
        let peer = try server.connect()
        _ = peer.upgrade()
        peer.text(subscribe)
        #expect(peer.message().contains(#""v":30"#))
        let plain = try server.connect()
        #expect(plain.upgrade(node, subprotocol: nil).status == 101)
        #expect(plain.message() == "1")

        log.health = health
        let isStale = health == .outOfReach
        if isStale { #expect(peer.message() == #"{"op":"hb","revs":{"g":1},"stale":true}"#) }
        check(try server.request("POST", node, body: "2"), 503, code)
        check(try server.request("DELETE", node + "/value"), 503, code)
        check(
            try server.request("POST", "/v1/graphs/g/batch", body: #"{"set":{"x":2}}"#),
            503,
            code
        )
        check(
            try server.request(
                "PUT",
                "/v1/graphs/h",
                "Content-Type: application/json\r\n",
                body: #"{"nodes":{"x":{"set":"any"}}}"#
            ),
            503,
            code
        )
        peer.text(set)
        let answer = peer.message()
        #expect(answer.contains(#""op":"err","id":2,"code":"\#(code)""#))
        #expect(answer.contains(#""retry":true,"after":1000"#))
        plain.text("2")
        let close = plain.frame()
        #expect(close?.payload.prefix(2) == [0x11, 0x97], "4503")
        let reason = String(decoding: (close?.payload ?? []).dropFirst(2), as: UTF8.self)
        #expect(reason.hasPrefix(#"{"after":"#))
        #expect(try server.request("GET", node).body == "1")
        let other = try server.connect()
        _ = other.upgrade()
        other.text(subscribe)
        #expect(other.message().contains(#""v":30"#))
        #expect(try server.request("GET", "/metrics").body.contains("\nsluice_log_ready 0\n"))

        log.health = .ready
        if isStale { #expect(peer.message() == #"{"op":"hb","revs":{"g":1}}"#) }
        #expect(try server.request("POST", node, body: "2").status == 200)
        #expect(peer.message().contains(#""v":50"#))
    }

    @Test("W-81: hb says stale while the store is out of reach, on a socket and on a stream of events")
    func stale() throws {
        let log = FaultyLog()
        let server = try TestServer(commits: log) { $0.heartbeat = .milliseconds(100) }
        let peer = try server.connect()
        _ = peer.upgrade()
        peer.text(subscribe)
        _ = peer.message()
        let events = try server.connect()
        events.send("GET /v1/graphs/g/events?node=x HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(events.read(to: "\"v\":1}\n\n").contains("event: snap"))
        func beat() -> String {
            while let frame = peer.frame() {
                if frame.opcode == 9 { peer.frame(10, frame.payload) }
                let text = String(decoding: frame.payload, as: UTF8.self)
                if frame.opcode == 1, text.contains("\"op\":\"hb\"") { return text }
            }
            return "ended"
        }
        #expect(beat() == #"{"op":"hb","revs":{"g":1}}"#)
        log.health = .outOfReach
        for _ in 0..<3 { #expect(beat() == #"{"op":"hb","revs":{"g":1},"stale":true}"#) }
        #expect(events.read(to: "\"stale\":true}\n\n").contains("event: hb"))
        log.health = .ready
        #expect(beat() == #"{"op":"hb","revs":{"g":1}}"#)
        #expect(events.read(to: "\"revs\":{\"g\":1}}\n\n").contains("event: hb"))
    }

    @Test(
        "/readyz: while the store takes no commits a server is ready for reads, and not for writes",
        arguments: [LogHealth.outOfReach, .full]
    )
    func readiness(health: LogHealth) throws {
        let log = FaultyLog()
        let server = try TestServer(commits: log)
        #expect(try server.request("GET", "/readyz?for=writes").status == 200)
        log.health = health
        #expect(try server.request("GET", "/readyz").status == 200)
        let answer = try server.request("GET", "/readyz?for=writes")
        check(answer, 503, health == .full ? "no_space" : "engine_down")
        log.health = .ready
        #expect(try server.request("GET", "/readyz?for=writes").status == 200)
        #expect(try server.request("GET", "/readyz?for=reads").body.contains(#""code":"bad_field""#))
    }

    @Test("what was pending when the store went is answered with 503, in its place, and was never there")
    func lost() throws {
        let log = FaultyLog()
        let server = try TestServer(commits: log)
        log.isSlow = true
        let poster = try server.connect()
        poster.send("POST \(node) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n2")
        poster.send("GET \(node) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(server.until { log.pending == 1 })
        log.lose(HostError(.engineDown, "the connection to the store broke", after: 2000))
        let answer = poster.answer()
        check(answer, 503, "engine_down")
        #expect(answer.fields["retry-after"] == "2")
        #expect(poster.answer().body == "1")
    }

    @Test("4510: a lost epoch closes its listeners; the graph continues, and cursors of before start over")
    func epochLost() throws {
        let log = FaultyLog(epoch: "first")
        let server = try TestServer(commits: log)
        #expect(
            try server.request("POST", node, "Idempotency-Key: k\r\n", body: "7").fields["etag"]
                == "\"first:2\""
        )
        let subscriber = try server.connect()
        _ = subscriber.upgrade()
        subscriber.text(subscribe)
        _ = subscriber.message()
        let observer = try server.connect()
        _ = observer.upgrade()
        observer.text(#"{"op":"observe","id":1,"graph":"g"}"#)
        _ = observer.message()
        let presence = try server.connect()
        _ = presence.upgrade()
        presence.text(#"{"op":"set","id":1,"graph":"g","set":{"any":"here"},"presence":true}"#)
        _ = presence.message()
        let plain = try server.connect()
        _ = plain.upgrade(node, subprotocol: nil)
        let events = try server.connect()
        events.send("GET /v1/graphs/g/events?node=x HTTP/1.1\r\nHost: localhost\r\n\r\n")
        _ = events.read(to: "\"v\":7}\n\n")
        let waiting = try server.connect()
        waiting.send(
            "GET \(node) HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: \"first:2\"\r\nPrefer: wait=30\r\n\r\n"
        )
        #expect(server.until { server.counts.listeners == 4 })

        log.begin(epoch: "second", with: "g")
        for peer in [subscriber, observer, plain] { #expect(peer.closeCode() == 4510) }
        #expect(events.readToEnd().suffix(5).elementsEqual("0\r\n\r\n".utf8))
        let answer = waiting.answer()
        #expect(answer.body == "7")
        #expect(answer.fields["etag"] == "\"second:2\"")
        #expect(server.counts.listeners == 0)

        presence.text(#"{"op":"get","id":2,"graph":"g","nodes":["x"]}"#)
        #expect(presence.message().contains(#""epoch":"second","rev":4"#), "who listened to nothing stays")
        presence.close()
        let again = try server.connect()
        _ = again.upgrade()
        again.text(
            #"{"op":"sub","id":1,"graph":"g","node":"x","since":{"epoch":"first","rev":2}}"#
        )
        let snap = again.message()
        #expect(snap.contains(#""epoch":"second""#) && snap.contains(#""resumed":false,"v":7"#))
        let repeated = try server.request("POST", node, "Idempotency-Key: k\r\n", body: "7")
        #expect(repeated.fields["etag"] == "\"second:5\"")
        #expect(repeated.fields["idempotent-replayed"] == nil)
        #expect(try server.request("PUT", node, "If-Match: \"first:2\"\r\n", body: "8").status == 412)
    }

    @Test("internal: 500 over HTTP, with an id that the log has too, and nothing of what went wrong")
    func internalOverHTTP() throws {
        let log = FaultyLog()
        let server = try TestServer(commits: log)
        log.refusal = HostError(.internalError, "page 7 of secret.db is torn")
        let answer = try server.request("POST", node, body: "2")
        check(answer, 500, "internal")
        #expect(!answer.text.contains("secret") && !answer.text.contains("torn"))
        let line = try #require(server.lines.all.last)
        #expect(line.contains("secret.db is torn"))
        let id = try #require(line.split(separator: " ").first { $0.hasPrefix("id=") }?.dropFirst(3))
        #expect(id.count == 8 && answer.body.contains("its log has the details under \(id)\""))

        // The same where the answer comes late.
        log.refusal = nil
        log.isSlow = true
        let poster = try server.connect()
        poster.send("POST \(node) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n2")
        #expect(server.until { log.pending == 1 })
        log.lose(HostError(.internalError, "the writer thread is gone"))
        let late = poster.answer()
        check(late, 500, "internal")
        #expect(!late.text.contains("thread"))
        #expect(server.lines.all.count == 2)
        let metrics = try server.request("GET", "/metrics").body
        #expect(metrics.contains("\nsluice_internal_errors_total 2\n"))
    }

    @Test("1011: on a socket internal is answered and closes it, on a plain stream it closes it")
    func internalOnSockets() throws {
        let log = FaultyLog()
        let server = try TestServer(commits: log)
        log.refusal = HostError(.internalError, "page 7 of secret.db is torn")
        let peer = try server.connect()
        _ = peer.upgrade()
        peer.text(set)
        let answer = peer.message()
        #expect(answer.contains(#""op":"err","id":2,"code":"internal""#) && !answer.contains("secret"))
        let close = peer.frame()
        #expect(close?.opcode == 8 && close?.payload.prefix(2) == [0x03, 0xf3], "1011")
        let reason = String(decoding: (close?.payload ?? []).dropFirst(2), as: UTF8.self)
        #expect(reason.hasPrefix("the server has a fault; its log has the details under "))

        let plain = try server.connect()
        _ = plain.upgrade(node, subprotocol: nil)
        _ = plain.message()
        plain.text("2")
        #expect(plain.closeCode() == 1011)

        log.refusal = nil
        log.isSlow = true
        let late = try server.connect()
        _ = late.upgrade()
        late.text(set)
        #expect(server.until { log.pending == 1 })
        log.lose(HostError(.internalError, "the writer thread is gone"))
        #expect(late.message().contains(#""code":"internal""#))
        #expect(late.closeCode() == 1011)
        #expect(server.lines.all.count == 3)
        #expect(server.counts.listeners == 0)
    }

    @Test("internal: a log that answers with what no client knows has made a mistake")
    func unknownCode() throws {
        let log = FaultyLog()
        let server = try TestServer(commits: log)
        log.refusal = HostError(HostError.Code(rawValue: "sqlite_11"), "malformed")
        check(try server.request("POST", node, body: "2"), 500, "internal")
        #expect(server.lines.all.last?.contains("sqlite_11: malformed") == true)
    }
}
