import Testing

@testable import Definitions
@testable import Graphs
@testable import Sessions

private let house = """
    {"graph": "g", "nodes": {
      "r.a": {"set": "any", "initial": 1, "history": 4},
      "r.b": {"set": "any", "initial": 2, "history": 4},
      "other": {"set": "any"}
    }}
    """
private let sub = #""op":"sub","graph":"g","nodes":["r.*"],"mode":"all""#

@Suite("Several nodes in mode all")
struct GroupModeAllTests {
    let bench = Bench()

    private func update(_ rev: Int, _ entries: String) -> String {
        #"{"op":"upd","graph":"g","rev":\#(rev),"t":5000000,"d":[\#(entries)]}"#
    }

    @Test("Every emission of every member comes, one frame a commit with all that changed in it")
    func commits() throws {
        let graph = try bench.define(house)
        let client = bench.connect()
        #expect(
            client.ask("{\(sub),\"id\":1}")
                == [
                    #"{"op":"snap","id":1,"epoch":"e1","rev":1,"t":5000000,"m":{"r.a":{"v":1},"r.b":{"v":2}}}"#
                ]
        )
        // Two that are alike do not get each other's message.
        let other = bench.connect()
        other.ask(#"{"op":"sub","id":1,"graph":"g","nodes":["r.b","other"],"mode":"all"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"r.b","mode":"all"}"#)
        try bench.submit(graph, [("r.a", "3"), ("r.b", "4")])
        try bench.submit(graph, [("r.b", "5")])
        try bench.submit(graph, [("other", "6")])
        try bench.submit(graph, [], clear: ["r.a"])
        try bench.submit(graph, [], clear: ["r.a"])
        bench.host.flush()
        #expect(
            client.take() == [
                update(2, #"{"id":1,"m":{"r.a":{"v":3},"r.b":{"v":4}}},{"id":2,"v":4}"#),
                update(3, #"{"id":1,"m":{"r.b":{"v":5}}},{"id":2,"v":5}"#),
                update(5, #"{"id":1,"m":{"r.a":{"empty":true}}}"#),
            ]
        )
        #expect(
            other.take() == [
                update(2, #"{"id":1,"m":{"r.b":{"v":4}}}"#), update(3, #"{"id":1,"m":{"r.b":{"v":5}}}"#),
                update(4, #"{"id":1,"m":{"other":{"v":6}}}"#),
            ]
        )
        #expect(client.ask(#"{"op":"unsub","id":1}"#).joined().contains(#""code":"done""#))
        #expect(client.session.outbox.queue.bytes == 0)
    }

    @Test("A member that emits more than once in a commit has its further values in further entries")
    func repeated() throws {
        let graph = try bench.define(house)
        let client = bench.connect()
        client.ask("{\(sub),\"id\":1}")
        try bench.set(graph, [("r.a", "3"), ("r.b", "4"), ("r.a", "5")])
        #expect(
            client.take() == [
                update(2, #"{"id":1,"m":{"r.a":{"v":3},"r.b":{"v":4}}},{"id":1,"m":{"r.a":{"v":5}}}"#)
            ]
        )
    }

    @Test("queue bounds the emissions of all members together; more end it with slow")
    func overflow() throws {
        let graph = try bench.define(house)
        let client = bench.connect()
        client.ask("{\(sub),\"id\":1,\"queue\":3}")
        client.ask("{\(sub),\"id\":2,\"queue\":4}")
        client.sink.unsentBytes = 65_537
        try bench.set(graph, [("r.a", "3"), ("r.b", "4")])
        #expect(client.take() == [])
        try bench.set(graph, [("r.a", "5"), ("r.b", "6")])
        #expect(client.take() == [#"{"op":"end","id":1,"code":"slow","released":0}"#])
        client.sink.unsentBytes = 0
        client.session.drained()
        bench.host.flush()
        #expect(
            client.take() == [
                update(2, #"{"id":2,"m":{"r.a":{"v":3},"r.b":{"v":4}}}"#),
                update(3, #"{"id":2,"m":{"r.a":{"v":5},"r.b":{"v":6}}}"#),
            ]
        )
        #expect(client.session.outbox.queue.bytes == 0 && client.session.subscriptions[0].queued == 0)
    }

    @Test("every holds all members back, and then all their emissions come")
    func every() throws {
        let graph = try bench.define(house)
        let client = bench.connect()
        client.ask("{\(sub),\"id\":1,\"every\":100}")
        try bench.set(graph, [("r.a", "3")])
        #expect(client.take().count == 1)
        try bench.set(graph, [("r.a", "4"), ("r.b", "5")])
        try bench.set(graph, [("r.a", "6")])
        #expect(client.take() == [])
        bench.pass(100)
        #expect(
            client.take() == [
                update(3, #"{"id":1,"m":{"r.a":{"v":4},"r.b":{"v":5}}}"#),
                update(4, #"{"id":1,"m":{"r.a":{"v":6}}}"#),
            ]
        )
    }

    @Test("mod changes the mode both ways; what came in one mode is sent in that mode")
    func modes() throws {
        let graph = try bench.define(house)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","nodes":["r.*"]}"#)
        for value in 3...4 { try bench.submit(graph, [("r.a", "\(value)")]) }
        #expect(
            client.ask(#"{"op":"mod","id":2,"sub":1,"mode":"all"}"#)
                == [update(3, #"{"id":1,"m":{"r.a":{"v":4}},"n":2}"#), #"{"op":"ok","id":2}"#]
        )
        for value in 5...6 { try bench.submit(graph, [("r.b", "\(value)")]) }
        #expect(
            client.ask(#"{"op":"mod","id":3,"sub":1,"mode":"latest"}"#) == [
                update(4, #"{"id":1,"m":{"r.b":{"v":5}}}"#), update(5, #"{"id":1,"m":{"r.b":{"v":6}}}"#),
                #"{"op":"ok","id":3}"#,
            ]
        )
        for value in 7...8 { try bench.submit(graph, [("r.b", "\(value)")]) }
        bench.host.flush()
        #expect(client.take() == [update(7, #"{"id":1,"m":{"r.b":{"v":8}},"n":2}"#)])
    }

    @Test("since: what was missed comes from the members' rings, or it starts over")
    func resuming() throws {
        let graph = try bench.define(house)
        try bench.set(graph, [("r.a", "3"), ("r.b", "4"), ("r.a", "5")])
        try bench.set(graph, [("other", "6")])
        try bench.submit(graph, [], clear: ["r.b"])
        func resume(_ nodes: String, _ rev: Int) -> String {
            let since = #""since":{"epoch":"e1","rev":\#(rev)}"#
            let answer = bench.connect().ask(
                #"{"op":"sub","id":1,"graph":"g","nodes":\#(nodes),"mode":"all",\#(since)}"#
            )
            let start = #"{"op":"snap","id":1,"epoch":"e1","rev":4,"t":5000000,"#
            return answer.joined().replacing(start, with: "")
        }
        #expect(
            resume(#"["r.*"]"#, 1)
                == #""resumed":true,"d":[{"rev":2,"t":5000000,"m":{"r.a":{"v":3},"r.b":{"v":4}}},{"rev":2,"t":5000000,"m":{"r.a":{"v":5}}},{"rev":4,"t":5000000,"m":{"r.b":{"empty":true}}}]}"#
        )
        #expect(
            resume(#"["r.*"]"#, 3)
                == #""resumed":true,"d":[{"rev":4,"t":5000000,"m":{"r.b":{"empty":true}}}]}"#
        )
        #expect(resume(#"["r.*"]"#, 4) == #""resumed":true}"#)
        #expect(resume(#"["r.a","other"]"#, 3) == #""resumed":true}"#, "nothing newer, ring or not")
        #expect(
            resume(#"["r.a","other"]"#, 2) == #""resumed":false,"m":{"r.a":{"v":5},"other":{"v":6}}}"#,
            "a member without a ring has changed"
        )
        for value in 7...11 { try bench.set(graph, [("r.a", "\(value)")]) }
        #expect(resume(#"["r.*"]"#, 4).contains(#""resumed":false,"m":{"#), "more than the ring holds")
    }

    @Test("Members come and go with a definition in its commit; a cursor before that starts over")
    func redefined() throws {
        func nodes(_ names: String...) -> String {
            names.map { #""\#($0)":{"set":"any","initial":1,"history":9}"# }.joined(separator: ",")
        }
        let graph = try bench.define(nodes: nodes("r.a", "r.b"))
        let client = bench.connect()
        client.ask("{\(sub),\"id\":1}")
        func resume(_ rev: Int) -> Bool {
            let since = #""since":{"epoch":"e1","rev":\#(rev)}"#
            return bench.connect().ask("{\(sub),\"id\":1,\(since)}").joined().contains(#""resumed":true"#)
        }
        try bench.submit(graph, [("r.a", "2")])
        for names in [nodes("r.b", "r.c"), nodes("r.a", "r.b", "r.c")] {
            _ = bench.host.redefine(graph, as: try bench.definition(#"{"graph":"g","nodes":{\#(names)}}"#))
            try bench.submit(graph, [("r.c", "3")])
        }
        bench.host.flush()
        #expect(
            client.take() == [
                update(2, #"{"id":1,"m":{"r.a":{"v":2}}}"#),
                update(3, #"{"id":1,"m":{"r.a":{"gone":true},"r.c":{"v":1}}}"#),
                update(4, #"{"id":1,"m":{"r.c":{"v":3}}}"#), update(5, #"{"id":1,"m":{"r.a":{"v":1}}}"#),
                update(6, #"{"id":1,"m":{"r.c":{"v":3}}}"#),
            ]
        )
        #expect(!resume(1) && !resume(2) && !resume(4) && resume(5) && resume(6))
        #expect(graph.isWhole)
    }

    @Test("Nodes that limits.matches leaves out are counted in the commit that brings them")
    func more() throws {
        var limits = SessionLimits.ample
        limits.matches = 1
        let bench = Bench(limits: limits)
        let graph = try bench.define(nodes: #""r.a":{"set":"any"}"#)
        let client = bench.connect()
        client.ask("{\(sub),\"id\":1}")
        try bench.submit(graph, [("r.a", "2")])
        let new = #"{"graph":"g","nodes":{"r.a":{"set":"any"},"r.b":{"set":"any"}}}"#
        _ = bench.host.redefine(graph, as: try bench.definition(new))
        try bench.submit(graph, [("r.a", "3")])
        bench.host.flush()
        #expect(
            client.take() == [
                update(2, #"{"id":1,"m":{"r.a":{"v":2}}}"#), update(3, #"{"id":1,"m":{},"more":1}"#),
                update(4, #"{"id":1,"m":{"r.a":{"v":3}}}"#),
            ]
        )
        #expect(client.session.outbox.queue.bytes == 0)
    }
}
