import ReactiveGraph
import Testing

@testable import Graphs
@testable import Sessions

@Suite("Nodes that nothing leads to (I-3)")
struct LeakedNodesTests {
    private let bench = Bench()

    /// A graph with a sync and links that close rings.
    private func define(_ name: String) throws -> LiveGraph {
        try bench.define(
            """
            {"graph": "\(name)", "nodes": {
              "a": {"set": "number", "initial": 1}, "b": {"set": "number"}, "c": {"set": "number"},
              "sum": {"combine": {"p": "a", "q": "b"}, "map": "p + q"}
            }, "sync": [{"a": "a", "b": "b"}],
               "links": [{"from": "sum", "to": "c", "pipe": [{"map": "value"}]},
                         {"from": "c", "to": "a", "pipe": [{"filter": "value < 0"}]}]}
            """
        )
    }

    /// So many nodes that hold each other, in place of a fault of the server.
    private func leak(_ count: Int, in graph: LiveGraph) -> () -> Void {
        let first = graph.core.mutable(1)
        var last: Node<Int> = first
        for _ in 1..<count { last = last.map { $0 } }
        let link = first.link(to: last)
        return { link?.cancel() }
    }

    @Test("I-3: a graph with rings has none, and the count costs no turn of its own")
    func healthy() throws {
        let graph = try define("g")
        let client = bench.connect()
        _ = client.ask(#"{"op":"sub","id":1,"graph":"g","node":"sum"}"#)
        #expect(bench.host.countLeaks(anew: true))
        #expect(graph.statistics.unreachable == 0)
        client.session.close(.reset)
        bench.endTurn()
        #expect(bench.host.countLeaks(anew: true) && graph.statistics.unreachable == 0)
    }

    @Test(
        "I-3: lost nodes are counted for their graph; a round continues where it stopped, and the next one sees the repair"
    )
    func lost() throws {
        let graphs = [try define("g"), try define("h"), try define("i")]
        let repairs = [leak(3_000, in: graphs[1]), leak(3, in: graphs[2])]
        var calls = 1
        var isDone = bench.host.countLeaks(anew: true)
        while !isDone, calls < 100 {
            isDone = bench.host.countLeaks(anew: false)
            calls += 1
        }
        #expect((2...10).contains(calls), "\(calls)")
        #expect(graphs.map(\.statistics.unreachable) == [0, 3_000, 3])
        for repair in repairs { repair() }
        #expect(bench.host.countLeaks(anew: true))
        #expect(graphs.map(\.statistics.unreachable) == [0, 0, 0])
    }

    @Test("I-3: a graph that changes between two steps keeps its last figure until the next round")
    func disturbed() throws {
        let graph = try define("g")
        let repair = leak(5_000, in: graph)
        #expect(!bench.host.countLeaks(anew: true))
        repair()
        #expect(bench.host.countLeaks(anew: false) && graph.statistics.unreachable == 0)
    }
}
