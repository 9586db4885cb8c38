import ReactiveGraph
import TestSupport
import Testing

@testable import GraphHost

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

    @Test("G-129: it comes with the first look-up, and stays when nobody needs it, until pressure")
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

    @Test("G-130: what is in use survives with its value, and is kept again from its next look-up on")
    func survives() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"sum"}"#)
        try bench.set(graph, [("x", "5")])
        let sum = try #require(graph.node("sum"))
        bench.host.flushUnused()
        #expect(!sum.isHeld && sum.living != nil)
        #expect("\(graph.read(sum).held)".contains("12"))
        #expect(sum.isHeld)
        _ = client.session.close(.closed)
        #expect(sum.living != nil)
        bench.host.flushUnused()
        #expect(sum.living == nil && graph.isWhole)
    }

    @Test("G-130: a survivor that nobody looked up again goes with its last user")
    func goes() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"sum"}"#)
        bench.host.flushUnused()
        let sum = try #require(graph.node("sum"))
        #expect(sum.living != nil)
        _ = client.session.close(.closed)
        #expect(sum.living == nil && graph.isWhole)
    }

    @Test("G-131: a graph that keeps as many as it may flushes before it keeps one more")
    func limit() throws {
        var limits = SessionLimits()
        limits.kept = 2
        let bench = Bench(limits: limits)
        let nodes = (0..<4).map {
            #""k\#($0)": {"from": "x", "pipe": [{"map": "value + \#($0)"}], "retain": "untilPressure"}"#
        }
        let text =
            #"{"graph": "g", "nodes": {"x": {"set": "number", "initial": 1}, "#
            + nodes.joined(separator: ", ") + "}}"
        let graph = try bench.define(text)
        func look(_ name: String) throws { _ = graph.read(try #require(graph.node(name))) }
        try look("k0")
        try look("k1")
        #expect(living(graph) == ["x", "k0", "k1"] && bench.host.statistics.pressureEvents == 0)
        try look("k0")
        try look("k2")
        #expect(living(graph) == ["x", "k2"])
        #expect(bench.host.statistics.pressureEvents == 1 && graph.registry.count == 1)
    }

    @Test("What goes by pressure is told to observers with that reason")
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
