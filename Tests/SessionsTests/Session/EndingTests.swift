@testable import Definitions
@testable import ReactiveGraph
import Testing

@testable import Graphs
@testable import Sessions

private let house = """
    {"graph": "g", "nodes": {"x": {"set": "any", "initial": 1}, "y": {"set": "any", "initial": 2}},
      "access": [{"who": "*", "nodes": "*", "can": ["read", "pipe", "set"]}]}
    """

/// How subscriptions and sessions end: once, with everything told before, and with nothing left
/// that rings.
@Suite("Endings")
struct EndingTests {
    private let bench = Bench()
    private let graph: LiveGraph

    init() throws {
        graph = try bench.define(house)
    }

    private func access(_ can: Rights, expires: UInt64? = nil) -> Access {
        Access(Principal(name: "ann", grants: [Principal.Grant(can: can)], expires: expires))
    }

    @Test("A subscription that completes with several values of one turn ends once", arguments: [1, 2])
    func completesOnce(subscriptions: Int) throws {
        let client = bench.connect()
        if subscriptions == 2 { client.ask(#"{"op":"sub","id":7,"graph":"g","node":"y"}"#) }
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x","mode":"all","pipe":[{"prefix":3}]}"#)
        try bench.submit(graph, [("x", "2")])
        try bench.submit(graph, [("x", "3")])
        bench.host.flush()
        let messages = client.take()
        #expect(messages.map { $0.prefix(10) } == [#"{"op":"upd"#, #"{"op":"upd"#, #"{"op":"end"#])
        #expect(client.ask(#"{"op":"unsub","id":1}"#)[0].contains("unknown_id"))
    }

    @Test("A stream of events continues with its other nodes when the first one has completed")
    func completesWhileOpening() throws {
        try bench.submit(graph, [], clear: ["y"])
        let client = bench.connect(form: .events)
        let options = StreamOptions(pipe: Array(#"[{"prefix":1}]"#.utf8))
        let stream = try EventStream(of: try GraphView(graph, for: .full), nodes: ["x", "y"], options)
        client.session.start(stream)
        bench.host.flush()
        let opening = client.take()
        #expect(opening.count == 3, "\(opening)")
        #expect(opening.last?.hasPrefix(#"{"op":"snap","id":2"#) == true)
        #expect(!client.session.isClosed)
        try bench.set(graph, [("y", "5")])
        #expect(client.take().map { $0.prefix(10) } == [#"{"op":"upd"#, #"{"op":"end"#])
        #expect(client.sink.closes == ["1000 complete"])
    }

    @Test("A session that ends because its rights do leaves no alarm behind", arguments: [true, false])
    func noAlarmBehind(isBare: Bool) throws {
        let expires = bench.clock.wall + 500
        let node = try #require(graph.node("x"))
        let client = bench.connect(
            access(.customary, expires: expires),
            form: isBare ? .node(node) : .events
        )
        let session = client.session
        if isBare {
            try session.stream()
        } else {
            session.start(try EventStream(of: try GraphView(graph, for: access(.customary)), nodes: ["x"]))
        }
        session.change(to: access(.metrics, expires: expires))
        #expect(session.isClosed)
        #expect(bench.host.timers.next == nil)
    }
}
