import ReactiveGraph
import TestSupport
import Testing

@testable import Definitions
@testable import Graphs
@testable import Sessions

private let graphText = """
    {"graph": "g", "nodes": {
      "x": {"set": "number", "initial": 1},
      "double": {"from": "x", "pipe": [{"map": "value * 2"}]},
      "sum": {"from": "double", "pipe": [{"scan": {"start": 0, "with": "acc + value"}}], "retain": "untilPressure"},
      "more": {"from": "sum", "pipe": [{"map": "value + 1"}], "retain": "untilPressure"},
      "fixed": {"from": "x", "pipe": [{"map": "value"}], "retain": "always"}
    }}
    """

@Suite("Nodes kept until memory is short")
struct PressureTests {
    private func living(_ graph: LiveGraph) -> [String] {
        graph.nodes.filter { $0.living != nil }.map(\.name)
    }

    @Test("G-129: it is made at the first look-up, and stays unused until memory is short")
    func life() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        #expect(living(graph) == ["x", "fixed"])
        let start = graph.statistics.nodes
        let more = try #require(graph.node("more"))
        _ = graph.read(more)
        #expect(living(graph) == ["x", "double", "sum", "more", "fixed"])
        try bench.set(graph, [("x", "5")])
        let sum = try #require(graph.node("sum"))
        let held = graph.read(sum).held
        #expect("\(held)".contains("12"))
        let kept = graph.statistics.nodes
        #expect(bench.host.flushUnused() == UInt64(kept - start))
        #expect(living(graph) == ["x", "fixed"] && graph.statistics.nodes == start)
        #expect(bench.host.statistics.pressureEvents == 1)
        #expect(bench.host.statistics.pressureReleased == UInt64(kept - start))
        // It begins anew.
        #expect("\(graph.read(sum).held)".contains("10"))
        #expect(graph.isWhole)
    }

    @Test("G-131: a flush for the limit is counted, and takes no input of what is being made")
    func limit() throws {
        var limits = SessionLimits.ample
        limits.kept = 1
        let bench = Bench(limits: limits)
        let graph = try bench.define(graphText)
        _ = graph.read(try #require(graph.node("more")))
        #expect(living(graph) == ["x", "double", "sum", "more", "fixed"] && graph.registry.count == 1)
        #expect(bench.host.statistics.pressureEvents == 1 && graph.isWhole)
    }

    @Test(
        "I-4: a flush of one graph releases what matches and is not in use, names what went, and is counted"
    )
    func flush() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        let other = try bench.define(graphText.replacing(#""g""#, with: #""h""#))
        for graph in [graph, other] { _ = graph.read(try #require(graph.node("more"))) }
        #expect(bench.host.flushUnused(of: graph, matching: "fixed").names == [])
        let client = bench.connect()
        _ = client.ask(#"{"op":"sub","id":1,"graph":"g","node":"sum"}"#)
        let first = bench.host.flushUnused(of: graph, matching: "*")
        #expect(first.names == ["more"] && first.nodes == 1, "what is listened to stays")
        _ = client.ask(#"{"op":"unsub","id":1}"#)
        #expect(living(graph) == ["x", "fixed"])
        _ = graph.read(try #require(graph.node("sum")))
        let second = bench.host.flushUnused(of: graph, matching: "s?m")
        #expect(second.names == ["sum", "double"] && second.nodes == 2, "and what only it needed")
        #expect(
            living(other) == ["x", "double", "sum", "more", "fixed"],
            "the other graph keeps what it has"
        )
        #expect(bench.host.statistics.pressureEvents == 3 && bench.host.statistics.pressureReleased == 3)
        #expect(graph.isWhole && graph.releases.names == nil)
    }

    @Test("Nodes released under pressure are reported to observers with that reason")
    func reason() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        let client = bench.connect()
        client.ask(#"{"op":"observe","id":7,"graph":"g","every":50}"#)
        _ = graph.read(try #require(graph.node("sum")))
        bench.host.flushUnused()
        bench.pass(60)
        #expect(client.take().contains { $0.contains(#""reason":"pressure""#) })
    }
}
