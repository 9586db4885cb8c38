import Graphs
import Sessions
import LogTestSupport
import Testing

@testable import SluiceServer

private let path = "/v1/graphs/g"

@Suite("?at= over HTTP")
struct LookingBackTests {
    private func set(_ server: TestServer, _ values: Int...) throws {
        for value in values {
            #expect(try server.request("POST", path + "/nodes/x", body: "\(value)").status == 200)
        }
    }

    private func check(_ answer: RawAnswer, _ status: Int, _ parts: String...) {
        #expect(answer.status == status, "\(answer.text)")
        for part in parts { #expect(answer.text.contains(part), "\(part) in \(answer.text)") }
    }

    @Test("Values, a node, an explanation and a history are those of the rev")
    func answers() throws {
        let server = try TestServer(commits: FaultyLog())
        try set(server, 5, 6)
        func get(_ rest: String, _ fields: String = "") throws -> RawAnswer {
            try server.request("GET", path + rest, fields)
        }
        check(
            try get("/values?nodes=x,double&at=2"),
            200,
            #""rev":2,"#,
            #""m":{"x":{"v":5},"double":{"v":10}}}"#
        )
        check(try get("/values?nodes=x&at=3"), 200, #""rev":3,"#, #"{"v":6}"#)
        check(try get("/nodes/double?at=2"), 200, "ETag: \"e1:2\"\r\n", "Sluice-Time: ", "\r\n\r\n10")
        check(try get("/nodes/double?at=2&epoch=e1"), 200, "\r\n\r\n10")
        check(try get("/nodes/double?at=2", "If-None-Match: \"e1:2\"\r\n"), 304, "ETag: \"e1:2\"\r\n")
        check(try get("/nodes/double?at=1", "If-None-Match: \"e1:2\"\r\n"), 200, "\r\n\r\n2")
        check(try get("/nodes/any?at=2"), 204, "ETag: \"e1:1\"\r\n")
        check(try get("/nodes/any?at=2", "If-None-Match: nonsense\r\n"), 400, "bad_request")
        try #require(server.request("POST", path + "/nodes/any", body: "true").status == 200)
        try set(server, 7)
        check(try get("/nodes/broken?at=4"), 424, #""code":"node_failed""#, #""fail":{"#)
        check(
            try get("/nodes/deep/explain?at=2"),
            200,
            #""rev":2,"#,
            #""commits":[{"rev":2,"#,
            #""set":["x"]}"#
        )
        check(try get("/nodes/deep/explain?at=5"), 200, #""commits":[{"rev":5,"#)
        check(try get("/nodes/double/history?since=2"), 200, #""from":2,"rev":5,"d":[{"rev":3,"#, #""v":12"#)
        check(try get("/nodes/double/history?since=0"), 200, #""d":[{"rev":1,"#)
        check(try get("/graph?format=dot&at=2"), 200, "Content-Type: text/vnd.graphviz", "digraph")
        check(try get("/graph?live=1&at=2", "Accept: application/json\r\n"), 200, #""rev":2,"#, #""v":10"#)
        check(try get(""), 200, #""kept":{"from":1,"to":5}"#)
    }

    @Test(
        "bad_field: an at that is no rev, or has not come yet; gone: trimmed, or of another epoch, with what is kept"
    )
    func refusals() throws {
        let log = FaultyLog()
        let server = try TestServer(commits: log)
        try set(server, 5, 6)
        log.storeSnapshot(of: "g")
        try set(server, 7)
        log.trim("g")
        for rest in ["/values", "/nodes/x", "/nodes/x/explain"] {
            for at in ["", "x", "-1", "1.5", "5", "99999999999999999999999"] {
                check(try server.request("GET", path + rest + "?at=" + at), 400, #""code":"bad_field""#)
            }
            check(
                try server.request("GET", path + rest + "?at=2"),
                410,
                #""code":"gone""#,
                #""kept":{"from":3,"to":4}"#
            )
            check(try server.request("GET", path + rest + "?at=4&epoch=old"), 410, #""code":"gone""#)
        }
        check(
            try server.request("GET", path + "/nodes/double/history?since=1"),
            410,
            #""kept":{"from":3,"to":4}"#
        )
        check(try server.request("GET", path + "/nodes/none?at=3"), 404, "unknown_node")
        check(try server.request("GET", "/v1/graphs/none/values?at=3"), 404, "unknown_graph")
        let peer = try server.connect()
        #expect(peer.upgrade(path + "/nodes/x?at=3", subprotocol: nil).status == 400)
    }

    @Test("Without a log there is only the present")
    func noLog() throws {
        let server = try TestServer()
        try set(server, 5)
        check(try server.request("GET", path), 200, #""kept":null"#)
        for rest in ["/values", "/nodes/x", "/nodes/x/explain"] {
            check(try server.request("GET", path + rest + "?at=2"), 200, "5")
            check(try server.request("GET", path + rest + "?at=1"), 410, #""kept":null"#, "dataDir")
            check(try server.request("GET", path + rest + "?at=3"), 400, "bad_field")
        }
        // A derived node has the past that follows from what its sources have kept.
        check(
            try server.request("GET", path + "/nodes/double/history?since=1"),
            200,
            #""rev":2,"#,
            #""v":10,"#
        )
        check(try server.request("GET", path + "/nodes/double/history?since=0"), 410, #""kept":null"#)
    }

    @Test("Unusable stored data is an internal error, with details in the server's log")
    func damaged() throws {
        let log = FaultyLog()
        let server = try TestServer(commits: log)
        try set(server, 5, 6, 7)
        log.drop(rev: 3)
        check(try server.request("GET", path + "/values?at=3"), 500, #""code":"internal""#)
        #expect(server.lines.all.contains { $0.contains("rev 3") })
        check(try server.request("GET", path + "/values?at=2"), 200, #""x":{"v":5}"#)
    }

    @Test("Two looks run at a time, a bounded number waits, and another one is busy")
    func busy() throws {
        let log = FaultyLog()
        let server = try TestServer(commits: log)
        try set(server, 5)
        log.holdReads()
        defer { log.releaseReads() }
        let most = PastLooks.mostRunning + PastLooks.mostWaiting
        let peers = try (0..<most).map { _ in
            let peer = try server.connect()
            peer.send("GET \(path)/values?nodes=x&at=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            return peer
        }
        #expect(server.until { server.server.service.looks.count == most })
        let refused = try server.request("GET", path + "/values?at=1")
        check(refused, 503, #""code":"busy""#, "Retry-After: 1\r\n", #""retry":true"#)
        // The loop does not wait for any of them.
        check(try server.request("GET", path + "/nodes/x"), 200, "\r\n\r\n5")
        // One that is gone makes room.
        peers[most - 1].close()
        #expect(server.until { server.server.service.looks.count == most - 1 })
        let next = try server.connect()
        next.send("GET \(path)/values?nodes=x&at=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(server.until { server.server.service.looks.count == most })
        log.releaseReads()
        for peer in peers.dropLast() + [next] { check(peer.answer(), 200, #""x":{"v":1}"#) }
        #expect(server.server.service.looks.count == 0)
    }

    @Test("A client that goes ends its look, and another one's continues")
    func cancelled() throws {
        let log = FaultyLog()
        let server = try TestServer(commits: log)
        try set(server, 5)
        log.holdReads()
        defer { log.releaseReads() }
        let gone = try server.connect()
        gone.send("GET \(path)/values?at=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let stays = try server.connect()
        stays.send("GET \(path)/values?at=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        stays.send("GET \(path)/nodes/x HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(server.until { server.server.service.looks.count == 2 })
        gone.close()
        #expect(server.until { server.server.service.looks.count == 1 })
        log.releaseReads()
        check(stays.answer(), 200, #""rev":1,"#)
        check(stays.answer(), 200, "\r\n\r\n5")
    }
}
