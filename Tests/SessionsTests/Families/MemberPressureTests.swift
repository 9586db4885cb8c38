import LogTestSupport
import Testing

@testable import Graphs
@testable import Sessions

private let text = #"""
    {"graph": "g", "nodes": {
      "cache.{id}": {"set": "number", "retain": "untilPressure"},
      "double.{id}": {"from": "cache.{id}", "pipe": [{"map": "value * 2"}]},
      "keep.{id}": {"set": "number"},
      "count": {"all": "cache.*", "reduce": "count"}
    }}
    """#

@Suite("Members that are kept until memory is short")
struct MemberPressureTests {
    private func names(_ graph: LiveGraph) -> [String] { graph.visibleNodes(matching: "*.*").map(\.name) }

    @Test("F-4: pressure drops by a commit what nothing reaches by its name; globs and all keep nothing")
    func pressure() throws {
        let bench = Bench()
        let graph = try bench.define(text)
        try bench.set(graph, [("cache.a", "1"), ("cache.b", "2"), ("cache.c", "3"), ("keep.a", "4")])
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"double.b"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"cache.c"}"#)
        client.ask(#"{"op":"sub","id":3,"graph":"g","nodes":["cache.*"]}"#)
        client.ask(#"{"op":"sub","id":4,"graph":"g","node":"count"}"#)
        bench.host.flushUnused()
        bench.endTurn()
        #expect(graph.rev == 3, "a commit of its own")
        #expect(names(graph) == ["cache.b", "cache.c", "double.b", "double.c", "keep.a"])
        let told = client.take().joined()
        #expect(told.contains(#""cache.a":{"gone":true}"#) && told.contains(#"{"id":4,"v":2}"#), "\(told)")
        client.session.close()
        let flushed = bench.host.flushUnused(of: graph, matching: "cache.b")
        #expect(flushed.names == ["cache.b"] && names(graph) == ["cache.c", "double.c", "keep.a"])
        #expect(graph.isWhole)
    }

    @Test("F-4: with a log the end of such a member is a commit that is kept")
    func logged() throws {
        let log = FaultyLog()
        let bench = Bench(log: log)
        let graph = try bench.define(text)
        try bench.set(graph, [("cache.a", "1"), ("cache.b", "2")])
        log.isSlow = true
        #expect(bench.host.flushUnused(of: graph, matching: "*").names == ["cache.a", "cache.b"])
        #expect(names(graph).count == 4, "not before the log has it")
        #expect(bench.host.flushUnused(of: graph, matching: "*").names.isEmpty, "their end is on its way")
        log.isSlow = false
        bench.host.settle()
        #expect(names(graph).isEmpty && graph.members.livingCount == 0 && graph.rev == 3)
    }

    @Test("F-4: many are dropped over several turns")
    func slices() throws {
        let bench = Bench()
        let graph = try bench.define(text)
        try bench.set(graph, (0..<2_500).map { ("cache.n\($0)", "1") })
        bench.host.flushUnused()
        bench.endTurn()
        #expect(graph.members.livingCount == 1_500)
        var turns = 1
        while bench.host.nextDeadline == bench.clock.now {
            bench.host.advance()
            bench.endTurn()
            turns += 1
        }
        #expect(graph.members.livingCount == 0 && turns == 3)
    }
}
