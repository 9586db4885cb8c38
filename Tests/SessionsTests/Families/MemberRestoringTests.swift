import Commits
import LogTestSupport
import ReactiveGraph
import Testing
import Values

@testable import Graphs
@testable import Sessions

private let fleet = #"""
    {"graph": "g", "nodes": {
      "s.{id}": {"set": "number", "expire": "10m", "history": 3},
      "mean.{id}": {"from": "s.{id}", "retain": "always", "pipe": [{"window": {"count": 3, "of": "avg"}}]},
      "hall": {"from": "mean.hall", "retain": "always", "pipe": [{"scan": {"start": 0.0, "with": "acc + value"}}]}
    }}
    """#

@Suite("Families after a start, and with other definitions")
struct MemberRestoringTests {
    private let log = FaultyLog()
    private let bench: Bench
    private let graph: LiveGraph

    init() throws {
        bench = Bench(log: log)
        graph = try bench.define(fleet)
    }

    private func again() throws -> (bench: Bench, graph: LiveGraph) {
        let clock = ManualHostClock(now: bench.clock.now, wall: bench.clock.wall)
        let next = Bench(log: FaultyLog(after: log), clock: clock)
        let graph = try #require(try next.host.restore(graph: "g"))
        next.endTurn()
        bench.successors.append(next)
        return (next, graph)
    }

    private func play() throws {
        try bench.set(graph, [("s.a", "4"), ("s.hall", "1")])
        try bench.set(graph, [("s.a", "7"), ("s.b", "2")])
        try bench.submit(graph, [("s.c", "1")], clear: ["s.b"], by: "ann")
        bench.endTurn()
        _ = bench.host.submit(Commit(dropping: try #require(graph.node("s.c"))))
        bench.endTurn()
        bench.clock.advance(by: 1_000)
        try bench.set(graph, [("s.d", "7")])
    }

    private func seen(_ graph: LiveGraph) -> [String] {
        graph.seen
            + graph.members.living.sorted { $0.name < $1.name }.map { member in
                "\(member.name) \(member.source?.value?.text ?? "none") \(member.lastChange.rev) \(member.isHeld)"
            }
    }

    @Test("F-4: members, what they hold and when they expire come back from the log, and from a snapshot")
    func restored() throws {
        try play()
        #expect(seen(try again().graph) == seen(graph))
        log.storeSnapshot(of: "g")
        #expect(seen(try again().graph) == seen(graph))
        try play()
        let (next, restored) = try again()
        #expect(seen(restored) == seen(graph))
        #expect(
            restored.visibleNodes(matching: "*").map(\.name) == graph.visibleNodes(matching: "*").map(\.name)
        )
        // Both go on alike, and expire alike.
        for bench in [bench, next] {
            let graph = try #require(bench.host["g"])
            bench.clock.advance(by: 300_000)
            try bench.set(graph, [("s.hall", "10"), ("s.a", "1")])
            bench.clock.advance(by: 300_500)
            bench.host.advance()
            bench.endTurn()
        }
        #expect(seen(restored) == seen(graph))
        #expect(graph.visibleNodes(matching: "s.*").map(\.name) == ["s.a", "s.hall"])
    }

    @Test("F-4: a member without a value, from which another node is made, comes back from a snapshot")
    func unset() throws {
        log.storeSnapshot(of: "g")
        let (next, restored) = try again()
        #expect(seen(restored) == seen(graph))
        for (bench, graph) in [(bench, graph), (next, restored)] { try bench.set(graph, [("s.hall", "5")]) }
        #expect(seen(restored) == seen(graph))
        #expect(try next.read(restored, "hall") == "5")
    }

    @Test("F-4: a member for which a commit is on its way stays the node of its name")
    func pending() throws {
        log.isSlow = true
        var commit = Commit(graph: graph)
        commit.set.append(Assignment(try #require(graph.node("s.x")), try Datum.parse("5")))
        guard case .pending = bench.host.submit(commit) else {
            throw HostError(.internalError, "not pending")
        }
        bench.endTurn()
        let member = try #require(graph.existing("s.x"))
        #expect(graph.node("s.x") === member && member.source == nil)
        log.confirm()
        bench.endTurn()
        #expect(try bench.read(graph, "s.x") == "5" && graph.existing("s.x") === member)
    }

    @Test("F-4: so does one whose node goes in the meantime")
    func pendingWithoutNode() throws {
        let client = bench.connect()
        _ = client.ask(#"{"op":"sub","id":1,"graph":"g","node":"s.x"}"#)
        log.isSlow = true
        let member = try #require(graph.existing("s.x"))
        var commit = Commit(graph: graph)
        commit.set.append(Assignment(member, try Datum.parse("5")))
        _ = bench.host.submit(commit)
        bench.endTurn()
        client.session.close()
        bench.endTurn()
        #expect(member.node == nil && graph.existing("s.x") === member)
        log.confirm()
        bench.endTurn()
        #expect(try bench.read(graph, "s.x") == "5" && graph.existing("s.x") === member)
    }

    private func redefine(_ nodes: String) throws {
        _ = bench.host.redefine(graph, as: try bench.definition(#"{"graph":"g","nodes":{\#(nodes)}}"#))
        bench.endTurn()
    }

    @Test("F-2: another definition keeps members that it matches, and releases the others")
    func redefined() throws {
        try bench.set(graph, [("s.a", "4"), ("s.b", "200")])
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","nodes":["*"]}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"mean.a"}"#)
        // Values that do not pass are taken, one member is declared, one family is new, one is
        // gone.
        try redefine(
            #""s.{id}":{"set":"number","max":100},"s.a":{"set":"number","initial":3},"t.{id}":{"from":"s.{id}"}"#
        )
        #expect(try bench.read(graph, "s.a") == "4" && graph.node("s.a")?.family == nil)
        #expect(try bench.read(graph, "s.b") == "empty")
        let told = client.take()
        #expect(told.contains { $0.contains(#""op":"end","id":2"#) }, "\(told)")
        bench.endTurn()
        #expect(graph.visibleNodes(matching: "*").map(\.name) == ["s.a", "t.a"])
        try bench.set(graph, [("s.c", "1")])
        #expect(graph.visibleNodes(matching: "*").map(\.name) == ["s.a", "s.c", "t.a", "t.c"])
        // And back: the declared node is a member again.
        try redefine(#""s.{id}":{"set":"number"}"#)
        #expect(graph.visibleNodes(matching: "*").map(\.name) == ["s.a", "s.c"])
        #expect(try bench.read(graph, "s.a") == "4" && graph.node("s.a")?.family != nil)
        #expect(graph.isWhole)
    }

    @Test("F-2, F-6: globs and all continue with a declared node in the place of a member, and back")
    func replaced() throws {
        let family =
            #""s.{id}":{"set":"number"},"d.{id}":{"from":"s.{id}"},"sum":{"all":"s.*","reduce":"sum"}"#
        let declared = family + #","s.a":{"set":"number","initial":3}"#
        try redefine(family)
        try bench.set(graph, [("s.a", "4"), ("s.b", "1")])
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","nodes":["s.*","d.*"]}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"sum"}"#)
        client.ask(#"{"op":"demand","id":3,"graph":"g","nodes":["s.*"]}"#)
        for (nodes, values) in [(declared, ["6", "7"]), (family, ["8", "9"])] {
            try redefine(nodes)
            let news = client.take().joined()
            for word in ["gone", "wanted", "end"] { #expect(!news.contains("\"\(word)\""), "\(news)") }
            for value in values {
                try bench.set(graph, [("s.a", value)])
                let told = client.take().joined()
                #expect(told.contains(#""s.a":{"v":\#(value)}"#), "\(told)")
                #expect(told.contains(#""d.a":{"v":\#(value)}"#), "\(told)")
                #expect(try bench.read(graph, "sum") == "\(1 + (Int(value) ?? 0))")
            }
        }
        #expect(graph.isWhole)
    }

    @Test("F-2, F-3: globs and all mean what is made from a declared node in the place of a member")
    func madeFromDeclared() throws {
        let text =
            #""s.{id}":{"set":"number"},"s.a":{"set":"number","initial":3},"#
            + #""d.{id}":{"from":"s.{id}"},"e.{id}":{"from":"d.{id}"}"#
        try redefine(text + #","sum":{"all":"e.*","reduce":"sum"}"#)
        let before = graph.visibleNodes(matching: "*").map(\.name)
        #expect(before == ["s.a", "sum", "d.a", "e.a"])
        #expect(try bench.read(graph, "sum") == "3")
        try bench.set(graph, [("s.a", "5"), ("s.b", "1")])
        #expect(try bench.read(graph, "sum") == "6")
        let restored = try again().graph
        #expect(Set(restored.visibleNodes(matching: "*").map(\.name)) == Set(before + ["s.b", "d.b", "e.b"]))
        let fresh = try bench.define(#"{"graph":"f","nodes":{\#(text)}}"#)
        #expect(fresh.visibleNodes(matching: "*").map(\.name) == ["s.a", "d.a", "e.a"])
    }

    @Test("F-2: an empty member that becomes a declared node is held from then on")
    func declared() throws {
        let family = #""s.{id}":{"set":"number"}"#
        try redefine(family)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"s.a"}"#)
        try redefine(family + #","s.a":{"set":"number"}"#)
        try bench.set(graph, [("s.a", "4")])
        client.ask(#"{"op":"unsub","id":1}"#)
        bench.endTurn()
        #expect(try bench.read(graph, "s.a") == "4")
        #expect(graph.isWhole)
    }

    @Test("F-3: an empty declared node that becomes a member is gone for globs")
    func emptied() throws {
        let family = #""s.{id}":{"set":"number"},"d.{id}":{"from":"s.{id}"}"#
        try redefine(family + #","s.a":{"set":"number"}"#)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","nodes":["s.*","d.*"]}"#)
        try redefine(family)
        let told = client.take().joined()
        #expect(told.contains(#""s.a":{"gone":true}"#) && told.contains(#""d.a":{"gone":true}"#), "\(told)")
        bench.endTurn()
        #expect(graph.members.livingCount == 0 && graph.isWhole)
    }
}
