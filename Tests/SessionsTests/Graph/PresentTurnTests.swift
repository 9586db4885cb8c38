import Testing

@testable import Graphs
@testable import Sessions

@Suite("What holds during a turn of a graph")
struct PresentTurnTests {
    private let bench = Bench()
    private let graph: LiveGraph

    init() throws {
        graph = try bench.define(
            """
            {"graph": "g", "nodes": {
              "x": {"set": "any", "initial": 1},
              "s.{id}": {"set": "any", "expire": "1h"},
              "time": {"from": "x", "pipe": [{"map": "time"}]}}}
            """
        )
    }

    /// Whether nothing is left of calls that have returned.
    private var isOver: Bool {
        let present = graph.present
        return present.commit === present.newest && !present.isLate && present.replaced == 0
            && present.time == nil && present.building == nil && present.payer == nil
    }

    @Test("It is for the length of a call, and calls within it add to it")
    func nested() {
        graph.present.during({ $0.time = 5 }) {
            graph.charging("ann") {
                #expect(graph.evaluationTime == 5 && graph.present.payer != nil)
            }
            #expect(graph.evaluationTime == 5 && graph.present.payer == nil)
        }
        #expect(graph.evaluationTime == graph.time && isOver)
    }

    @Test("Nothing of it is left after commits, members, late pipelines and a new definition")
    func leavesNothing() throws {
        let client = bench.connect()
        client.ask(
            #"{"op":"sub","id":1,"graph":"g","node":"x","pipe":[{"map":"value"}],"mode":"all"}"#
        )
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"time"}"#)
        client.ask(#"{"op":"sub","id":3,"graph":"g","node":"s.a"}"#)
        #expect(isOver)
        try bench.submit(graph, [("x", "2"), ("s.b", "3")], by: "ann")
        try bench.submit(graph, [("x", "3")])
        bench.endTurn()
        #expect(isOver)
        try bench.redefine(graph, #""x":{"set":"any"},"time":{"from":"x","pipe":[{"map":"[time]"}]}"#)
        #expect(isOver)
        #expect(client.take().contains { $0.contains(#"{"id":1,"v":3}"#) })
    }
}
