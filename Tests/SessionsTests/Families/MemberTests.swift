import LogTestSupport
import ReactiveGraph
import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions

private let fleet = #"""
    {"graph": "fleet", "nodes": {
      "sensor.{id}.celsius": {"set": "number", "max": 150, "expire": "10m"},
      "sensor.{id}.hot": {"from": "sensor.{id}.celsius", "pipe": [{"map": "value > 30"}, "distinct"]},
      "sensor.{id}.label": {"from": "sensor.{id}.hot", "pipe": [{"map": "key.id + ' ' + string(value)"}]},
      "room.{id}": {"set": "any"},
      "pair.{id}": {"combine": {"r": "room.{id}", "c": "sensor.{id}.celsius"}, "map": "r + c + double(key.id.size())"},
      "hall": {"from": "sensor.hall.celsius"}
    }}
    """#

@Suite("Members of families")
struct MemberTests {
    let bench: Bench
    let graph: LiveGraph
    let client: Client

    init() throws {
        var limits = SessionLimits.ample
        limits.members = 50
        bench = Bench(limits: limits)
        graph = try bench.define(fleet)
        client = bench.connect()
    }

    /// How many nodes the graph has before anything is set.
    private static let base: UInt64 = 0

    private func globs(_ glob: String = "*") -> [String] {
        graph.visibleNodes(matching: glob).map(\.name)
    }

    private func drop(_ name: String) throws -> Submission {
        bench.host.submit(Commit(dropping: try #require(graph.node(name))))
    }

    // MARK: - F-1, F-2, F-3

    @Test("F-3: a member is born by the first commit that sets it, with one rev; looking makes nothing")
    func birth() throws {
        #expect(try bench.read(graph, "sensor.a.celsius") == "empty")
        #expect(try bench.read(graph, "sensor.a.hot") == "empty")
        bench.endTurn()
        #expect(graph.members.livingCount == 0 && graph.existing("sensor.a.celsius") == nil && graph.rev == 1)
        try bench.set(graph, [("sensor.a.celsius", "31")])
        #expect(try bench.read(graph, "sensor.a.celsius") == "31" && graph.rev == 2)
        #expect(try bench.read(graph, "sensor.a.label") == #""a true""#)
        bench.endTurn()
        #expect(graph.members.livingCount == 1, "derived members live only while they are needed")
        #expect(graph.isWhole)
    }

    @Test("F-1, F-9: there is one node of a name, however it is asked for; names of no family are unknown")
    func identity() throws {
        let first = try #require(graph.node("sensor.a.celsius"))
        try bench.set(graph, [("sensor.a.celsius", "1")])
        #expect(graph.node("sensor.a.celsius") === first)
        #expect(graph.node("sensor.a") == nil && graph.node("sensor.a.b.celsius") == nil)
        #expect(graph.node("sensor..celsius") == nil)
    }

    @Test("F-3: a member that is listened to lives, empty, and goes with its last listener")
    func listened() throws {
        let snap = client.ask(#"{"op":"sub","id":1,"graph":"fleet","node":"sensor.z.hot"}"#)
        #expect(snap.first?.contains(#""empty":true"#) == true)
        #expect(graph.members.livingCount == 2 && graph.rev == 1 && globs() == ["hall"])
        try bench.set(graph, [("sensor.z.celsius", "40")])
        #expect(client.take().last?.contains(#"{"id":1,"v":true}"#) == true)
        client.ask(#"{"op":"unsub","id":1}"#)
        #expect(graph.members.livingCount == 1, "the one that holds a value")
        #expect(graph.isWhole)
    }

    @Test("F-3: an empty member goes in the turn in which its last listener's connection ends")
    func disconnected() throws {
        client.ask(#"{"op":"sub","id":1,"graph":"fleet","node":"sensor.z.label"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"fleet","node":"sensor.z.celsius"}"#)
        #expect(graph.members.livingCount == 3)
        client.session.close()
        #expect(graph.members.livingCount == 0 && graph.isWhole)
    }

    @Test("F-3: globs see derived members when all members that they are made from hold a value")
    func globbed() throws {
        try bench.set(graph, [("sensor.a.celsius", "1")])
        #expect(globs() == ["hall", "sensor.a.celsius", "sensor.a.hot", "sensor.a.label"])
        try bench.set(graph, [("room.a", "2")])
        #expect(globs("pair.*") == ["pair.a"])
        #expect(try bench.read(graph, "pair.a") == "4")
        try bench.submit(graph, [], clear: ["sensor.a.celsius"])
        #expect(globs() == ["hall", "room.a"])
    }

    @Test("F-1: a declared node may name one member, which it keeps")
    func named() throws {
        client.ask(#"{"op":"sub","id":1,"graph":"fleet","node":"hall"}"#)
        try bench.set(graph, [("sensor.hall.celsius", "12")])
        #expect(client.take().last?.contains(#"{"id":1,"v":12}"#) == true)
        // The name is looked up again after the member has gone.
        client.ask(#"{"op":"unsub","id":1}"#)
        _ = try drop("sensor.hall.celsius")
        bench.endTurn()
        try bench.set(graph, [("sensor.hall.celsius", "13")])
        #expect(try bench.read(graph, "hall") == "13")
    }

    @Test("F-1: an input may be called time, and the expression still sees the key")
    func inputNamedTime() throws {
        let graph = try bench.define(
            #"{"graph":"t","nodes":{"s.{id}":{"set":"number"},"t.{id}":{"combine":{"time":"s.{id}"},"map":"key.id + string(time)"}}}"#
        )
        try bench.set(graph, [("s.a", "5")])
        #expect(try bench.read(graph, "t.a") == #""a5""#)
    }

    @Test("F-2: a declared node replaces the member of its name")
    func replaced() throws {
        let graph = try bench.define(
            #"{"graph":"r","nodes":{"s.{id}":{"set":"number"},"s.hall":{"set":"string","initial":"x"},"t.{id}":{"from":"s.{id}"}}}"#
        )
        #expect(throws: HostError.self) { try bench.submit(graph, [("s.hall", "1")]) }
        #expect(try bench.read(graph, "t.hall") == #""x""#)
        bench.endTurn()
        #expect(graph.members.livingCount == 0 && graph.node("s.hall")?.family == nil)
    }

    // MARK: - F-4

    @Test("F-4: a member that is dropped ends its listeners, and is gone for globs: a commit")
    func dropped() throws {
        try bench.set(graph, [("sensor.a.celsius", "31"), ("sensor.b.celsius", "1")])
        client.ask(#"{"op":"sub","id":1,"graph":"fleet","node":"sensor.a.celsius"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"fleet","nodes":["sensor.*.celsius"]}"#)
        client.ask(#"{"op":"sub","id":3,"graph":"fleet","node":"sensor.a.hot"}"#)
        let answers = client.ask(#"{"op":"drop","id":9,"graph":"fleet","nodes":["sensor.a.celsius"]}"#)
        #expect(graph.rev == 3)
        #expect(answers.contains { $0.contains(#""op":"end","id":1"#) && $0.contains("node_removed") })
        #expect(answers.contains { $0.contains(#"{"id":2,"m":{"sensor.a.celsius":{"gone":true}}}"#) })
        #expect(answers.contains { $0.contains(#"{"id":3,"empty":true}"#) }, "what is made from it is empty")
        #expect(answers.contains(#"{"op":"ok","id":9,"epoch":"e1","rev":3}"#))
        client.ask(#"{"op":"unsub","id":3}"#)
        #expect(graph.members.livingCount == 1 && graph.isWhole)
    }

    @Test("F-4: only members that hold a value can be dropped")
    func undroppable() throws {
        for (name, code) in [
            ("sensor.x.celsius", "unknown_node"), ("hall", "not_mutable"), ("sensor.x.hot", "not_mutable"),
        ] {
            guard case .refused(let error) = try drop(name) else {
                Issue.record("\(name) is dropped")
                continue
            }
            #expect(error.code.rawValue == code, "\(name)")
        }
    }

    @Test("F-4: a member expires when it was not set for so long, by a commit of its own")
    func expires() throws {
        try bench.set(graph, [("sensor.a.celsius", "1")])
        bench.clock.advance(by: 300_000)
        bench.host.advance()
        try bench.set(graph, [("sensor.b.celsius", "1")])
        let looksAgain = bench.clock.now + 60_000
        #expect(bench.host.nextDeadline == looksAgain, "the wall clock may be set before the member is due")
        try bench.set(graph, [("sensor.a.celsius", "2")])
        bench.clock.advance(by: 600_000)
        bench.host.advance()
        #expect(globs("sensor.*.celsius").isEmpty && graph.rev == 5 && graph.members.livingCount == 0)
        #expect(graph.isWhole)
    }

    @Test("F-4: a member used by its name does not expire; a glob keeps nothing")
    func needed() throws {
        client.ask(#"{"op":"sub","id":1,"graph":"fleet","node":"sensor.a.label"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"fleet","nodes":["sensor.*"]}"#)
        try bench.set(graph, [("sensor.a.celsius", "1"), ("sensor.b.celsius", "1")])
        bench.clock.advance(by: 600_000)
        bench.host.advance()
        bench.endTurn()
        #expect(globs("sensor.*.celsius") == ["sensor.a.celsius"])
        #expect(client.take().last?.contains(#""sensor.b.celsius":{"gone":true}"#) == true)
        client.ask(#"{"op":"unsub","id":1}"#)
        bench.clock.advance(by: 600_000)
        bench.host.advance()
        #expect(globs("sensor.*").isEmpty && graph.members.livingCount == 0)
    }

    // MARK: - F-6, F-7, F-8

    @Test("F-6: subscriptions to globs take members as they are born, in both modes, once a commit")
    func taken() throws {
        client.ask(#"{"op":"sub","id":1,"graph":"fleet","nodes":["sensor.*"]}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"fleet","nodes":["sensor.*.hot","room.a"],"mode":"all"}"#)
        try bench.set(graph, [("sensor.a.celsius", "31")])
        let told = try #require(client.take().last)
        let values = #""sensor.a.celsius":{"v":31},"sensor.a.hot":{"v":true},"sensor.a.label":{"v":"a true"}"#
        #expect(told.contains(#"{"id":1,"m":{\#(values)}}"#), "\(told)")
        #expect(told.contains(#"{"id":2,"m":{"sensor.a.hot":{"v":true}}}"#), "\(told)")
        try bench.submit(graph, [], clear: ["sensor.a.celsius"])
        bench.endTurn()
        #expect(client.take().last?.contains(#"{"id":2,"m":{"sensor.a.hot":{"gone":true}}}"#) == true)
    }

    @Test("F-6: a glob that resumes after members have gone gets all of it anew")
    func resumed() throws {
        try bench.set(graph, [("sensor.a.celsius", "31"), ("sensor.b.celsius", "1")])
        let cursor = graph.rev
        _ = try drop("sensor.a.celsius")
        bench.endTurn()
        let since = #""since":{"epoch":"e1","rev":\#(cursor)}"#
        let snap = client.ask(#"{"op":"sub","id":1,"graph":"fleet","nodes":["sensor.*.celsius"],\#(since)}"#)
        #expect(snap.first?.contains(#""resumed":false,"m":{"sensor.b.celsius":{"v":1}}"#) == true, "\(snap)")
    }

    @Test("F-7: limits.members bounds the members of one graph; those that are there can be set")
    func bounded() throws {
        for number in 0..<50 { try bench.set(graph, [("room.\(number)", "1")]) }
        #expect(
            throws: HostError(
                .tooLarge,
                "the graph has 50 members of families; 50 are allowed (limits.members)"
            )
        ) {
            try bench.submit(graph, [("room.x", "1")])
        }
        let answers = client.ask(#"{"op":"sub","id":1,"graph":"fleet","node":"room.y"}"#)
        #expect(answers.first?.contains("too_large") == true, "\(answers)")
        try bench.submit(graph, [("room.7", "2")])
        _ = try drop("room.7")
        try bench.submit(graph, [("room.x", "1")])
    }

    @Test("F-7: conditions on a missing member see it empty, and dropping counts as a change")
    func conditions() throws {
        func set(_ test: Condition.Test) throws -> Submission {
            var commit = Commit(graph: graph)
            let node = try #require(graph.node("room.a"))
            commit.set.append(Assignment(node, .true))
            commit.epoch = "e1"
            commit.conditions = [Condition(node, test)]
            return bench.host.submit(commit)
        }
        guard case .applied(let applied) = try set(.isEmpty) else {
            throw HostError(.internalError, "refused")
        }
        guard case .refused = try set(.isEmpty) else { throw HostError(.internalError, "applied") }
        _ = try drop("room.a")
        guard case .refused = try set(.unchangedSince(applied.rev)) else {
            throw HostError(.internalError, "applied")
        }
        guard case .applied = try set(.unchangedSince(graph.rev)) else {
            throw HostError(.internalError, "refused")
        }
    }

    @Test("F-8: pages go through all nodes in the order of their names")
    func pages() throws {
        for number in 0..<20 { try bench.set(graph, [("room.\(number)", "1")]) }
        let view = try GraphView(graph, for: .full)
        var names: [String] = []
        var after: String?
        repeat {
            let text = String(decoding: view.page(matching: "*", after: after, limit: 6), as: UTF8.self)
            let page = try Document.parse(json: text)
            names += page["nodes"]?.elements?.compactMap { $0["name"]?.scalar?.text } ?? []
            after = page["next"]?.scalar?.text
        } while after != nil
        #expect(names == (["hall"] + (0..<20).map { "room.\($0)" }).sorted())
    }

    @Test("F-3: clients with members of their own come and go: nothing is left")
    func leak() throws {
        for round in 0..<200 {
            let client = bench.connect()
            for number in 0..<5 {
                client.ask(
                    #"{"op":"sub","id":\#(number + 1),"graph":"fleet","node":"sensor.\#(round)-\#(number).label"}"#
                )
            }
            client.session.close()
            bench.endTurn()
        }
        #expect(graph.members.livingCount == 0 && graph.members.watchers.isEmpty && graph.isWhole)
        #expect(graph.registry.declaredEntries.count == 1, "the declared node")
    }
}
