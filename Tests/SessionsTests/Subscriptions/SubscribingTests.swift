@testable import Graphs
@testable import Sessions
import Testing
import Values

private let house = """
    {"graph": "house", "title": "A house", "nodes": {
      "indoor_c": {"set": "number", "initial": 20},
      "outdoor_c": {"set": "any"},
      "mode": {"set": {"enum": ["eco", "auto"]}, "initial": "auto"},
      "indoor_f": {"from": "indoor_c", "pipe": [{"map": "value * 9 / 5 + 32"}]},
      "both": {"combine": {"i": "indoor_c", "o": "outdoor_c"}, "map": "i - o"},
      "any": {"merge": ["indoor_c", "outdoor_c"]},
      "shown": {"flatten": {"from": "mode", "to": {"eco": "indoor_c"}, "otherwise": "both"}}
    }}
    """

@Suite("Subscribing to nodes")
struct SubscribingTests {
    @Test("A snap has cursor, time and value; each later turn is one upd")
    func snapAndUpdate() throws {
        let bench = Bench()
        let graph = try bench.define(house)
        let client = bench.connect()

        #expect(
            client.ask(#"{"op":"sub","id":1,"graph":"house","node":"indoor_c"}"#) == [
                #"{"op":"snap","id":1,"epoch":"e1","rev":1,"t":5000000,"v":20}"#
            ]
        )
        try bench.set(graph, [("indoor_c", "21.5")])
        #expect(
            client.take() == [#"{"op":"upd","graph":"house","rev":2,"t":5000000,"d":[{"id":1,"v":21.5}]}"#]
        )
        try bench.set(graph, [("outdoor_c", "7")])
        #expect(client.take() == [])
    }

    @Test("An empty node says so, and c stands where it differs from rev")
    func emptyAndChange() throws {
        let bench = Bench()
        let graph = try bench.define(house)
        let client = bench.connect()
        try bench.set(graph, [("indoor_c", "21")])

        #expect(
            client.ask(#"{"op":"sub","id":2,"graph":"house","node":"outdoor_c"}"#) == [
                #"{"op":"snap","id":2,"epoch":"e1","rev":2,"c":1,"t":5000000,"empty":true}"#
            ]
        )
        try bench.submit(graph, [], clear: ["outdoor_c"])
        bench.host.flush()
        #expect(client.take() == [], "from empty to empty is no news")
        try bench.set(graph, [("outdoor_c", "null")])
        #expect(
            client.take() == [#"{"op":"upd","graph":"house","rev":4,"t":5000000,"d":[{"id":2,"v":null}]}"#]
        )
        try bench.submit(graph, [], clear: ["outdoor_c"])
        bench.host.flush()
        #expect(
            client.take() == [
                #"{"op":"upd","graph":"house","rev":5,"t":5000000,"d":[{"id":2,"empty":true}]}"#
            ]
        )
    }

    @Test(
        "Several subscriptions of a connection share the frame; several commits of a turn are folded and counted"
    )
    func folding() throws {
        let bench = Bench()
        let graph = try bench.define(house)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"house","node":"indoor_c"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"house","node":"indoor_f"}"#)

        for number in 1...3 { try bench.submit(graph, [("indoor_c", "\(number * 10)")]) }
        bench.host.flush()
        #expect(
            client.take() == [
                #"{"op":"upd","graph":"house","rev":4,"t":5000000,"d":[{"id":1,"v":30,"n":3},{"id":2,"v":86,"n":3}]}"#
            ]
        )
        #expect(bench.clients.statistics.folded == 0, "the listener is neither slow nor paced")
    }

    @Test("Values that a slow or a paced listener did not get are counted, and no others")
    func lost() throws {
        let bench = Bench()
        let graph = try bench.define(house)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"house","nodes":["*"]}"#)
        try bench.set(graph, [("indoor_c", "1"), ("outdoor_c", "2"), ("mode", #""eco""#)])
        #expect(bench.clients.statistics.folded == 0, "one commit of three nodes under one glob")

        client.sink.unsentBytes = 100_000
        for value in 2...4 { try bench.set(graph, [("outdoor_c", "\(value)")]) }
        client.sink.unsentBytes = 0
        client.session.drained()
        bench.host.flush()
        // outdoor_c emits 3 times and 2 are lost; so it is with `both`, which is made of it, and
        // `any`.
        #expect(bench.clients.statistics.folded == 6)

        let paced = bench.connect()
        paced.ask(#"{"op":"sub","id":1,"graph":"house","node":"outdoor_c","every":1000}"#)
        for value in 5...8 { try bench.set(graph, [("outdoor_c", "\(value)")]) }
        bench.clock.advance(by: 1000)
        bench.host.advance()
        bench.host.flush()
        #expect(bench.clients.statistics.folded >= 8 && bench.clients.statistics.folded <= 9)
    }

    @Test("The newest commit's context and writer stand in the frame")
    func contextAndWriter() throws {
        let bench = Bench()
        let graph = try bench.define(house)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"house","node":"indoor_c"}"#)

        try bench.submit(graph, [("indoor_c", "1")], context: #"{"src":"meter-7"}"#, by: #"a "b""#)
        bench.host.flush()
        #expect(
            client.take() == [
                #"{"op":"upd","graph":"house","rev":2,"t":5000000,"d":[{"id":1,"v":1}],"ctx":{"src":"meter-7"},"by":"a \"b\""}"#
            ]
        )
        try bench.set(graph, [("indoor_c", "2")])
        #expect(client.take() == [#"{"op":"upd","graph":"house","rev":3,"t":5000000,"d":[{"id":1,"v":2}]}"#])
    }

    @Test("Mode all sends every commit in order of rev, and the latest entries in the last of them")
    func modeAll() throws {
        let bench = Bench()
        let graph = try bench.define(house)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"house","node":"indoor_c","mode":"all"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"house","node":"indoor_c"}"#)

        try bench.submit(graph, [("indoor_c", "1")], context: "1")
        try bench.submit(graph, [("indoor_c", "2"), ("indoor_c", "3")])
        bench.host.flush()
        #expect(
            client.take() == [
                #"{"op":"upd","graph":"house","rev":2,"t":5000000,"d":[{"id":1,"v":1}],"ctx":1}"#,
                #"{"op":"upd","graph":"house","rev":3,"t":5000000,"d":[{"id":1,"v":2},{"id":1,"v":3},{"id":2,"v":3,"n":3}]}"#,
            ]
        )
    }

    @Test("Equal subscriptions of one connection share what is computed, and each id is served")
    func equal() throws {
        let bench = Bench()
        let graph = try bench.define(house)
        let client = bench.connect()
        let what = #""graph":"house","node":"indoor_c","pipe":[{"map":"value + 1"}]"#
        client.ask(#"{"op":"sub","id":1,\#(what)}"#)
        let nodes = graph.statistics.nodes
        #expect(client.ask(#"{"op":"sub","id":2,\#(what)}"#).joined().contains(#""shared":2"#))
        #expect(graph.statistics.nodes == nodes)
        try bench.set(graph, [("indoor_c", "1")])
        #expect(
            client.take() == [
                #"{"op":"upd","graph":"house","rev":2,"t":5000000,"d":[{"id":1,"v":2},{"id":2,"v":2}]}"#
            ]
        )
    }

    @Test("every spaces deliveries: leading and newest trailing value")
    func every() throws {
        let bench = Bench()
        let graph = try bench.define(house)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"house","node":"indoor_c","every":100}"#)

        try bench.set(graph, [("indoor_c", "1")])
        #expect(client.take().count == 1)
        for number in 2...4 {
            bench.pass(10)
            try bench.set(graph, [("indoor_c", "\(number)")])
        }
        #expect(client.take() == [])
        bench.pass(69)
        #expect(client.take() == [])
        bench.pass(1)
        #expect(
            client.take() == [#"{"op":"upd","graph":"house","rev":5,"t":5000030,"d":[{"id":1,"v":4,"n":3}]}"#]
        )
        bench.pass(500)
        #expect(client.take() == [])
    }

    @Test("every with mode all keeps each value and its rev")
    func everyWithAll() throws {
        let bench = Bench()
        let graph = try bench.define(house)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"house","node":"indoor_c","every":100,"mode":"all"}"#)
        try bench.set(graph, [("indoor_c", "1")])
        try bench.set(graph, [("indoor_c", "2")])
        try bench.set(graph, [("indoor_c", "3")])
        #expect(client.take().count == 1)
        bench.pass(100)
        #expect(client.take().map { $0.contains(#""v":2}"#) || $0.contains(#""v":3}"#) } == [true, true])
    }

    @Test("initial false leaves the value out")
    func withoutInitial() throws {
        let bench = Bench()
        try bench.define(house)
        #expect(
            bench.connect().ask(#"{"op":"sub","id":1,"graph":"house","node":"indoor_c","initial":false}"#)
                == [
                    #"{"op":"snap","id":1,"epoch":"e1","rev":1,"t":5000000}"#
                ]
        )
    }

    @Test("A group has all its nodes in the snap and the changed ones in the upd")
    func group() throws {
        let bench = Bench()
        let graph = try bench.define(house)
        let client = bench.connect()
        #expect(
            client.ask(#"{"op":"sub","id":1,"graph":"house","nodes":["*door_c","mode","indoor_f","mode"]}"#)
                == [
                    #"{"op":"snap","id":1,"epoch":"e1","rev":1,"t":5000000,"m":{"indoor_c":{"v":20},"outdoor_c":{"empty":true},"mode":{"v":"auto"},"indoor_f":{"v":68}}}"#
                ]
        )
        try bench.set(graph, [("indoor_c", "10")])
        #expect(
            client.take() == [
                #"{"op":"upd","graph":"house","rev":2,"t":5000000,"d":[{"id":1,"m":{"indoor_c":{"v":10},"indoor_f":{"v":50}}}]}"#
            ]
        )
        #expect(graph.statistics.listeners == 4)
        #expect(client.ask(#"{"op":"unsub","id":1}"#) == [#"{"op":"end","id":1,"code":"done","released":1}"#])
        #expect(graph.statistics.listeners == 0)
    }

    @Test("unsub sends what came before, then how much was freed, and the id may be used again")
    func unsubscribe() throws {
        let bench = Bench()
        let graph = try bench.define(house)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"house","node":"indoor_f"}"#)
        try bench.submit(graph, [("indoor_c", "0")])
        #expect(
            client.ask(#"{"op":"unsub","id":1}"#) == [
                #"{"op":"upd","graph":"house","rev":2,"t":5000000,"d":[{"id":1,"v":32}]}"#,
                #"{"op":"end","id":1,"code":"done","released":1}"#,
            ]
        )
        try bench.set(graph, [("indoor_c", "1")])
        #expect(client.take() == [])
        #expect(client.ask(#"{"op":"sub","id":1,"graph":"house","node":"indoor_f"}"#).count == 1)
    }

    @Test(
        "A subscription resumes where it was, or says that it starts over",
        arguments: [
            (#""node":"indoor_c","since":{"epoch":"e1","rev":3}"#, #","resumed":true}"#),
            (#""node":"indoor_c","since":{"epoch":"e1","rev":2}"#, #","resumed":true}"#),
            (#""node":"indoor_c","since":{"epoch":"e1","rev":1}"#, #","resumed":true,"v":1}"#),
            (#""node":"indoor_c","since":{"epoch":"e1","rev":4}"#, #","resumed":false,"v":1}"#),
            (#""node":"indoor_c","since":{"epoch":"e0","rev":3}"#, #","resumed":false,"v":1}"#),
            (#""node":"indoor_c","mode":"all","since":{"epoch":"e1","rev":2}"#, #","resumed":true}"#),
            (#""node":"indoor_c","mode":"all","since":{"epoch":"e1","rev":1}"#, #","resumed":false,"v":1}"#),
            (
                #""nodes":["indoor_c","outdoor_c"],"since":{"epoch":"e1","rev":2}"#,
                #","resumed":true,"m":{"outdoor_c":{"v":5}}}"#
            ),
        ]
    )
    func resume(fields: String, end: String) throws {
        let bench = Bench()
        let graph = try bench.define(house)
        try bench.set(graph, [("indoor_c", "1")])
        try bench.set(graph, [("outdoor_c", "5")])
        let answers = bench.connect().ask(#"{"op":"sub","id":1,"graph":"house",\#(fields)}"#)
        #expect(answers.count == 1)
        #expect(answers.first?.hasSuffix(end) == true, "\(answers)")
    }

    @Test("A heartbeat moves the cursor only if everything was sent")
    func heartbeat() throws {
        let bench = Bench()
        let graph = try bench.define(house)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"house","node":"indoor_c","every":60000}"#)
        try bench.set(graph, [("indoor_c", "1")])
        _ = client.take()
        client.session.heartbeat()
        #expect(client.take() == [#"{"op":"hb","revs":{"house":2}}"#])
        try bench.set(graph, [("indoor_c", "2")])
        client.session.heartbeat()
        #expect(client.take() == [#"{"op":"hb","revs":{}}"#])
    }

    @Test("A pipeline with private stages begins anew")
    func resumePrivate() throws {
        let bench = Bench()
        try bench.define(house)
        let fields = #""node":"indoor_c","pipe":[{"skip":0}],"since":{"epoch":"e1","rev":1}"#
        let answers = bench.connect().ask(#"{"op":"sub","id":1,"graph":"house",\#(fields)}"#)
        #expect(answers.first?.contains(#","resumed":false,"v":20,"chain""#) == true)
    }

    @Test("mod changes how a subscription is served and nothing else")
    func modify() throws {
        let bench = Bench()
        let graph = try bench.define(house)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"house","node":"indoor_c","every":1000}"#)
        try bench.set(graph, [("indoor_c", "1")])
        try bench.set(graph, [("indoor_c", "2")])
        #expect(client.take().count == 1)
        #expect(client.ask(#"{"op":"mod","id":20,"sub":1,"every":10}"#) == [#"{"op":"ok","id":20}"#])
        bench.pass(10)
        #expect(client.take().count == 1)
        #expect(
            client.ask(#"{"op":"mod","id":21,"sub":1,"every":0,"mode":"all"}"#) == [#"{"op":"ok","id":21}"#]
        )
        try bench.submit(graph, [("indoor_c", "3"), ("indoor_c", "4")])
        bench.host.flush()
        #expect(
            client.take() == [
                #"{"op":"upd","graph":"house","rev":4,"t":5000010,"d":[{"id":1,"v":3},{"id":1,"v":4}]}"#
            ]
        )
    }

    @Test("mod of the mode loses nothing that an interval holds back", arguments: ["all", "latest"])
    func modifyWhileWaiting(former: String) throws {
        let bench = Bench()
        let graph = try bench.define(house)
        let client = bench.connect()
        client.ask(
            #"{"op":"sub","id":1,"graph":"house","node":"indoor_c","every":1000,"mode":"\#(former)"}"#
        )
        for value in 1...3 { try bench.set(graph, [("indoor_c", "\(value)")]) }
        #expect(client.take().count == 1)
        let other = former == "all" ? "latest" : "all"
        var answers = client.ask(#"{"op":"mod","id":20,"sub":1,"mode":"\#(other)"}"#)
        bench.pass(2000)
        answers += client.take()
        #expect(answers.contains { $0.contains(#"{"id":1,"v":3"#) }, "\(answers)")
        #expect(client.session.isCaughtUp)
    }

    @Test("The end of the graph ends its subscriptions")
    func removed() throws {
        let bench = Bench()
        let graph = try bench.define(house)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"house","node":"indoor_f"}"#)
        let node = try #require(graph.node("indoor_f"))
        let mutable = try #require(graph.node("indoor_c"))
        _ = bench.host.remove(graph)
        #expect(client.take() == [#"{"op":"end","id":1,"code":"node_removed","released":1}"#])
        #expect(bench.host["house"] == nil && graph.node("indoor_f") == nil)
        #expect(!node.exists)
        guard case .empty = graph.read(node).held else {
            Issue.record("a removed node holds something")
            return
        }
        var late = Commit(graph: graph)
        late.set.append(Assignment(mutable, try Datum.parse("1")))
        guard case .refused = bench.host.submit(late) else {
            Issue.record("a removed node was set")
            return
        }
        #expect(client.ask(#"{"op":"get","id":1,"graph":"house"}"#).first?.contains("unknown_graph") == true)
        try bench.define(house)
        #expect(bench.host["house"]?.rev == 3)
    }

    @Test("A server that stops says so")
    func shutdown() throws {
        let bench = Bench()
        try bench.define(house)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"house","node":"indoor_f"}"#)
        client.session.shutDown(after: 250)
        #expect(client.take() == [#"{"op":"end","id":1,"code":"shutdown","released":1}"#])
        #expect(client.sink.closes == [#"4503 {"after":250}"#])
        #expect(client.session.isClosed)
    }
}
