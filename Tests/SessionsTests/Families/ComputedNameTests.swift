import Commits
import ReactiveGraph
import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions

/// `flatten` with a name that is computed from a value (X-9).
@Suite("Following a computed name")
struct ComputedNameTests {
    private let bench = Bench()

    private static let nodes = """
        "key":{"set":"any"},"other":{"set":"any"},"s.{id}":{"set":"any"},
        "d.{id}":{"from":"s.{id}","pipe":[{"map":"value * 10"}]},
        "shown":{"flatten":{"from":"key","node":"s.{value}"}},
        "ten":{"flatten":{"from":"key","node":"d.{value}","otherwise":"other"},"retain":"whileInUse"},
        "r.{room}.key":{"set":"any"},"r.{room}.{n}.c":{"set":"any"},
        "r.{room}.c":{"flatten":{"from":"r.{room}.key","node":"r.{room}.{value}.c"}}
        """

    @Test(
        "X-9: the value chooses a member, as a string itself or by its JSON text; others are no keys",
        arguments: ["settled", "immediate"]
    )
    func keys(mode: String) throws {
        let graph = try bench.define(nodes: Self.nodes, mode: mode)
        try bench.set(graph, [("s.a", "1"), ("s.3", "2"), ("s.true", "3"), ("other", "0")])
        func shown(_ key: String) throws -> [String] {
            try bench.set(graph, [("key", key)])
            return try ["shown", "ten"].map { try bench.read(graph, $0) }
        }
        #expect(try shown(#""a""#) == ["1", "10"])
        #expect(try shown("3") == ["2", "20"])
        #expect(try shown("true") == ["3", "30"])
        // A member without a value.
        #expect(try shown(#""nobody""#) == ["empty", "empty"])
        let long = #""\#(String(repeating: "x", count: 65))""#
        for key in [#""""#, #""a.b""#, #""a b""#, #""{id}""#, #""*""#, "1.5", "[1]", #""é""#, long] {
            #expect(try shown(key) == ["fail:not_a_key", "0"], "\(key)")
        }
        #expect(graph.members.living.map(\.name).sorted() == ["s.3", "s.a", "s.true"])
        try bench.submit(graph, [], clear: ["key"])
        #expect(try ["shown", "ten"].map { try bench.read(graph, $0) } == ["empty", "empty"])
    }

    @Test("X-9: placeholders of the own name stand beside the value: a member follows in its own room")
    func families() throws {
        let graph = try bench.define(nodes: Self.nodes)
        try bench.set(graph, [("r.x.1.c", "10"), ("r.y.1.c", "20"), ("r.x.key", "1"), ("r.y.key", "1")])
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","nodes":["r.*.c"],"mode":"all"}"#)
        #expect(try bench.read(graph, "r.x.c") == "10" && bench.read(graph, "r.y.c") == "20")
        try bench.set(graph, [("r.x.2.c", "11"), ("r.x.key", "2")])
        #expect(try bench.read(graph, "r.x.c") == "11" && bench.read(graph, "r.y.c") == "20")
        client.session.close()
        bench.endTurn()
        #expect(graph.isWhole)
    }

    @Test(
        "X-9: the former member goes in the turn of the switch, with its reason; a new one is born as by a listener"
    )
    func releases() throws {
        let graph = try bench.define(nodes: Self.nodes)
        try bench.set(graph, [("key", #""a""#)])
        let (watcher, client) = (bench.connect(), bench.connect())
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"ten"}"#)
        watcher.ask(#"{"op":"observe","id":7,"graph":"g","every":100}"#)
        bench.pass(200)
        _ = watcher.take()
        #expect(Set(graph.members.living.map(\.name)) == ["s.a", "d.a"])
        try bench.set(graph, [("key", #""b""#)])
        #expect(Set(graph.members.living.map(\.name)) == ["s.b", "d.b"])
        bench.pass(200)
        let observed = watcher.take().joined()
        #expect(observed.ranges(of: #""reason":"last_owner""#).count == 2, "\(observed.suffix(900))")
        client.session.close()
        bench.endTurn()
        #expect(Set(graph.members.living.map(\.name)) == ["s.b"])
        #expect(graph.isWhole)
    }

    @Test(
        "X-9: a member that would exceed limits.members is a failure with the code; there may be room later"
    )
    func limits() throws {
        var limits = SessionLimits.ample
        limits.members = 2
        let bench = Bench(limits: limits)
        let graph = try bench.define(#"{"graph":"g","nodes":{\#(Self.nodes)}}"#)
        try bench.set(graph, [("s.a", "1"), ("s.b", "2")])
        try bench.set(graph, [("key", #""c""#)])
        #expect(try bench.read(graph, "shown") == "fail:too_large")
        try bench.set(graph, [("key", #""b""#)])
        #expect(try bench.read(graph, "shown") == "2")
        try bench.submit(graph, [], clear: ["s.a"])
        try bench.set(graph, [("key", #""c""#)])
        #expect(try bench.read(graph, "shown") == "empty")
        try bench.set(graph, [("s.c", "3")])
        #expect(try bench.read(graph, "shown") == "3")
    }

    @Test(
        "X-9: a declared node stands in the place of a member, also one that is declared while it is followed"
    )
    func declared() throws {
        let graph = try bench.define(
            nodes: Self.nodes + #","s.x":{"set":"any","initial":7},"q.x":{"set":"any"}"#
        )
        try bench.set(graph, [("key", #""x""#)])
        #expect(try bench.read(graph, "shown") == "7" && bench.read(graph, "ten") == "70")
        try bench.set(graph, [("key", #""a""#), ("s.a", "1")])
        try bench.redefine(graph, Self.nodes + #","s.a":{"from":"other"}"#)
        try bench.set(graph, [("other", "5")])
        #expect(try bench.read(graph, "shown") == "5" && bench.read(graph, "ten") == "50")
        try bench.redefine(graph, Self.nodes)
        #expect(try bench.read(graph, "shown") == "empty")
        try bench.set(graph, [("s.a", "2")])
        #expect(try bench.read(graph, "shown") == "2")
        #expect(graph.isWhole)
    }

    @Test("X-9: a family that goes or comes changes what the computed name means")
    func redefined() throws {
        func nodes(_ family: String) -> String {
            #""key":{"set":"any"},"s.y{id}":{"set":"any"},"\#(family)":{"set":"any"},"#
                + #""shown":{"flatten":{"from":"key","node":"s.{value}"}}"#
        }
        let graph = try bench.define(nodes: nodes("s.x{id}"))
        try bench.set(graph, [("key", #""x1""#), ("s.x1", "1"), ("s.y1", "2")])
        #expect(try bench.read(graph, "shown") == "1")
        try bench.redefine(graph, nodes("s.z{id}"))
        #expect(try bench.read(graph, "shown") == "fail:not_a_key")
        try bench.set(graph, [("key", #""y1""#)])
        #expect(try bench.read(graph, "shown") == "2")
        try bench.set(graph, [("key", #""x1""#)])
        try bench.redefine(graph, nodes("s.x{id}"))
        #expect(try bench.read(graph, "shown") == "empty")
        #expect(graph.isWhole)
    }

    @Test("X-9: a change of the node and of what it follows gives one value")
    func rebuiltTogether() throws {
        func nodes(_ factor: Int) -> String {
            #""key":{"set":"any"},"s.{id}":{"set":"any"},"d.{id}":{"from":"s.{id}","pipe":[{"map":"value * \#(factor)"}]},"#
                + #""e.{id}":{"from":"d.{id}","pipe":[{"map":"value + 0"}]},"f.{id}":{"from":"e.{id}","pipe":[{"map":"value + 0"}]},"#
                + #""shown":{"flatten":{"from":"key","node":"f.{value}"},"pipe":[{"map":"[value, \#(factor)]"}]}"#
        }
        let graph = try bench.define(nodes: nodes(2))
        try bench.set(graph, [("key", #""a""#), ("s.a", "1")])
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"shown","mode":"all"}"#)
        try bench.redefine(graph, nodes(3))
        #expect(Told(client.take())[1] == ["[3,3]"])
    }

    @Test("X-9: what is followed outlives a restart")
    func restored() throws {
        let graph = try bench.define(nodes: Self.nodes.replacing(#","retain":"whileInUse""#, with: ""))
        for key in [#""a""#, #""a b""#, #""b""#] {
            try bench.set(graph, [("key", key), ("s.a", "1")])
            let (second, restored) = try bench.cut(graph)
            for (bench, graph) in [(bench, graph), (second, restored)] {
                try bench.set(graph, [("s.a", "2"), ("s.b", "3")])
                try bench.set(graph, [("s.b", "4")])
            }
            #expect(restored.seen == graph.seen)
            #expect(restored.isWhole)
        }
        #expect(try bench.read(graph, "ten") == "40")
    }

    // MARK: - Clients

    private func access(_ nodes: String...) -> Access {
        Access(Principal(name: "ann", grants: [Principal.Grant(nodes: nodes, can: [.read, .pipe])]))
    }

    private static let sub =
        #"{"op":"sub","id":1,"graph":"g","mode":"all","flatten":{"from":"key","node":"s.{value}"}}"#

    @Test("X-9: a token that is renewed with the same rights ends nothing, however often")
    func renewed() throws {
        _ = try bench.define(nodes: Self.nodes)
        let client = bench.connect(access("*"))
        client.ask(Self.sub)
        client.ask(#"{"op":"sub","id":2,"graph":"g","all":"s.*","reduce":"count"}"#)
        for _ in 0..<40 { client.session.change(to: access("*")) }
        bench.endTurn()
        #expect(client.take() == [])
        client.session.change(to: access("s.*"))
        #expect(client.take().count == 1)
    }

    @Test("X-9: a client's rights are checked at each switch; what it may not read is no key")
    func rights() throws {
        let graph = try bench.define(nodes: Self.nodes)
        try bench.set(graph, [("s.a", "1"), ("s.b", "2"), ("key", #""a""#)])
        let ann = bench.connect(access("key", "s.a", "s.c"))
        let all = bench.connect()
        #expect(ann.ask(Self.sub)[0].contains(#""v":1"#))
        #expect(all.ask(Self.sub)[0].contains(#""v":1"#))
        // One chain for each principal.
        #expect(graph.chains.all.count == 2)
        try bench.set(graph, [("key", #""b""#)])
        #expect(Told(ann.take())[1] == ["fail:not_a_key"])
        #expect(Told(all.take())[1] == ["2"])
        try bench.set(graph, [("s.b", "3")])
        #expect(Told(ann.take())[1] == [])
        try bench.set(graph, [("key", #""c""#)])
        #expect(Told(ann.take())[1] == ["empty"])
        try bench.set(graph, [("s.c", "4")])
        #expect(Told(ann.take())[1] == ["4"])
        // Other rights that choose the same node are taken over; others end the subscription.
        ann.session.change(to: access("key", "s.c"))
        try bench.set(graph, [("key", #""a""#)])
        #expect(Told(ann.take())[1] == ["fail:not_a_key"])
        ann.session.change(to: access("key", "s.a"))
        bench.endTurn()
        #expect(ann.take().joined().contains(#""code":"forbidden""#))
        let nobody = bench.connect(access("key"))
        #expect(nobody.ask(Self.sub)[0].contains(#""code":"unknown_node""#))
        for client in [ann, all] { client.session.close() }
        bench.endTurn()
        #expect(graph.isWhole)
    }

    @Test(
        "X-9: members that a client's name makes count for its principal; a removed member ends its subscription"
    )
    func accounts() throws {
        var limits = SessionLimits.ample
        limits.membersPerPrincipal = 2
        let bench = Bench(limits: limits)
        let graph = try bench.define(
            #"{"graph":"g","nodes":{\#(Self.nodes.replacing(#""shown""#, with: #""unused.{x}""#))}}"#
        )
        try bench.set(graph, [("key", #""a""#)])
        let ann = bench.connect(access("*"))
        #expect(ann.ask(Self.sub)[0].contains(#""empty":true"#))
        #expect(bench.host.memory.members.count(of: "ann") == 1)
        try bench.set(graph, [("key", #""b""#)])
        #expect(bench.host.memory.members.count(of: "ann") == 1)
        try bench.set(graph, [("s.b", "1")])
        _ = bench.host.submit(Commit(dropping: try #require(graph.node("s.b"))))
        bench.endTurn()
        #expect(ann.take().joined().contains(#""code":"node_removed""#))
    }

    @Test("S-7, X-9: a listener keeps one member wanted, whichever its name means")
    func wanted() throws {
        var limits = SessionLimits.ample
        limits.wanted = 2
        let bench = Bench(limits: limits)
        let graph = try bench.define(
            #"{"graph":"g","upstreams":{"u":{"url":"http://u.example"}},"nodes":{"key":{"set":"any"},"#
                + #""s.{id}":{"source":{"get":"u:/s?ids={id*}"}},"#
                + #""shown":{"flatten":{"from":"key","node":"s.{value}"},"retain":"whileInUse"}}}"#
        )
        try bench.set(graph, [("key", #""a""#)])
        let client = bench.connect()
        let count = { bench.host.memory.members.wanted.count(of: nil) }
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"shown"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","flatten":{"from":"key","node":"s.{value}"}}"#)
        #expect(count() == 2)
        #expect(client.ask(#"{"op":"sub","id":3,"graph":"g","node":"s.z"}"#)[0].contains("sub_limit"))
        try bench.set(graph, [("key", #""b""#)])
        #expect(count() == 2 && graph.members.living.map(\.name) == ["s.b"])
        client.session.close()
        bench.endTurn()
        #expect(count() == 0 && graph.isWhole)
    }

    @Test("X-9: expressions after it see the time of the newest commit among what it follows")
    func times() throws {
        let graph = try bench.define(nodes: Self.nodes)
        try bench.set(graph, [("key", #""a""#)])
        bench.pass(5)
        try bench.set(graph, [("s.a", "1")])
        bench.pass(5)
        try bench.set(graph, [("other", "1")])
        let client = bench.connect()
        let snap = client.ask(
            #"{"op":"sub","id":1,"graph":"g","flatten":{"from":"key","node":"s.{value}"},"pipe":[{"map":"time"}]}"#
        )[0]
        #expect(snap.contains(#""v":"1970-01-01T01:23:20.005Z""#), "\(snap)")
    }

    @Test("X-9: why, pictures and the neighbours of a node show what is followed")
    func pictures() throws {
        let graph = try bench.define(nodes: Self.nodes)
        try bench.set(graph, [("key", #""a""#), ("s.a", "1")])
        let living = try #require(graph.node("shown")?.living)
        #expect(living.followedNodes.compactMap { graph.name(of: $0)?.name } == ["s.a"])
        let client = bench.connect()
        let picture = client.ask(#"{"op":"observe","id":1,"graph":"g","every":100}"#)[0]
        #expect(picture.contains(#""name":"s.a""#) && picture.contains(#""inner":true"#), "\(picture)")
    }
}
