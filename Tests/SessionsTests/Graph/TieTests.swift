import LogTestSupport
import ReactiveGraph
import Testing
import Values

@testable import Graphs
@testable import Sessions

@Suite("sync and links")
struct TieTests {
    private static let setpoints = #"""
        {"graph":"g","nodes":{"c":{"set":"number","initial":21,"max":100},"f":{"set":"number","min":0},
         "sum":{"combine":{"c":"c","f":"f"},"map":"c + f"}},
         "sync":[{"a":"c","b":"f","to_b":"value * 9 / 5 + 32","to_a":"(value - 32) * 5 / 9"}]}
        """#

    private func explain(_ graph: LiveGraph, _ name: String) throws -> String {
        String(decoding: Explanation(of: try #require(graph.node(name))).json(), as: UTF8.self)
    }

    @Test(
        "G-88: at the beginning the empty side takes the other's value; later each set sets the other one once"
    )
    func sync() throws {
        let bench = Bench()
        let graph = try bench.define(Self.setpoints)
        #expect(try bench.read(graph, "f") == "69.8")
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"c","mode":"all"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"f","mode":"all"}"#)
        client.ask(#"{"op":"sub","id":3,"graph":"g","node":"sum","mode":"all"}"#)
        try bench.set(graph, [("c", "100")])
        let told = Told(client.take())
        #expect([told[1], told[2], told[3]] == [["100"], ["212"], ["312"]])
        try bench.set(graph, [("f", "32")])
        let back = Told(client.take())
        #expect([back[1], back[2], back[3]] == [["0"], ["32"], ["32"]])
        client.session.close()
        #expect(graph.isWhole)
    }

    @Test("G-88: where both have a value, that of `b` wins, and comes back once more")
    func bWins() throws {
        let bench = Bench()
        let graph = try bench.define(
            #"""
            {"graph":"g","nodes":{"a":{"set":"number","initial":1},"b":{"set":"number","initial":7}},
             "sync":[{"a":"a","b":"b","to_b":"value * 2 + 1","to_a":"value / 2"}]}
            """#
        )
        #expect(try bench.read(graph, "a") == "3.5")
        #expect(try bench.read(graph, "b") == "8")
    }

    @Test("G-88, G-145: emptiness goes over a sync too, and at the beginning it does not")
    func emptiness() throws {
        let bench = Bench()
        let graph = try bench.define(
            #"{"graph":"g","nodes":{"a":{"set":"any","initial":1},"b":{"set":"any"}},"sync":[{"a":"b","b":"a"}]}"#
        )
        #expect(try bench.read(graph, "a") == "1")
        #expect(try bench.read(graph, "b") == "1")
        try bench.submit(graph, [], clear: ["b"])
        #expect(try bench.read(graph, "a") == "empty")
        try bench.set(graph, [("a", "[2]")])
        #expect(try bench.read(graph, "b") == "[2]")
    }

    @Test("what a commit sets itself is not overwritten by its sync")
    func batch() throws {
        let bench = Bench()
        let graph = try bench.define(Self.setpoints)
        try bench.set(graph, [("c", "10"), ("f", "11")])
        #expect(try bench.read(graph, "c") == "10")
        #expect(try bench.read(graph, "f") == "11")
    }

    @Test(
        "a value that may not be set over there is not delivered; the other node keeps its own, and explain says why"
    )
    func refused() throws {
        let bench = Bench()
        let graph = try bench.define(Self.setpoints)
        try bench.set(graph, [("c", "-40")])
        #expect(try bench.read(graph, "c") == "-40")
        #expect(try bench.read(graph, "f") == "69.8")
        let explained = try explain(graph, "f")
        #expect(
            explained.contains(
                #""links":[{"op":"sync","from":"c","label":"value * 9 / 5 + 32","fail":{"code":"type_mismatch","at":"sync/0/to_b","msg":"must be at least 0"}}]"#
            ),
            "\(explained)"
        )
        try bench.set(graph, [("c", "0")])
        #expect(try bench.read(graph, "f") == "32")
        #expect(try !explain(graph, "f").contains("fail"))
    }

    @Test("an expression that fails is not delivered into a mutable node, and shown by explain")
    func failing() throws {
        let bench = Bench()
        let graph = try bench.define(
            #"""
            {"graph":"g","nodes":{"a":{"set":"any"},"b":{"set":"any","initial":1}},
             "sync":[{"a":"a","b":"b","to_b":"value + 1","to_a":"value"}]}
            """#
        )
        try bench.set(graph, [("a", "\"x\"")])
        #expect(try bench.read(graph, "b") == "2")
        #expect(
            try explain(graph, "b").contains(
                #""from":"a","label":"value + 1","fail":{"code":"expr_type","at":"sync/0/to_b"#
            )
        )
    }

    @Test("what came over a sync is a change like any other: rev, author, ttl, history")
    func change() throws {
        let bench = Bench()
        let graph = try bench.define(
            #"""
            {"graph":"g","nodes":{"a":{"set":"any"},"b":{"set":"any","ttl":10,"history":5}},
             "sync":[{"a":"a","b":"b","to_b":"value + 1","to_a":"value - 1"}]}
            """#
        )
        try bench.submit(graph, [("a", "1")], context: #"{"src":"dial"}"#, by: "device:7")
        let b = try #require(graph.node("b"))
        #expect(graph.read(b).changed == 2)
        #expect(
            try explain(graph, "b").contains(
                #""c":2,"t":5000000,"by":"device:7","origin":"link","ctx":{"src":"dial"},"v":2"#
            )
        )
        let history = String(decoding: try HistoryAnswer(in: graph).json(of: b, limit: 10), as: UTF8.self)
        #expect(history.contains(#"{"rev":2,"t":5000000,"v":2,"by":"device:7","origin":"link"}"#))
        bench.pass(10)
        #expect(try bench.read(graph, "b") == "empty")
        // The end of a value is a change too, and goes over the sync.
        #expect(try bench.read(graph, "a") == "empty")
    }

    @Test("what comes over the first tie of a definition is signed by its commit")
    func writer() throws {
        let bench = Bench()
        let nodes = #""a":{"set":"any","initial":1},"b":{"set":"any"}"#
        let graph = try bench.define(nodes: nodes)
        for (author, more) in [("ann", true), ("bob", false), (nil, true)] {
            let sync = more ? #","sync":[{"a":"a","b":"b"}]"# : ""
            let definition = try bench.definition(#"{"graph":"g"\#(sync),"nodes":{\#(nodes)}}"#)
            _ = bench.host.redefine(graph, as: definition, by: author)
            #expect(!more || graph.node("b")?.writer?.by == author)
            try bench.set(graph, [("a", "2")])
        }
    }

    @Test("conditions on a node see what a pending commit will do to it over a sync")
    func pending() throws {
        let log = FaultyLog(isSlow: true)
        let bench = Bench(log: log)
        let definition = try bench.definition(
            #"{"graph":"g","nodes":{"a":{"set":"any","initial":1},"b":{"set":"any"}},"sync":[{"a":"a","b":"b"}]}"#
        )
        _ = bench.host.define(definition)
        log.confirm()
        let graph = try #require(bench.host["g"])
        try bench.submit(graph, [("a", "2")])
        let b = try #require(graph.node("b"))
        var commit = Commit(graph: graph)
        commit.set.append(Assignment(b, try Datum.parse("3")))
        commit.epoch = graph.epoch
        for test in [Condition.Test.unchangedSince(1), .changedAt(1), .holds(try Datum.parse("1"))] {
            commit.conditions = [Condition(b, test)]
            guard case .refused(let error) = bench.host.submit(commit) else {
                Issue.record("\(test) held")
                continue
            }
            #expect(error.code == .conflict)
        }
        log.confirm()
        commit.conditions = [Condition(b, .holds(try Datum.parse("2")))]
        guard case .pending = bench.host.submit(commit) else {
            Issue.record("the condition holds now")
            return
        }
        log.confirm()
        #expect(try bench.read(graph, "a") == "3")
    }

    @Test(
        "a clique of syncs with expressions comes to rest: at most 10,000 deliveries in one commit",
        // As many deliveries as there are simple paths from one node; among 8 nodes they would be
        // 13,699.
        arguments: [(7, 1_956), (8, 10_000), (12, 10_000)]
    )
    func clique(count: Int, deliveries: UInt32) throws {
        let names = (0..<count).map { "n\($0)" }
        var syncs: [String] = []
        for (place, a) in names.enumerated() {
            for b in names[..<place] {
                syncs.append(#"{"a":"\#(a)","b":"\#(b)","to_a":"value","to_b":"value"}"#)
            }
        }
        let nodes = names.map { #""\#($0)":{"set":"any"}"# }.joined(separator: ",")
        let bench = Bench()
        let graph = try bench.define(
            #"{"graph":"g","nodes":{\#(nodes)},"sync":[\#(syncs.joined(separator: ","))]}"#
        )
        var emissions: UInt32 { graph.nodes.reduce(0) { $0 + ($1.living?.emissionCount ?? 0) } }
        for (name, value) in [("n3", "7"), ("n5", "8")] {
            let before = emissions
            try bench.set(graph, [(name, value)])
            #expect(emissions - before == 1 + deliveries)
            for name in names { #expect(try bench.read(graph, name) == value) }
            #expect(try explain(graph, "n0").contains(#""code":"cycle_limit""#) == (deliveries == 10_000))
        }
    }

    @Test("G-69: a link is a further edge: the node has what came last, over its stages")
    func link() throws {
        let bench = Bench()
        let graph = try bench.define(
            #"""
            {"graph":"g","nodes":{"x":{"set":"number","initial":1},"y":{"set":"number","initial":2},
             "any":{"merge":["x","y"]},"twice":{"from":"any","pipe":[{"map":"value * 2"}]}},
             "links":[{"from":"x","to":"any","pipe":[{"map":"value + 0.5"}]}]}
            """#
        )
        #expect(try bench.read(graph, "any") == "1.5")
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"any","mode":"all"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"twice","mode":"all"}"#)
        try bench.set(graph, [("x", "3")])
        let told = Told(client.take())
        #expect(told[1] == ["3", "3.5"])
        #expect(told[2] == ["6", "7"])
        try bench.set(graph, [("y", "4")])
        #expect(Told(client.take())[1] == ["4"])
        #expect(graph.read(try #require(graph.node("any"))).changed == 3)
        try bench.submit(graph, [], clear: ["x"])
        #expect(try bench.read(graph, "any") == "empty")
        client.session.close()
        #expect(graph.isWhole)
    }

    @Test("G-41: a circle of links is gone round once")
    func circle() throws {
        let bench = Bench()
        let graph = try bench.define(
            #"""
            {"graph":"g","nodes":{"x":{"set":"number"},"double":{"from":"x","pipe":[{"map":"value * 2"}]}},
             "links":[{"from":"double","to":"x","pipe":[{"map":"value + 1"}]}]}
            """#
        )
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x","mode":"all"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"double","mode":"all"}"#)
        try bench.set(graph, [("x", "5")])
        let told = Told(client.take())
        #expect(told[1] == ["5"])
        #expect(told[2] == ["10"])
        let picture = String(decoding: PictureText(of: graph, live: true).json(), as: UTF8.self)
        #expect(picture.contains(#""feedback":true"#))
        client.session.close()
        #expect(graph.isWhole)
        #expect(bench.host.remove(graph).isApplied)
    }

    @Test("a failure passes a link into a derived node, and not into one that is set")
    func failures() throws {
        let bench = Bench()
        let graph = try bench.define(
            #"""
            {"graph":"g","nodes":{"x":{"set":"any"},"m":{"set":"number"},"d":{"from":"m"}},
             "links":[{"from":"x","to":"m","pipe":[{"map":"value + 1"}]},{"from":"x","to":"d","pipe":[{"map":"value + 1"}]}]}
            """#
        )
        try bench.set(graph, [("x", "1")])
        #expect(try bench.read(graph, "m") == "2")
        try bench.set(graph, [("x", "\"?\"")])
        #expect(try bench.read(graph, "m") == "2")
        #expect(try bench.read(graph, "d") == "fail:expr_type")
        #expect(
            try explain(graph, "m").contains(
                #""op":"links","from":"x","label":"value + 1","fail":{"code":"expr_type""#
            )
        )
    }

    @Test("links may wait: a delayed one delivers in a tick")
    func delayed() throws {
        let bench = Bench()
        let graph = try bench.define(
            #"{"graph":"g","nodes":{"x":{"set":"any"},"y":{"set":"any"}},"links":[{"from":"x","to":"y","pipe":[{"delay":10}]}]}"#
        )
        try bench.set(graph, [("x", "1")])
        #expect(try bench.read(graph, "y") == "empty")
        bench.pass(10)
        #expect(try bench.read(graph, "y") == "1")
        #expect(graph.read(try #require(graph.node("y"))).changed == 3)
    }

    @Test("a caller that may not read the other end does not learn of it")
    func rights() throws {
        let bench = Bench()
        let graph = try bench.define(Self.setpoints)
        let f = try #require(graph.node("f"))
        let text = String(decoding: Explanation(of: f) { $0.name != "c" }.json(), as: UTF8.self)
        #expect(text.contains(#""links":[{"op":"sync","from":null}]"#))
        #expect(!text.contains("9 / 5"))
    }

    @Test("G-89, G-151: a synced pair lasts as long as its graph, and leaves nothing behind")
    func ending() throws {
        let bench = Bench()
        var core: Int
        do {
            let graph = try bench.define(Self.setpoints)
            core = graph.statistics.nodes
            #expect(bench.host.remove(graph).isApplied)
            core = graph.statistics.nodes
        }
        #expect(core == 0)
    }
}

extension Submission {
    fileprivate var isApplied: Bool {
        if case .applied = self { true } else { false }
    }
}
