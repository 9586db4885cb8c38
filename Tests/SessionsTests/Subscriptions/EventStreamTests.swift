import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions
import Support

private let house = """
    {"graph": "house", "nodes": {
      "a": {"set": "any", "initial": 1, "history": 10},
      "b": {"set": "any", "initial": 2, "history": 10},
      "double": {"from": "a", "pipe": [{"map": "value * 2"}]}
    }}
    """

/// Writes down what is sent, with the cursor that an event would carry.
private final class EventSink: MessageTransport {
    weak var session: Session?
    private(set) var events: [String] = []
    private(set) var closes: [String] = []
    var unsentBytes = 0

    func send(_ message: Outgoing) {
        let mark = session?.isCaughtUp == true ? "id " : ""
        events.append(mark + message.withBytes { String(decoding: $0, as: UTF8.self) })
    }

    func close(code: UInt16, reason: String) { closes.append("\(code) \(reason)") }
    func pauseReading(_ paused: Bool) {}

    func take() -> [String] {
        defer { events = [] }
        return events
    }
}

@Suite("Streams of events")
struct EventStreamTests {
    private func open(
        _ bench: Bench,
        _ graph: LiveGraph,
        _ nodes: [String],
        pipe: String? = nil,
        every: UInt64 = 0,
        isAll: Bool = false,
        since cursor: String? = nil
    ) throws -> (Session, EventSink) {
        let stream = try EventStream(
            of: GraphView(graph, for: .full),
            nodes: nodes,
            StreamOptions(pipe: pipe.map { Array($0.utf8) }, every: every, isAll: isAll),
            lastEventID: cursor
        )
        let sink = EventSink()
        let session = Session(of: bench.clients, transport: sink, kind: .sse, form: .events)
        sink.session = session
        session.start(stream)
        return (session, sink)
    }

    @Test("Only the last snapshot carries a cursor; ids are the order of the nodes")
    func snapshots() throws {
        let bench = Bench()
        let graph = try bench.define(house)
        let (session, sink) = try open(bench, graph, ["a", "double"])
        #expect(
            sink.take() == [
                #"{"op":"snap","id":1,"epoch":"e1","rev":1,"t":5000000,"v":1}"#,
                #"id {"op":"snap","id":2,"epoch":"e1","rev":1,"t":5000000,"v":2}"#,
            ]
        )
        try bench.set(graph, [("a", "5")])
        #expect(
            sink.take() == [
                #"id {"op":"upd","graph":"house","rev":2,"t":5000000,"d":[{"id":1,"v":5},{"id":2,"v":10}]}"#
            ]
        )
        #expect(session.close() == 1, "the chain of double was only there for this stream")
        #expect(graph.statistics.listeners == 0)
    }

    @Test("A cursor never passes what an interval holds back")
    func heldBack() throws {
        let bench = Bench()
        let graph = try bench.define(house)
        let (session, sink) = try open(bench, graph, ["a", "b"], every: 100)
        _ = sink.take()
        try bench.set(graph, [("a", "1")])
        #expect(sink.take().map { $0.hasPrefix("id ") } == [true])
        bench.pass(50)
        try bench.set(graph, [("a", "2")])
        #expect(sink.take() == [], "a waits until 100")
        try bench.set(graph, [("b", "3")])
        let early = sink.take()
        #expect(early.count == 1 && early[0].hasPrefix(#"{"op":"upd","graph":"house","rev":4"#), "\(early)")
        bench.pass(60)
        #expect(
            sink.take() == [#"id {"op":"upd","graph":"house","rev":4,"t":5000050,"d":[{"id":1,"v":2}]}"#]
        )
        session.close()
    }

    @Test("Mode all: every commit is an event with its own cursor")
    func all() throws {
        let bench = Bench()
        let graph = try bench.define(house)
        for nodes in [["a"], ["a", "b"]] {
            let start = graph.rev
            let (session, sink) = try open(bench, graph, nodes, isAll: true)
            _ = sink.take()
            for value in 1...3 { try bench.submit(graph, [("a", "\(value)")]) }
            bench.host.flush()
            let events = sink.take()
            #expect(events.count == 3)
            for (place, event) in events.enumerated() {
                let rev = start + 1 + UInt64(place)
                #expect(event.hasPrefix(#"id {"op":"upd","graph":"house","rev":\#(rev),"#), "\(event)")
            }
            session.close()
        }
    }

    @Test("Last-Event-ID resumes all nodes at once; nonsense starts over")
    func resuming() throws {
        let bench = Bench()
        let graph = try bench.define(house)
        for value in 1...3 { try bench.set(graph, [("a", "\(value)")]) }
        func snaps(_ cursor: String, isAll: Bool = false) throws -> [String] {
            let (session, sink) = try open(bench, graph, ["a", "b"], isAll: isAll, since: cursor)
            session.close()
            return sink.take().map { String($0.dropFirst($0.hasPrefix("id ") ? 3 : 0)) }
        }
        let head = #"{"op":"snap","id":"#
        #expect(
            try snaps("e1:2") == [
                head + #"1,"epoch":"e1","rev":4,"t":5000000,"resumed":true,"v":3}"#,
                head + #"2,"epoch":"e1","rev":4,"c":1,"t":5000000,"resumed":true}"#,
            ]
        )
        #expect(
            try snaps("e1:2", isAll: true)[0]
                == head
                + #"1,"epoch":"e1","rev":4,"t":5000000,"resumed":true,"d":[{"rev":3,"t":5000000,"v":2},{"rev":4,"t":5000000,"v":3}]}"#
        )
        for wrong in ["e2:2", "e1:5", "e1:", "e1:x", "", "7", "e1:1:2", "e1:-1", "e1:99999999999999999999"] {
            for (id, snap) in try snaps(wrong).enumerated() {
                #expect(snap.contains(#""resumed":false,"v":\#(id == 0 ? 3 : 2)"#), "\(wrong): \(snap)")
            }
        }
    }

    @Test("What cannot be streamed is refused before anything is held")
    func refusals() throws {
        var limits = SessionLimits.ample
        limits.subscriptions = 2
        let bench = Bench(limits: limits)
        let graph = try bench.define(house)
        let wrong: [([String], String?, HostError.Code)] = [
            ([], nil, .badField), (["nobody"], nil, .unknownNode), (["a", "b", "a"], nil, .badField),
            (["a"], #"[{"map":"value +"}]"#, "expr_syntax"), (["a"], "{", .badJSON),
            (["a"], #"["nope"]"#, .badField),
        ]
        for (nodes, pipe, code) in wrong {
            #expect {
                _ = try open(bench, graph, nodes, pipe: pipe)
            } throws: { error in
                (error as? HostError)?.code == code
            }
        }
        #expect(bench.clients.statistics.sessions == 0)
    }

    @Test("When the last subscription has ended, so does the stream")
    func ending() throws {
        let bench = Bench()
        let graph = try bench.define(house)
        let (session, sink) = try open(bench, graph, ["a", "b"], pipe: #"[{"prefix":1}]"#)
        _ = sink.take()
        try bench.set(graph, [("a", "7")])
        // The first emission of each was the one at connection: `prefix: 1` is over.
        #expect(sink.closes == ["1000 complete"])
        #expect(session.isClosed)

        let (other, ends) = try open(bench, graph, ["a", "b"])
        _ = bench.host.remove(graph)
        #expect(
            ends.take().suffix(2).allSatisfy { $0.contains(#""op":"end""#) && $0.contains("node_removed") }
        )
        #expect(ends.closes == ["1000 node_removed"])
        #expect(other.isClosed)
    }

    @Test("The heartbeat moves the cursor, and a server that stops says so")
    func heartbeat() throws {
        let bench = Bench()
        let graph = try bench.define(house)
        let (session, sink) = try open(bench, graph, ["a"])
        try bench.set(graph, [("b", "1")])
        _ = sink.take()
        session.heartbeat()
        #expect(sink.take() == [#"id {"op":"hb","revs":{"house":2}}"#])
        session.shutDown(after: 500)
        #expect(sink.take().last?.contains(#""code":"shutdown""#) == true)
        #expect(sink.closes.count == 1)
        #expect(session.isClosed && graph.statistics.listeners == 0)
    }

    @Test("A stalled reader costs a mark, and gets the newest value when it is back")
    func stalled() throws {
        let bench = Bench()
        let graph = try bench.define(house)
        let (session, sink) = try open(bench, graph, ["a"])
        _ = sink.take()
        sink.unsentBytes = 100_000
        for value in 1...500 { try bench.set(graph, [("a", "\(value)")]) }
        #expect(sink.take() == [])
        sink.unsentBytes = 0
        session.drained()
        bench.host.flush()
        #expect(
            sink.take() == [
                #"id {"op":"upd","graph":"house","rev":501,"t":5000000,"d":[{"id":1,"v":500,"n":500}]}"#
            ]
        )
        session.close()
    }
}
