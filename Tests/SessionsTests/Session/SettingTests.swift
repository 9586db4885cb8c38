import LogTestSupport
import Testing

@testable import Graphs
@testable import Sessions

private let graphText = """
    {"graph": "g", "nodes": {
      "x": {"set": "number", "min": 0, "initial": 1},
      "y": {"set": "any"},
      "locked": {"set": "any", "requireIfMatch": true, "initial": "a"},
      "brief": {"set": "any", "ttl": "30s"},
      "double": {"from": "x", "pipe": [{"map": "value * 2"}]}
    }}
    """

@Suite("Setting nodes")
struct SettingTests {
    @Test("A set is one rev and one turn, and answers after what mode all shows of it")
    func set() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"double","mode":"all"}"#)
        #expect(
            client.ask(#"{"op":"set","id":9,"graph":"g","set":{"x":3,"y":{"a":1}},"ctx":5}"#) == [
                #"{"op":"upd","graph":"g","rev":2,"t":5000000,"d":[{"id":1,"v":6}],"ctx":5}"#,
                #"{"op":"ok","id":9,"epoch":"e1","rev":2}"#,
            ]
        )
        #expect(
            client.ask(#"{"op":"set","id":9,"graph":"g","clear":["y","x"]}"#) == [
                #"{"op":"upd","graph":"g","rev":3,"t":5000000,"d":[{"id":1,"empty":true}]}"#,
                #"{"op":"ok","id":9,"epoch":"e1","rev":3}"#,
            ]
        )
        #expect(try bench.read(graph, "y") == "empty")
    }

    @Test(
        "A refused set changes nothing and says why",
        arguments: [
            (#""set":{"x":5,"nope":1}"#, #""code":"unknown_node""#),
            (#""set":{"x":5,"double":1}"#, #""code":"not_mutable""#),
            (#""set":{"x":5,"y":1},"clear":["double"]"#, #""code":"not_mutable""#),
            (#""set":{"x":"five"}"#, #""code":"type_mismatch""#),
            (#""set":{"y":5,"x":-1}"#, #""code":"type_mismatch""#),
            (#""set":{"x":5,"locked":1}"#, #""code":"precondition_required""#),
            (
                #""set":{"x":5},"if":{"x":{"v":2}}"#,
                #""code":"conflict","msg":"x has another value (since rev 1)","node":"x","rev":1"#
            ),
            (#""set":{"x":5},"if":{"y":{"v":2}}"#, #""msg":"y is empty (since rev 1)","node":"y""#),
            (#""set":{"x":5},"if":{"x":{"empty":true}}"#, #""msg":"x is not empty","node":"x""#),
            (#""set":{"x":5},"if":{"epoch":"e1","x":{"rev":0}}"#, #""msg":"x changed at rev 1""#),
            (#""set":{"x":5},"if":{"epoch":"old","x":{"rev":9}}"#, #""code":"conflict""#),
            (#""set":{"x":5},"if":{"x":{"rev":9}}"#, #""code":"bad_field""#),
            (#""set":{"x":5},"if":{"double":{"v":2}}"#, #""code":"not_mutable""#),
            (#""set":{"x":5},"if":{"x":{}}"#, #""code":"bad_field""#),
            (#""set":{"x":5},"presence":1"#, #""code":"bad_field""#),
            (
                #""set":{"x":5,"y":9},"clear":["y"]"#,
                #""code":"bad_field","msg":"y: either set it or clear it","node":"y""#
            ),
            (#""set":[1]"#, #""code":"bad_field""#),
            (#""clear":"x""#, #""code":"bad_field""#),
            (#""key":"k""#, #""code":"bad_request""#),
        ]
    )
    func refused(fields: String, answer: String) throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        let answers = bench.connect().ask(#"{"op":"set","id":1,"graph":"g",\#(fields)}"#)
        #expect(answers.count == 1)
        #expect(answers.first?.contains(answer) == true, "\(answers)")
        #expect(answers.first?.hasPrefix(#"{"op":"err","id":1,"#) == true)
        #expect(graph.rev == 1)
        #expect(try bench.read(graph, "x") == "1")
        #expect(try bench.read(graph, "y") == "empty")
    }

    @Test(
        "Conditions that hold let the set pass",
        arguments: [
            #""set":{"x":5},"if":{"x":{"v":1.0}}"#,
            #""set":{"x":5},"if":{"epoch":"e1","x":{"rev":1},"y":{"rev":1}}"#,
            #""set":{"x":5,"locked":"b"},"if":{"locked":{"v":"a"}}"#,
            #""set":{"x":5},"if":{"y":{"empty":true}}"#,
        ]
    )
    func conditions(fields: String) throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        let answers = bench.connect().ask(#"{"op":"set","id":1,"graph":"g",\#(fields)}"#)
        #expect(answers == [#"{"op":"ok","id":1,"epoch":"e1","rev":2}"#])
        #expect(try bench.read(graph, "x") == "5")
    }

    @Test("A key makes a repeat harmless, and another change under it is refused")
    func idempotency() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        let client = bench.connect()
        let message = #"{"op":"set","id":1,"graph":"g","set":{"x":2},"key":"k1"}"#
        #expect(client.ask(message) == [#"{"op":"ok","id":1,"epoch":"e1","rev":2}"#])
        #expect(client.ask(message) == [#"{"op":"ok","id":1,"epoch":"e1","rev":2,"replayed":true}"#])
        #expect(graph.rev == 2)
        let other = client.ask(#"{"op":"set","id":1,"graph":"g","set":{"x":3},"key":"k1"}"#)
        #expect(other.first?.contains("key_reused") == true)
        bench.clock.advance(by: 600_000)
        #expect(client.ask(message) == [#"{"op":"ok","id":1,"epoch":"e1","rev":3}"#])
        let refused = #"{"op":"set","id":1,"graph":"g","set":{"x":-3},"key":"k2"}"#
        #expect(client.ask(refused) == client.ask(refused), "a refusal is not kept")
    }

    @Test("Presence is cleared with the connection, unless another client has set the node since")
    func presence() throws {
        let log = FaultyLog()
        let bench = Bench(log: log)
        let graph = try bench.define(graphText)
        let client = bench.connect()
        let witness = bench.connect()
        witness.ask(#"{"op":"sub","id":1,"graph":"g","nodes":["y","x","brief"]}"#)
        client.ask(#"{"op":"set","id":1,"graph":"g","set":{"y":"here","brief":1},"presence":true}"#)
        client.ask(#"{"op":"set","id":1,"graph":"g","set":{"x":7}}"#)
        try bench.set(graph, [("brief", "2")])
        witness.ask(#"{"op":"ping","id":9}"#)
        client.session.close(.reset)
        bench.endTurn()
        #expect(
            witness.take() == [
                #"{"op":"upd","graph":"g","rev":5,"t":5000000,"d":[{"id":1,"m":{"y":{"empty":true}}}]}"#
            ]
        )
        #expect(try bench.read(graph, "brief") == "2")

        log.isSlow = true
        let hasty = bench.connect()
        hasty.ask(#"{"op":"set","id":1,"graph":"g","set":{"y":"here"},"presence":true}"#)
        hasty.session.close()
        log.confirm(1)
        #expect(try bench.read(graph, "y") == "\"here\"")
        log.confirm()
        #expect(try bench.read(graph, "y") == "empty")
    }

    @Test("Presence that is repeated under its key represents the connection that repeats it")
    func presenceRepeated() throws {
        for isCleared in [false, true] {
            let bench = Bench()
            let graph = try bench.define(graphText)
            let (first, second) = (bench.connect(), bench.connect())
            let set =
                #"{"op":"set","id":1,"graph":"g","set":{"y":"here","brief":1},"presence":true,"key":"k"}"#
            first.ask(set)
            if isCleared { first.session.close(.reset) }
            bench.endTurn()
            // What another client has set is not set again.
            try bench.set(graph, [("brief", "2")])
            let rev = graph.rev
            #expect(second.ask(set)[0].contains("replayed"))
            #expect(graph.rev == rev + 1)
            #expect(second.ask(set)[0].contains("replayed"))
            #expect(graph.rev == rev + 1, "the same connection holds it already")
            first.session.close(.reset)
            bench.endTurn()
            #expect(try bench.read(graph, "y") == "\"here\"")
            second.session.close(.reset)
            bench.endTurn()
            #expect(try bench.read(graph, "y") == "empty")
            #expect(try bench.read(graph, "brief") == "2")
        }
    }

    @Test("A node stays a connection's presence when the same connection sets it again")
    func presenceRenewed() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        let client = bench.connect()
        let first = #"{"op":"set","id":1,"graph":"g","set":{"y":"here"},"presence":true,"key":"first"}"#
        client.ask(first)
        client.ask(#"{"op":"set","id":2,"graph":"g","set":{"y":"busy","brief":3}}"#)
        #expect(client.ask(first)[0].contains("replayed"))
        client.session.close(.reset)
        #expect(try bench.read(graph, "y") == "empty")
        #expect(try bench.read(graph, "brief") == "3", "what was set without a claim stays")

        // A value that another client has set since stays, even if the first client sets it again.
        let other = bench.connect()
        other.ask(#"{"op":"set","id":1,"graph":"g","set":{"y":"here"},"presence":true}"#)
        try bench.set(graph, [("y", "\"theirs\"")])
        other.ask(#"{"op":"set","id":2,"graph":"g","set":{"y":"mine"}}"#)
        other.session.close()
        #expect(try bench.read(graph, "y") == "\"mine\"")
    }

    @Test("ttl empties what is not renewed, by a commit of its own")
    func timeToLive() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"brief"}"#)
        try bench.set(graph, [("brief", "1")])
        bench.pass(20_000)
        try bench.set(graph, [("brief", "2")])
        #expect(bench.host.nextDeadline == bench.clock.now + 30_000)
        bench.pass(29_999)
        #expect(client.take().count == 2)
        bench.pass(1)
        #expect(
            client.take() == [#"{"op":"upd","graph":"g","rev":4,"t":5050000,"d":[{"id":1,"empty":true}]}"#]
        )
        #expect(graph.node("brief").map { graph.read($0).changed } == 4)
        #expect(bench.host.nextDeadline == nil)
        try bench.set(graph, [("brief", "3")])
        try bench.submit(graph, [], clear: ["brief"])
        #expect(bench.host.nextDeadline == nil)
    }

    @Test("A node's change rev: its own for a mutable one, the highest of its ancestors for class none")
    func changeRevs() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        let double = try #require(graph.node("double"))
        #expect(graph.read(double).changed == 1)
        try bench.set(graph, [("y", "1")])
        #expect(graph.read(double).changed == 1)
        try bench.set(graph, [("x", "1")])
        #expect(graph.read(double).changed == 3)
        #expect(graph.read(double).changed == 3)
    }

    @Test("Reading builds what it needs and releases it")
    func reading() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        let start = graph.statistics
        #expect(try bench.read(graph, "double") == "2")
        let after = graph.statistics
        #expect(after.nodes == start.nodes && after.edges == start.edges)
        #expect(after.released == start.released + 1)
    }
}
