import Commits
import LogTestSupport
import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions

/// Families that join the members of another one by groups.
@Suite("Groups")
struct GroupTests {
    private static let rooms = #"""
        "room.{r}.sensor.{s}.celsius":{"set":"any","expire":"10s"},
        "room.{r}.mean":{"all":"room.{r}.sensor.{s}.celsius","reduce":"avg"},
        "room.{r}.sum":{"all":"room.{r}.sensor.{s}.celsius","reduce":"sum","map":"key.r + ' ' + string(value)"},
        "room.{r}.each":{"all":"room.{r}.sensor.{s}.celsius","reduce":"object"}
        """#

    let bench = Bench()

    private static func sensor(_ room: Int, _ name: String) -> String {
        "room.\(room).sensor.\(name).celsius"
    }

    private func drop(_ graph: LiveGraph, _ name: String) throws {
        _ = bench.host.submit(Commit(dropping: try #require(graph.node(name))))
        bench.endTurn()
    }

    private func globs(_ graph: LiveGraph, _ glob: String) -> [String] {
        graph.visibleNodes(matching: glob).map(\.name)
    }

    @Test("X-6: members change their groups in the commit of their birth and death")
    func births() throws {
        let graph = try bench.define(nodes: Self.rooms)
        let client = bench.connect()
        let snap = client.ask(#"{"op":"sub","id":1,"graph":"g","node":"room.3.mean"}"#)
        #expect(snap[0].contains(#""empty":true"#), "\(snap)")
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"room.3.sum"}"#)
        try bench.set(graph, [(Self.sensor(3, "a"), "20"), (Self.sensor(4, "a"), "1")])
        #expect(client.take().last?.contains(#"[{"id":1,"v":20},{"id":2,"v":"3 20"}]"#) == true)
        try bench.set(graph, [(Self.sensor(3, "b"), "30")])
        #expect(client.take().last?.contains(#"[{"id":1,"v":25},{"id":2,"v":"3 50"}]"#) == true)
        try bench.set(graph, [(Self.sensor(4, "a"), "2")])
        #expect(client.take().isEmpty, "another group")
        try drop(graph, Self.sensor(3, "a"))
        #expect(client.take().last?.contains(#"[{"id":1,"v":30},{"id":2,"v":"3 30"}]"#) == true)
        try drop(graph, Self.sensor(3, "b"))
        #expect(client.take().last?.contains(#"[{"id":1,"empty":true},{"id":2,"v":"3 0"}]"#) == true)
        #expect(graph.isWhole)
    }

    @Test("X-6: globs see a group while it has a member; by its name it lives on, and counts")
    func seen() throws {
        let graph = try bench.define(nodes: Self.rooms)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","nodes":["room.*.mean"]}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"room.3.mean"}"#)
        #expect(graph.members.livingCount == 1 && globs(graph, "room.*").isEmpty)
        try bench.set(graph, [(Self.sensor(3, "a"), "20")])
        let came = client.take().joined()
        #expect(came.contains(#"{"id":1,"m":{"room.3.mean":{"v":20}}}"#), "\(came)")
        #expect(
            globs(graph, "room.3.*")
                == ["room.3.each", "room.3.mean", "room.3.sensor.a.celsius", "room.3.sum"]
        )
        bench.pass(10_000)
        let went = client.take().joined()
        #expect(went.contains(#"{"id":1,"m":{"room.3.mean":{"gone":true}}}"#), "\(went)")
        #expect(went.contains(#"{"id":2,"empty":true}"#), "\(went)")
        #expect(graph.members.livingCount == 1 && globs(graph, "*").isEmpty)
        client.session.close()
        #expect(graph.members.livingCount == 0 && graph.isWhole)
    }

    @Test("X-6: a failed member fails its own group only, and the failure names it")
    func failures() throws {
        let graph = try bench.define(nodes: Self.rooms)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","nodes":["room.*.mean"]}"#)
        try bench.set(graph, [(Self.sensor(3, "a"), #""x""#), (Self.sensor(4, "a"), "1")])
        let came = client.take().joined()
        #expect(came.contains(#""room.4.mean":{"v":1}"#), "\(came)")
        #expect(came.contains("avg needs numbers; room.3.sensor.a.celsius is a string"), "\(came)")
    }

    @Test("X-6: an object is keyed by the joined placeholder, if there is one, otherwise by the name")
    func objects() throws {
        let graph = try bench.define(
            nodes: #"""
                "s.{a}.{b}.{x}":{"set":"any"},
                "one.{a}.{x}":{"all":"s.{a}.{b}.{x}","reduce":"object"},
                "two.{b}":{"all":"s.{a}.{b}.{x}","reduce":"object"}
                """#
        )
        try bench.set(graph, [("s.1.k.x", "1"), ("s.1.l.x", "2"), ("s.2.k.x", "3"), ("s.1.k.y", "4")])
        #expect(try bench.read(graph, "one.1.x") == #"{"k":1,"l":2}"#)
        #expect(try bench.read(graph, "two.k") == #"{"s.1.k.x":1,"s.1.k.y":4,"s.2.k.x":3}"#)
        bench.endTurn()
        #expect(graph.isWhole)
    }

    @Test("X-6: a group joins one family, whatever other names its glob matches")
    func families() throws {
        let graph = try bench.define(
            nodes: #"""
                "t.{a}.{b}":{"set":"any"},"t.{a}.{b}.{c}":{"set":"any"},
                "sum.{a}":{"all":"t.{a}.{b}","reduce":"sum"}
                """#
        )
        try bench.set(graph, [("t.1.x.y", "100"), ("t.11.x", "50"), ("t.1.x", "1"), ("t.1.y", "2")])
        #expect(try bench.read(graph, "sum.1") == "3")
        bench.endTurn()
        #expect(graph.isWhole)
    }

    @Test(
        "X-6: groups of groups, and all groups, emit once in a commit",
        arguments: ["settled", "immediate"]
    )
    func joined(mode: String) throws {
        let graph = try bench.define(
            nodes: #"""
                "s.{a}.{b}.{x}":{"set":"any"},
                "d.{a}.{b}.{x}":{"from":"s.{a}.{b}.{x}","pipe":[{"map":"value * 2"}]},
                "ab.{a}.{b}":{"all":"d.{a}.{b}.{x}","reduce":"sum"},
                "a.{a}":{"all":"ab.{a}.{b}","reduce":"max"},
                "all":{"all":"a.*","reduce":"list","pipe":[{"map":"[value.size(), value[0]]"}]}
                """#,
            mode: mode
        )
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"all","mode":"all"}"#)
        try bench.set(graph, [("s.1.k.x", "1"), ("s.1.k.y", "2"), ("s.1.l.x", "4"), ("s.2.k.x", "9")])
        let came = client.take().joined()
        if mode == "settled" { #expect(came.ranges(of: #"{"id":1,"v":"#).count == 1, "\(came)") }
        #expect(came.contains("[2,8]"), "\(came)")
        try bench.set(graph, [("s.1.k.x", "2"), ("s.1.l.x", "3"), ("s.2.k.x", "8")])
        let changed = client.take().joined()
        if mode == "settled" { #expect(changed.ranges(of: #"{"id":1,"v":"#).count == 1, "\(changed)") }
        #expect(changed.contains("[2,8]"), "\(changed)")
        try bench.submit(graph, [("s.1.k.x", "5")], clear: ["s.2.k.x"])
        bench.endTurn()
        #expect(client.take().last?.contains("[1,14]") == true)
        // A client joins groups, too.
        let sums = client.ask(#"{"op":"sub","id":2,"graph":"g","all":"ab.*","reduce":"sum"}"#).joined()
        #expect(sums.contains(#""v":20"#), "\(sums)")
        client.session.close()
        #expect(graph.isWhole)
    }

    @Test("X-6: declared nodes stand in the place of the members of their names")
    func declared() throws {
        let named = #","room.3.sensor.door.celsius":{"set":"any","initial":5}"#
        let graph = try bench.define(nodes: Self.rooms + named)
        #expect(globs(graph, "room.3.mean") == ["room.3.mean"])
        try bench.set(graph, [(Self.sensor(3, "a"), "15")])
        #expect(try bench.read(graph, "room.3.mean") == "10")
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"room.3.mean"}"#)
        try bench.set(graph, [(Self.sensor(3, "door"), "25")])
        #expect(client.take().last?.contains(#"{"id":1,"v":20}"#) == true)
        func redefine(_ nodes: String) throws {
            _ = bench.host.redefine(graph, as: try bench.definition(#"{"graph":"g","nodes":{\#(nodes)}}"#))
            bench.endTurn()
        }
        try redefine(Self.rooms.replacing(#""avg""#, with: #""max""#) + named)
        #expect(client.take().last?.contains(#"{"id":1,"v":25}"#) == true)
        // Now it is a member, with its value.
        try redefine(Self.rooms)
        #expect(client.take().joined().contains(#"{"id":1,"v":20}"#))
        try drop(graph, Self.sensor(3, "door"))
        #expect(client.take().joined().contains(#"{"id":1,"v":15}"#))
        try redefine(Self.rooms + named)
        #expect(client.take().joined().contains(#"{"id":1,"v":10}"#))
        #expect(graph.isWhole)
    }

    @Test("X-6: a family becomes one of groups, and another one again, and its members live on")
    func redefined() throws {
        let graph = try bench.define(nodes: Self.rooms)
        try bench.set(graph, [(Self.sensor(3, "a"), "20"), (Self.sensor(3, "b"), "21")])
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"room.3.mean"}"#)
        let plain = Self.rooms.replacing(
            #"{"all":"room.{r}.sensor.{s}.celsius","reduce":"avg"}"#,
            with: #"{"set":"any"}"#
        )
        func redefine(_ nodes: String) throws {
            _ = bench.host.redefine(graph, as: try bench.definition(#"{"graph":"g","nodes":{\#(nodes)}}"#))
            bench.endTurn()
        }
        try redefine(plain)
        try bench.set(graph, [("room.3.mean", "1")])
        #expect(client.take().last?.contains(#"{"id":1,"v":1}"#) == true)
        try redefine(Self.rooms)
        #expect(client.take().last?.contains(#"{"id":1,"v":20.5}"#) == true)
        #expect(graph.isWhole)
    }

    @Test("X-6: the last change of a group is that of its newest member, or of the last death")
    func changes() throws {
        let graph = try bench.define(nodes: Self.rooms)
        func change() throws -> UInt64 { try #require(graph.node("room.3.mean")).lastChange.rev }
        try bench.set(graph, [(Self.sensor(3, "a"), "20"), (Self.sensor(3, "b"), "21")])
        let first = graph.rev
        try bench.set(graph, [(Self.sensor(4, "a"), "1")])
        #expect(try change() == first)
        try bench.set(graph, [(Self.sensor(3, "a"), "22")])
        #expect(try change() == graph.rev)
        try drop(graph, Self.sensor(3, "b"))
        #expect(try change() == graph.rev)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"room.3.mean"}"#)
        #expect(try change() == graph.rev)
    }

    @Test("limits.members: a group counts, and so do the members that it makes")
    func limits() throws {
        var limits = SessionLimits.ample
        limits.members = 6
        let bench = Bench(limits: limits)
        let graph = try bench.define(
            #"""
            {"graph":"g","nodes":{"s.{a}.{x}":{"set":"any"},"d.{a}.{x}":{"from":"s.{a}.{x}"},
            "sum.{a}":{"all":"d.{a}.{x}","reduce":"sum"}}}
            """#
        )
        try bench.set(graph, [("s.1.x", "1"), ("s.2.x", "1"), ("s.2.y", "1")])
        let client = bench.connect()
        let fits = client.ask(#"{"op":"sub","id":1,"graph":"g","node":"sum.1"}"#).joined()
        #expect(fits.contains(#""v":1"#) && graph.members.livingCount == 5, "\(fits)")
        let refused = client.ask(#"{"op":"sub","id":2,"graph":"g","node":"sum.2"}"#).joined()
        #expect(refused.contains("too_large"), "\(refused)")
        #expect(graph.members.livingCount == 5 && graph.isWhole)
    }

    @Test("X-6: explain and pictures name what a group joins")
    func named() throws {
        let graph = try bench.define(nodes: Self.rooms)
        try bench.set(graph, [(Self.sensor(3, "a"), "20"), (Self.sensor(4, "a"), "1")])
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"room.3.mean"}"#)
        let node = try #require(graph.node("room.3.mean"))
        let why = String(decoding: Explanation(of: node).json(), as: UTF8.self)
        #expect(why.contains(#""inputs":["room.3.sensor.a.celsius"]"#), "\(why)")
        #expect(why.contains(#""all":{"glob":"room.3.sensor.*.celsius","members":1}"#), "\(why)")
    }

    @Test("X-6: a client joins the nodes of one group by a glob; placeholders are for families")
    func clients() throws {
        let graph = try bench.define(nodes: Self.rooms)
        try bench.set(graph, [(Self.sensor(3, "a"), "20"), (Self.sensor(4, "a"), "1")])
        let client = bench.connect()
        let one = client.ask(
            #"{"op":"sub","id":1,"graph":"g","all":"room.3.sensor.*.celsius","reduce":"sum"}"#
        ).joined()
        #expect(one.contains(#""v":20"#), "\(one)")
        let refused = client.ask(
            #"{"op":"sub","id":2,"graph":"g","all":"room.{r}.sensor.{s}.celsius","reduce":"sum"}"#
        ).joined()
        #expect(refused.contains("bad_field") && refused.contains("room.*.sensor.*.celsius"), "\(refused)")
    }
}
