import Testing

@testable import GraphHost

@Suite("Ticks of graphs")
struct TickTests {
    @Test("A turn looks at graphs with timers only, whenever they are set")
    func timed() throws {
        let bench = Bench()
        for number in 0..<100 {
            try bench.define(#"{"graph": "quiet\#(number)", "nodes": {"x": {"set": "any"}}}"#)
        }
        let text =
            #"{"graph": "late", "nodes": {"x": {"set": "any"}, "y": {"from": "x", "retain": "always", "pipe": [{"delay": 20}]}}}"#
        let graph = try bench.define(text)
        #expect(bench.host.ticks.graphs.isEmpty && bench.host.nextDeadline == nil)
        for value in 1...2 {
            try bench.set(graph, [("x", "\(value)")])
            #expect(bench.host.ticks.graphs.count == 1)
            #expect(bench.host.nextDeadline == bench.clock.now + 20)
            bench.pass(21)
            #expect(try bench.read(graph, "y") == "\(value)")
            #expect(bench.host.ticks.graphs.isEmpty && bench.host.nextDeadline == nil)
        }
        try bench.set(graph, [("x", "3")])
        _ = bench.host.remove(graph)
        bench.endTurn()
        #expect(bench.host.ticks.graphs.isEmpty && bench.host.nextDeadline == nil)
    }
}
