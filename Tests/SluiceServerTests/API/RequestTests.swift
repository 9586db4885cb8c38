import EventLoop
import LogTestSupport
import Testing

@testable import SluiceServer

@Suite("HTTP requests to a running server")
struct RequestTests {
    @Test("a value is set by POST, read by GET, and cleared by DELETE")
    func setReadClear() throws {
        let server = try TestServer()
        let set = try server.request("POST", "/v1/graphs/g/nodes/x", body: "21.5")
        #expect(set.status == 200)
        #expect(set.body.contains("\"rev\":2"))
        #expect(set.fields["content-length"] == "\(set.body.utf8.count)")
        let read = try server.request("GET", "/v1/graphs/g/nodes/x")
        #expect(read.body == "21.5")
        #expect(read.fields["etag"] == set.fields["etag"])
        #expect(try server.request("GET", "/v1/graphs/g/nodes/deep").body == "440")
        #expect(try server.request("DELETE", "/v1/graphs/g/nodes/x/value").status == 204)
        #expect(try server.request("GET", "/v1/graphs/g/nodes/x").status == 204)
    }

    @Test(
        "a path that leads nowhere is refused with what a name may be, or with what was meant",
        arguments: [
            (
                "nodes/sensor.00:15.celsius",
                "'sensor.00:15.celsius' is no name: a name has letters (A-Z, a-z), digits"
            ),
            ("nodes/living%20room", "'living room' is no name"),
            ("nodes/k%C3%BCche/why", "'küche' is no name"),
            ("nodes/-x", "begins with none of the last two"),
            ("nodes/\(String(repeating: "a", count: 129))", "has 129 bytes; names have at most 128"),
            ("nodes/", "a name missing in this path"),
            ("living_c", "a node of graph g is /v1/graphs/g/nodes/living_c"),
            ("a/b/c/d", "there is nothing under this path\""),
        ]
    )
    func wrongPath(path: String, detail: String) throws {
        let server = try TestServer()
        let answer = try server.request("GET", "/v1/graphs/g/" + path)
        #expect(answer.status == 404)
        #expect(answer.body.contains(detail), "\(answer.body)")
    }

    @Test("curl's own content type is taken as JSON, others are refused")
    func mediaTypes() throws {
        let server = try TestServer()
        let form = "Content-Type: application/x-www-form-urlencoded\r\n"
        #expect(try server.request("POST", "/v1/graphs/g/nodes/x", form, body: "1").status == 200)
        let refused = try server.request(
            "POST",
            "/v1/graphs/g/nodes/x",
            "Content-Type: image/png\r\n",
            body: "1"
        )
        #expect(refused.status == 415)
        let words = try server.request("POST", "/v1/graphs/g/nodes/any", form, body: "hello")
        #expect(words.status == 400)
        #expect(words.body.contains("double quotes"))
    }

    @Test("entity tags allow compare and set")
    func preconditions() throws {
        let server = try TestServer()
        let path = "/v1/graphs/g/nodes/x"
        let tag = try #require(server.request("GET", path).fields["etag"])
        #expect(try server.request("GET", path, "If-None-Match: \(tag)\r\n").status == 304)
        #expect(try server.request("PUT", path, "If-Match: \(tag)\r\n", body: "2").status == 200)
        let late = try server.request("PUT", path, "If-Match: \(tag)\r\n", body: "3")
        #expect(late.status == 412)
        #expect(late.body.contains("\"code\":\"conflict\""))
        #expect(try server.request("PUT", path, "If-Match: \"zzz:1\"\r\n", body: "3").status == 412)
        #expect(try server.request("PUT", path, "If-Match: nonsense\r\n", body: "3").status == 400)
        #expect(try server.request("PUT", path, "If-Match: *\r\n", body: "3").status == 200)
        #expect(try server.request("PUT", path, "If-None-Match: *\r\n", body: "3").status == 412)
        #expect(
            try server.request("PUT", "/v1/graphs/g/nodes/any", "If-None-Match: *\r\n", body: "3").status
                == 200
        )
        let minimal = try server.request("PUT", path, "Prefer: return=minimal\r\n", body: "4")
        #expect(minimal.status == 204)
        #expect(minimal.fields["etag"] != nil)
    }

    @Test("the weak form of a tag, as a proxy that compresses makes it, is the same version")
    func weakPrecondition() throws {
        let server = try TestServer()
        let path = "/v1/graphs/g/nodes/any"
        func put(_ tags: String) throws -> RawAnswer {
            try server.request("PUT", path, "If-Match: \(tags)\r\n", body: "2")
        }
        let empty = try #require(server.request("GET", path).fields["etag"])
        #expect(try put("*").body.contains("the node is empty"))
        #expect(try server.request("PUT", path, "If-None-Match: \(empty)\r\n", body: "1").status == 412)
        #expect(try put("\"k:1\", W/\(empty)").status == 200)
        let late = try put("W/\(empty)")
        #expect(late.status == 412)
        #expect(late.body.contains("any changed at rev"))
        #expect(try put("\"k:1\"").body.contains("not in the graph's history"))
        let foreign = try put("\(empty.dropLast())-gzip\"")
        #expect(foreign.status == 412)
        #expect(foreign.body.contains("no tag in If-Match has the form"))
        #expect(foreign.body.contains("DeflateAlterETag"))
    }

    @Test("a node that asks for If-Match is not set without")
    func preconditionRequired() throws {
        let server = try TestServer()
        #expect(try server.request("POST", "/v1/graphs/g/nodes/guarded", body: "2").status == 428)
        let tag = try #require(server.request("GET", "/v1/graphs/g/nodes/guarded").fields["etag"])
        let set = try server.request("POST", "/v1/graphs/g/nodes/guarded", "If-Match: \(tag)\r\n", body: "2")
        #expect(set.status == 200)
    }

    @Test("a PUT is tagged only when exactly its bytes are stored")
    func tagOfPut() throws {
        let server = try TestServer()
        #expect(try server.request("PUT", "/v1/graphs/g/nodes/any", body: "[1]").fields["etag"] != nil)
        #expect(try server.request("PUT", "/v1/graphs/g/nodes/any", body: " [1] ").fields["etag"] == nil)
    }

    @Test("a merge patch changes what it names and keeps the bytes of the rest")
    func mergePatch() throws {
        let server = try TestServer()
        let path = "/v1/graphs/g/nodes/any"
        _ = try server.request("PUT", path, body: #"{"a":{"b":1.50,"c":2},"d":[1],"e":null}"#)
        let type = "Content-Type: application/merge-patch+json\r\n"
        let patch = #"{"a":{"c":null,"n":{"x":null,"y":1}},"d":"new","z":true}"#
        #expect(
            try server.request("PATCH", path, type + "Content-Length: \(patch.utf8.count)\r\n\r\n" + patch)
                .status == 200
        )
        #expect(
            try server.request("GET", path).body
                == #"{"a":{"b":1.50,"n":{"y":1}},"d":"new","e":null,"z":true}"#
        )
        #expect(try server.request("PATCH", path, "Content-Type: text/plain\r\n", body: "").status == 415)
    }

    private func patch(_ server: TestServer, _ patch: String, _ fields: String = "") throws -> RawAnswer {
        let type = "Content-Type: application/merge-patch+json\r\nContent-Length: \(patch.utf8.count)\r\n"
        return try server.request("PATCH", "/v1/graphs/g/nodes/any", fields + type + "\r\n" + patch)
    }

    @Test("keys of a merge patch that only look alike are different members (RFC 8259 §8.3)")
    func mergePatchKeys() throws {
        let server = try TestServer()
        _ = try server.request("PUT", "/v1/graphs/g/nodes/any", body: "{\"\u{e9}\":1}")
        #expect(try patch(server, "{\"e\u{301}\":2}").status == 200)
        let both = try server.request("GET", "/v1/graphs/g/nodes/any").body
        #expect(Array(both.utf8) == Array("{\"\u{e9}\":1,\"e\u{301}\":2}".utf8))
        // An escape is the same character.
        #expect(try patch(server, #"{"\u00e9":null}"#).status == 200)
        let one = try server.request("GET", "/v1/graphs/g/nodes/any").body
        #expect(Array(one.utf8) == Array("{\"e\u{301}\":2}".utf8))
    }

    @Test("patches do not make a value larger than a body may be")
    func mergePatchBound() throws {
        let server = try TestServer { $0.body = 100 }
        #expect(try patch(server, "{\"a\":\"\(String(repeating: "a", count: 80))\"}").status == 200)
        let refused = try patch(server, "{\"b\":\"\(String(repeating: "b", count: 80))\"}")
        #expect(refused.status == 413 && refused.body.contains("\"code\":\"too_large\""))
        #expect(try server.request("GET", "/v1/graphs/g/nodes/any").body.utf8.count == 88)
        #expect(try patch(server, #"{"a":null,"b":1}"#).status == 200)
    }

    @Test("a merge patch with a content coding other than gzip is refused")
    func codedMergePatch() throws {
        let server = try TestServer()
        #expect(try patch(server, "{}", "Content-Encoding: br\r\n").status == 415)
    }

    @Test("a failed node answers 424 and says why")
    func failedNode() throws {
        let server = try TestServer()
        _ = try server.request("PUT", "/v1/graphs/g/nodes/any", body: "[]")
        let answer = try server.request("GET", "/v1/graphs/g/nodes/broken")
        #expect(answer.status == 424)
        #expect(answer.body.contains("\"fail\":{"))
    }

    @Test("an idempotency key is applied once")
    func idempotency() throws {
        let server = try TestServer()
        let key = "Idempotency-Key: k1\r\n"
        let first = try server.request("POST", "/v1/graphs/g/nodes/x", key, body: "5")
        let second = try server.request("POST", "/v1/graphs/g/nodes/x", key, body: "5")
        #expect(first.body == second.body)
        #expect(second.fields["idempotent-replayed"] == "true")
        #expect(try server.request("POST", "/v1/graphs/g/nodes/x", key, body: "6").status == 422)
    }

    @Test(
        "the documented status for what is not there or not allowed",
        arguments: [
            ("GET", "/nothing", "", 404), ("GET", "/v1/graphs/zz", "", 404),
            ("GET", "/v1/graphs/g/nodes/zz", "", 404),
            ("DELETE", "/v1/graphs", "", 405), ("POST", "/index.html", "", 405), ("POST", "/zz", "", 404),
            ("POST", "/v1/graphs/g/nodes/deep", "", 400), ("OPTIONS", "/v1/graphs", "", 204),
            ("POST", "/v1/graphs/g/nodes/x", "Origin: http://evil.example\r\n", 403),
            ("POST", "/v1/graphs/g/nodes/x", "Origin: null\r\n", 403),
            ("POST", "/v1/graphs/g/nodes/x", "Sec-Fetch-Site: cross-site\r\n", 403),
            ("GET", "/v1/graphs/g/graph?format=png", "", 406), ("GET", "/v1/ws", "", 426),
            ("GET", "/healthz", "", 200), ("GET", "/readyz", "", 200), ("GET", "/version", "", 200),
            ("GET", "/v1/operators", "", 200), ("GET", "/v1/connections", "", 200),
            ("GET", "/v1/graphs/g/listeners", "", 200), ("GET", "/v1/graphs/g", "", 200),
            ("GET", "/v1/graphs/g/values?nodes=x,d*", "", 200),
            ("GET", "/v1/graphs/g/values?nodes=zz", "", 404),
            ("DELETE", "/v1/connections/c:99", "", 404), ("GET", "/v1/diagnostics/echo", "", 404),
        ]
    )
    func statuses(method: String, path: String, fields: String, status: Int) throws {
        let answer = try TestServer().request(method, path, fields)
        #expect(answer.status == status, "\(answer.text)")
        if status == 405 { #expect(answer.fields["allow"] != nil) }
        if status >= 400, status != 426 {
            #expect(answer.fields["content-type"] == "application/problem+json")
        }
    }

    @Test("Host must name this server, and its own origin may set values")
    func hostAndOrigin() throws {
        let server = try TestServer { $0.hosts = ["Sluice.example"] }
        func get(_ host: String) throws -> Int {
            try server.exchange("GET /healthz HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n").status
        }
        for host in ["localhost", "127.0.0.1:8080", "[::1]:80", "sluice.example:443", "LOCALHOST"] {
            #expect(try get(host) == 200, "\(host)")
        }
        for host in [
            "evil.example", "127.0.0.1.evil.example", "localhost@evil", "sluice.example.evil", "1.2.3.4",
        ] {
            #expect(try get(host) == 421 || get(host) == 400, "\(host)")
        }
        let own = try server.request(
            "POST",
            "/v1/graphs/g/nodes/x",
            "Origin: http://localhost\r\n",
            body: "1"
        )
        #expect(own.status == 200)
        let other = try server.request(
            "POST",
            "/v1/graphs/g/nodes/x",
            "Origin: http://localhost:81\r\n",
            body: "1"
        )
        #expect(other.status == 403)
    }

    @Test("pipelined requests are answered in order, and the last one may close")
    func pipelining() throws {
        let server = try TestServer()
        var text = ""
        for number in 0..<50 {
            let body = "\(number)"
            text +=
                "POST /v1/graphs/g/nodes/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.count)\r\n\r\n\(body)"
            text +=
                "GET /v1/graphs/g/nodes/x HTTP/1.1\r\nHost: localhost\r\n\(number == 49 ? "Connection: close\r\n" : "")\r\n"
        }
        let peer = try server.connect()
        peer.send(text)
        for number in 0..<50 {
            #expect(peer.answer().status == 200)
            #expect(peer.answer().body == "\(number)")
        }
        #expect(peer.readToEnd().isEmpty)
    }

    @Test("a client that pipelines large answers and reads late gets all of them")
    func pipeliningLargeAnswers() throws {
        let server = try TestServer()
        server.folder.write("public/big.txt", String(repeating: "x", count: 700_000))
        let peer = try server.connect()
        for _ in 0..<12 { peer.send("GET /big.txt HTTP/1.1\r\nHost: localhost\r\n\r\n") }
        for _ in 0..<200 { server.loop.poll() }
        for _ in 0..<12 { #expect(peer.answer().body.utf8.count == 700_000) }
    }

    @Test("a request in single bytes is a request")
    func singleBytes() throws {
        let server = try TestServer()
        let peer = try server.connect()
        for byte in "POST /v1/graphs/g/nodes/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\n7.5"
            .utf8
        {
            peer.send([byte])
        }
        #expect(peer.answer().status == 200)
    }

    @Test("100 Continue is sent to a client that waits for it, and not when the request is refused anyway")
    func expectContinue() throws {
        let server = try TestServer()
        let peer = try server.connect()
        peer.send(
            "POST /v1/graphs/g/nodes/x HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n"
        )
        #expect(peer.read(to: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
        peer.send("8")
        #expect(peer.answer().status == 200)
        let refused = try server.exchange(
            "POST /v1/none HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n"
        )
        #expect(refused.status == 404)
    }

    @Test(
        "malformed requests are answered and the connection closed",
        arguments: [
            ("GET / HTTP/1.1\r\n\r\n", 400), ("\u{16}\u{3}\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
            ("POST /v1/graphs/g/nodes/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 70000\r\n\r\n", 413),
            ("GET /\(String(repeating: "a", count: 9000)) HTTP/1.1\r\nHost: localhost\r\n\r\n", 414),
            ("GET / HTTP/1.1\r\nHost: localhost\r\nX: \(String(repeating: "a", count: 17000))\r\n\r\n", 431),
        ]
    )
    func malformed(text: String, status: Int) throws {
        #expect(try TestServer().exchange(text).status == status)
    }

    @Test("a client gets a clean 503 when there is no room")
    func connectionLimit() throws {
        let server = try TestServer {
            $0.connections = 2
            $0.fixed.times.refusal = 50
        }
        let first = try server.connect()
        let second = try server.connect()
        #expect(server.until { server.server.connectionCount == 2 })
        let third = try server.connect()
        let answer = RawAnswer(third.readToEnd())
        #expect(answer.status == 503)
        #expect(answer.body.contains("too_many_connections"))
        first.close()
        #expect(server.until { server.server.connectionCount == 1 })
        #expect(try server.request("GET", "/healthz").status == 200)
        withExtendedLifetime(second) {}
    }

    @Test("connections of one address are bounded where that is configured")
    func addressLimit() throws {
        let server = try TestServer {
            $0.connectionsPerAddress = 1
            $0.fixed.times.refusal = 50
        }
        let first = try server.connect()
        #expect(server.until { server.server.connectionCount == 1 })
        #expect(RawAnswer(try server.connect().readToEnd()).status == 503)
        first.close()
        #expect(server.until { server.server.connectionCount == 0 })
        #expect(try server.request("GET", "/healthz").status == 200)
    }
}
