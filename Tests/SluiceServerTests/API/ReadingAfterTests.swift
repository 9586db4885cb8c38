import Commits
import Definitions
import EventLoop
import Graphs
import LogTestSupport
import Testing

@testable import SluiceServer

/// Reads that include a commit which another server has answered (`after`).
@Suite("Reads after a commit")
struct ReadingAfterTests {
    private static let limit: UInt64 = 3_600_000

    private let log = FaultyLog()
    private let server: TestServer
    private let graph: LiveGraph

    init() throws {
        log.instance = "here"
        server = try TestServer(commits: log) { $0.fixed.session.behindMilliseconds = Self.limit }
        graph = try #require(server.server.host["g"])
    }

    private var next: String { "\(graph.epoch):\(graph.rev + 1)" }

    /// Another server sets `x`.
    private func set(_ value: String) {
        var entry = LogEntry(graph: "g")
        entry.set = [LogEntry.Assignment("x", Array(value.utf8))]
        log.receive(entry, wall: 5)
    }

    private func connect() throws -> RawPeer {
        let peer = try server.connect()
        _ = peer.upgrade()
        return peer
    }

    /// Sends a request and waits until it waits.
    private func send(_ path: String, _ fields: String = "", on peer: RawPeer) {
        let before = graph.waitingReads
        peer.send(
            "GET /v1/graphs/g/\(path) HTTP/1.1\r\nHost: localhost\r\n\(fields)Connection: close\r\n\r\n"
        )
        #expect(server.until { graph.waitingReads == before + 1 }, "\(path)")
    }

    private func after(_ epoch: String? = nil, _ rev: UInt64? = nil) -> String {
        #""after":{"epoch":"\#(epoch ?? graph.epoch)","rev":\#(rev ?? graph.rev + 1)}"#
    }

    private func ask(_ fields: String, on peer: RawPeer) {
        let before = graph.waitingReads
        peer.text(#"{"id":1,"graph":"g",\#(fields)}"#)
        #expect(server.until { graph.waitingReads == before + 1 }, "\(fields)")
    }

    // MARK: - The commit comes

    @Test("each route that takes it waits for the commit, and answers with a state that includes it")
    func routes() throws {
        let queries = [
            "readValues": ("values?nodes=x", #""x":{"v":77}"#), "listNodes": ("nodes?match=x", #""v":77"#),
            "readNode": ("nodes/x", "77"), "explainNode": ("nodes/double/explain", "154"),
            "readHistory": ("nodes/x/history", #""v":77"#), "drawGraph": ("graph?live=1", "77"),
            "streamEvents": ("events?node=x", #""v":77"#), "evaluate": ("eval", "77"),
        ]
        let names = Set(Operation.all.filter(\.takesCommit).map(\.name))
        #expect(names == Set(queries.keys))
        var peers: [(RawPeer, String)] = []
        for (name, (path, expected)) in queries where names.contains(name) && name != "evaluate" {
            let peer = try server.connect()
            send(path + (path.contains("?") ? "&" : "?") + "after=\(next)", on: peer)
            peers.append((peer, expected))
        }
        let asking = try server.connect()
        let body = #"{"node":"x"}"#
        asking.send(
            "POST /v1/graphs/g/eval?after=\(next) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        #expect(server.until { graph.waitingReads == peers.count + 1 })
        peers.append((asking, "77"))
        let socket = try connect()
        ask(#""op":"get","nodes":["x"],\#(after())"#, on: socket)
        let listener = try connect()
        ask(#""op":"sub","node":"x",\#(after())"#, on: listener)
        socket.text(#"{"op":"ping","id":2}"#)
        set("77")
        for (peer, expected) in peers {
            #expect(peer.read(to: expected).contains("200 OK"), "\(expected)")
            peer.close()
        }
        #expect(socket.message().contains(#""m":{"x":{"v":77}}"#))
        #expect(socket.message() == #"{"op":"ok","id":2}"#, "later requests keep their place")
        let snap = listener.message()
        #expect(snap.contains(#""op":"snap""#) && snap.contains(#""v":77"#))
        #expect(graph.waitingReads == 0)
        #expect(try server.request("GET", "/v1/graphs/g/nodes/x?after=\(graph.epoch):2").body == "77")
    }

    @Test("a tag and Prefer: wait count from then on")
    func conditions() throws {
        let known = try #require(server.request("GET", "/v1/graphs/g/nodes/x").fields["etag"])
        let (changed, same, waiting) = (try server.connect(), try server.connect(), try server.connect())
        send("nodes/x?after=\(next)", "If-None-Match: \(known)\r\n", on: changed)
        let other = try #require(server.request("GET", "/v1/graphs/g/nodes/guarded").fields["etag"])
        send("nodes/guarded?after=\(next)", "If-None-Match: \(other)\r\n", on: same)
        let fields = "If-None-Match: \(other)\r\nPrefer: wait=3000\r\n"
        send("nodes/guarded?after=\(next)", fields, on: waiting)
        set("77")
        #expect(RawAnswer(changed.readToEnd()).body == "77")
        #expect(RawAnswer(same.readToEnd()).status == 304)
        var entry = LogEntry(graph: "g")
        entry.set = [LogEntry.Assignment("guarded", Array("5".utf8))]
        log.receive(entry, wall: 6)
        #expect(RawAnswer(waiting.readToEnd()).body == "5")
    }

    @Test("several requests on one connection are answered in order, each after its commit")
    func pipelined() throws {
        let peer = try server.connect()
        let head = "HTTP/1.1\r\nHost: localhost\r\n\r\n"
        let second = "\(graph.epoch):\(graph.rev + 2)"
        peer.send(
            "GET /v1/graphs/g/nodes/x?after=\(next) \(head)GET /v1/graphs/g/nodes/x?after=\(second) \(head)"
                + "GET /v1/graphs/g/nodes/x \(head)"
        )
        #expect(server.until { graph.waitingReads == 1 })
        set("7")
        #expect(peer.answer().body == "7")
        #expect(server.until { graph.waitingReads == 1 })
        set("8")
        #expect(peer.answer().body == "8")
        #expect(peer.answer().body == "8")
    }

    @Test("a commit of an epoch that another server has begun is waited for")
    func newEpoch() throws {
        let peer = try server.connect()
        send("nodes/x?after=e2:1", on: peer)
        log.begin(epoch: "e2", with: "g")
        let answer = RawAnswer(peer.readToEnd())
        #expect(answer.status == 200 && answer.fields["etag"]?.contains("e2") == true)
    }

    // MARK: - It does not come

    @Test("times.behind: a read waits no longer than that, and may be tried again")
    func limited() throws {
        let (one, socket) = (try server.connect(), try connect())
        send("nodes/x?after=\(next)", on: one)
        ask(#""op":"sub","node":"x",\#(after())"#, on: socket)
        server.loop.skip(Self.limit + 1)
        let late = RawAnswer(one.readToEnd())
        #expect(late.status == 503 && late.body.contains(#""code":"not_ready""#))
        #expect(late.fields["retry-after"] == "1")
        let message = socket.message()
        #expect(message.contains(#""code":"not_ready""#) && message.contains(#""retry":true,"after":1000"#))
        set("7")
        let here = "\(graph.epoch):\(graph.rev)"
        #expect(try server.request("GET", "/v1/graphs/g/nodes/x?after=\(here)").body == "7")
    }

    @Test("a commit that is not in the history is gone; another form is refused")
    func refused() throws {
        func answer(_ query: String) throws -> (Int, String) {
            let answer = try server.request("GET", "/v1/graphs/g/\(query)")
            return (answer.status, answer.body)
        }
        for text in ["", "1", "a:b", "a:1:2", ":1", "e:-1", "sensor.1"] {
            let (status, body) = try answer("nodes?after=\(text)")
            #expect(status == 400 && body.contains(#""code":"bad_field""#), "\(text)")
            #expect(body.contains("the next page is asked for with next=NAME"))
        }
        #expect(try answer("nodes/x?after=e1:1&at=1").0 == 400, "either the past or the present")
        #expect(try answer("nodes/nothing?after=e1:1").0 == 404)
        let socket = try connect()
        for field in ["7", #"{"epoch":"e"}"#, #"{"epoch":"e","rev":-1}"#] {
            socket.text(#"{"op":"get","id":1,"graph":"g","nodes":["x"],"after":\#(field)}"#)
            #expect(socket.message().contains(#""code":"bad_field""#), "\(field)")
        }
        let stream = try server.connect().upgrade("/v1/graphs/g/nodes/x?after=\(next)", subprotocol: nil)
        #expect(stream.status == 400)
        // Another server may have begun that epoch, so it is gone only when the time is over.
        let peer = try server.connect()
        send("values?after=another:1", on: peer)
        server.loop.skip(Self.limit + 1)
        let gone = RawAnswer(peer.readToEnd())
        #expect(gone.status == 410 && gone.body.contains(#""code":"gone""#))
        let alone = try TestServer()
        let answer = try alone.request("GET", "/v1/graphs/g/nodes/x?after=another:1")
        #expect(answer.status == 410 && answer.body.contains(#""code":"gone""#), "at once")
    }

    @Test("a graph that ends meanwhile is not found, without a further wait")
    func removed() throws {
        let (one, socket) = (try server.connect(), try connect())
        send("nodes/x?after=\(next)", on: one)
        ask(#""op":"get","nodes":["x"],\#(after())"#, on: socket)
        log.receive(LogEntry(graph: "g", kind: .remove), wall: 5)
        #expect(RawAnswer(one.readToEnd()).status == 404)
        #expect(socket.message().contains(#""code":"unknown_graph""#))
    }

    @Test("a client that leaves, and a server that stops, leave nothing behind")
    func leaving() throws {
        let (one, two, socket) = (try server.connect(), try server.connect(), try connect())
        send("nodes/x?after=\(next)", on: one)
        send("events?node=x&after=\(next)", on: two)
        ask(#""op":"sub","node":"x",\#(after())"#, on: socket)
        one.close()
        #expect(server.until { graph.waitingReads == 2 })
        two.reset()
        #expect(server.until { graph.waitingReads == 1 })
        socket.close()
        #expect(server.until { graph.waitingReads == 0 && server.server.connectionCount == 0 })
        set("7")
        server.loop.skip(Self.limit + 1)
        for _ in 0..<5 { server.loop.poll() }
        #expect(server.counts.listeners == 0)
        let last = try connect()
        ask(#""op":"get","nodes":["x"],\#(after())"#, on: last)
        server.server.drain()
        #expect(last.closeCode() == 4503)
        last.close()
        #expect(server.until { server.server.state == .stopped })
        #expect(graph.waitingReads == 0)
    }
}
