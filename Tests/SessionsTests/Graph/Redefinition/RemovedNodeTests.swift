import Testing

@testable import Graphs
@testable import Sessions

/// What clients' pipelines do when a node that they name is removed.
@Suite("Removed nodes in pipelines")
struct RemovedNodeTests {
    private let bench = Bench()
    private let graph: LiveGraph

    init() throws {
        graph = try bench.define(
            """
            {"graph":"g","nodes":{"key":{"set":"any","initial":"a"},"a":{"set":"any","initial":1},
              "b":{"set":"any","initial":2},"c":{"from":"b"}}}
            """
        )
    }

    @Test(
        "A flatten ends with any of the nodes it may choose, whichever it has chosen",
        arguments: ["a", "b", "c"]
    )
    func flatten(chosen: String) throws {
        try bench.set(graph, [("key", "\"\(chosen)\"")])
        let client = bench.connect()
        client.ask(
            #"{"op":"sub","id":1,"graph":"g","flatten":{"from":"key","to":{"a":"a","b":"b"},"otherwise":"c"},"pipe":["distinct"]}"#
        )
        client.ask(#"{"op":"sub","id":2,"graph":"g","flatten":{"from":"key","to":{"a":"a"}}}"#)
        let smaller = try bench.definition(
            #"{"graph":"g","nodes":{"key":{"set":"any","initial":"a"},"a":{"set":"any","initial":1}}}"#
        )
        _ = bench.host.redefine(graph, as: smaller)
        bench.host.flush()
        #expect(client.take().first?.hasPrefix(#"{"op":"end","id":1,"code":"node_removed""#) == true)
        for key in ["b", "nobody", "a"] { try bench.set(graph, [("key", "\"\(key)\"")]) }
        #expect(client.take().last?.contains(#"{"id":2,"v":1"#) == true)
        client.session.close()
        #expect(graph.isWhole)
        #expect(graph.statistics.nodes == 2)
    }
}
