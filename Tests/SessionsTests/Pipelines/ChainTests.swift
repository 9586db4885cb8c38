@testable import Graphs
@testable import Sessions
import Testing

private let simple = """
    {"graph": "g", "nodes": {
      "x": {"set": "any", "initial": 1}, "y": {"set": "any"},
      "double": {"from": "x", "pipe": [{"map": "value * 2"}]}
    }}
    """

@Suite("Client pipelines")
struct ChainTests {
    @Test("Equal pipelines are one chain, and a prefix is shared too")
    func sharing() throws {
        let bench = Bench()
        let graph = try bench.define(simple)
        let clients = (0..<3).map { _ in bench.connect() }
        let start = graph.statistics.nodes

        let pipes = [
            #"[{"map":"value + 1"},"distinct"]"#, #"[{"map":"value+1"},"distinct"]"#,
            #"[{"map":"value + 1"},{"filter":"value > 0"}]"#,
        ]
        var snaps: [String] = []
        for (client, pipe) in zip(clients, pipes) {
            snaps += client.ask(#"{"op":"sub","id":1,"graph":"g","node":"double","pipe":\#(pipe)}"#)
        }
        #expect(snaps.map { $0.contains(#""v":3,"chain":""#) } == [true, true, true])
        #expect(snaps.map { $0.contains(#","shared":2}"#) } == [false, true, false])
        // double, the map, distinct, filter
        #expect(graph.statistics.nodes == start + 4)

        #expect(
            clients[0].ask(#"{"op":"unsub","id":1}"#) == [#"{"op":"end","id":1,"code":"done","released":0}"#]
        )
        #expect(
            clients[1].ask(#"{"op":"unsub","id":1}"#) == [#"{"op":"end","id":1,"code":"done","released":1}"#]
        )
        #expect(clients[2].session.close() == 3)
        #expect(graph.statistics.nodes == start)
        #expect(graph.isWhole)
    }

    @Test(
        "The hash is that of the pipeline's text (FNV-1a), however its chain was found",
        arguments: [
            (#""node":"x","pipe":["ignoreNull"]"#, "a7241b31"),
            (#""node":"x","pipe":["ignoreNull","distinct"]"#, "95398f97"),
            (#""merge":["x","double"]"#, "7bb36a5c"),
            (#""merge":["x","double"],"pipe":["distinct"]"#, "f03ab46f"),
        ]
    )
    func hash(of subject: String, is hash: String) throws {
        let bench = Bench()
        _ = try bench.define(simple)
        for shared in 1...2 {
            let snap = bench.connect().ask(#"{"op":"sub","id":1,"graph":"g",\#(subject)}"#).first
            #expect(snap?.contains(#""chain":"\#(hash)","shared":\#(shared)"#) == true)
        }
    }

    @Test("Counting and timed stages are private, and so are all later ones")
    func privacy() throws {
        let bench = Bench()
        let graph = try bench.define(simple)
        let clients = (0..<2).map { _ in bench.connect() }
        let start = graph.statistics.nodes
        for client in clients {
            let pipe = #"[{"map":"value + 1"},{"skip":1},{"map":"value"}]"#
            let snap = client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x","pipe":\#(pipe)}"#)
            #expect(snap.first?.contains(#""empty":true"#) == true)
            #expect(snap.first?.contains(#""shared":1}"#) == true)
        }
        #expect(graph.statistics.nodes == start + 1 + 2 * 2)
        try bench.set(graph, [("x", "5")])
        #expect(clients.map { $0.take().count } == [1, 1])
        for client in clients { client.session.close() }
        #expect(graph.statistics.nodes == start)
    }

    @Test("prefix delivers its last value and ends with complete")
    func prefix() throws {
        let bench = Bench()
        let graph = try bench.define(simple)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x","pipe":[{"prefix":2}]}"#)
        try bench.set(graph, [("x", "2")])
        #expect(
            client.take() == [
                #"{"op":"upd","graph":"g","rev":2,"t":5000000,"d":[{"id":1,"v":2}]}"#,
                #"{"op":"end","id":1,"code":"complete","released":1}"#,
            ]
        )
        #expect(client.ask(#"{"op":"sub","id":2,"graph":"g","node":"x","pipe":[{"prefix":1}]}"#).count == 2)
        client.ask(#"{"op":"sub","id":3,"graph":"g","node":"x","mode":"all","pipe":[{"prefix":2}]}"#)
        try bench.set(graph, [("x", "3")])
        #expect(client.take().last?.contains("complete") == true)
        #expect(client.session.subscriptions.isEmpty)
    }

    @Test("take keeps its last value and the subscription")
    func take() throws {
        let bench = Bench()
        let graph = try bench.define(simple)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x","pipe":[{"take":1}]}"#)
        try bench.set(graph, [("x", "2")])
        #expect(client.take() == [])
        #expect(client.session.subscriptions.count == 1)
    }

    @Test("G-81: a client's combine is empty until all have a value, and carries their own text")
    func combine() throws {
        let bench = Bench()
        let graph = try bench.define(simple)
        let client = bench.connect()
        let snap = client.ask(
            #"{"op":"sub","id":1,"graph":"g","combine":{"a":"x","b":"y"},"pipe":[{"map":"value.a"}]}"#
        )
        #expect(snap.first?.contains(#""empty":true"#) == true)
        client.ask(#"{"op":"sub","id":2,"graph":"g","combine":{"a":"x","b":"y"}}"#)
        try bench.set(graph, [("y", "1e2")])
        #expect(
            client.take() == [
                #"{"op":"upd","graph":"g","rev":2,"t":5000000,"d":[{"id":2,"v":{"a":1,"b":1e2}},{"id":1,"v":1}]}"#
            ]
        )
        try bench.submit(graph, [("x", "7"), ("y", "8")])
        bench.host.flush()
        #expect(client.take().first?.contains(#"{"id":2,"v":{"a":7,"b":8}}"#) == true)
        try bench.submit(graph, [], clear: ["y"])
        bench.host.flush()
        #expect(client.take().first?.contains(#"[{"id":2,"empty":true},{"id":1,"empty":true}]"#) == true)
        #expect(client.session.close() == 2)
    }

    @Test("G-99: an expression that fails is shown as a failure and harms no other node")
    func failure() throws {
        let bench = Bench()
        let graph = try bench.define(simple)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x","pipe":[{"map":"1 / int(value)"}]}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"x"}"#)
        try bench.set(graph, [("x", "0")])
        let update = try #require(client.take().first)
        #expect(update.contains(#"{"id":1,"fail":{"code":"expr_divide","at":"pipe/0:"#))
        #expect(update.contains(#"{"id":2,"v":0}"#))
        try bench.set(graph, [("x", "1")])
        #expect(client.take().first?.contains(#"{"id":1,"v":1}"#) == true)
    }

    @Test("A private debounce takes no rev; its emission carries the present one")
    func privateTimer() throws {
        let bench = Bench()
        let graph = try bench.define(simple)
        let client = bench.connect()
        let start = graph.statistics
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"y","pipe":[{"debounce":100}]}"#)
        try bench.set(graph, [("y", "1")])
        bench.pass(50)
        try bench.set(graph, [("y", "2")])
        bench.pass(99)
        #expect(client.take() == [])
        bench.pass(1)
        #expect(client.take() == [#"{"op":"upd","graph":"g","rev":3,"t":5000050,"d":[{"id":1,"v":2}]}"#])
        #expect(graph.rev == 3)
        try bench.set(graph, [("y", "3")])
        #expect(bench.host.nextDeadline == bench.clock.now + 100)
        #expect(client.session.close() == 1)
        #expect(bench.host.nextDeadline == nil)
        #expect(graph.statistics.nodes == start.nodes)
        #expect(graph.statistics.edges == start.edges)
    }

    @Test("A late subscriber sees what a permanent one and a read see")
    func lateSubscriber() throws {
        let bench = Bench()
        let graph = try bench.define(simple)
        let early = bench.connect()
        early.ask(#"{"op":"sub","id":1,"graph":"g","node":"double"}"#)
        for number in 0..<5 {
            try bench.set(graph, [("x", "\(number)")])
            #expect(early.take().first?.contains(#""v":\#(number * 2)}"#) == true)
            let late = bench.connect()
            #expect(
                late.ask(#"{"op":"sub","id":1,"graph":"g","node":"double"}"#).first?.contains(
                    #""v":\#(number * 2)}"#
                ) == true
            )
            late.session.close()
            #expect(try bench.read(graph, "double") == "\(number * 2)")
        }
    }
}
