import ReactiveGraph
import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions

@Suite("Bytes that the pipelines of one principal hold")
struct HeldTests {
    private static let graph = #"{"graph":"g","nodes":{"x":{"set":"any"},"y":{"set":"any"}}}"#

    private func bench(_ held: Int) throws -> (Bench, LiveGraph) {
        var limits = SessionLimits.ample
        limits.held = held
        let bench = Bench(limits: limits)
        return (bench, try bench.define(Self.graph))
    }

    private func text(_ count: Int, _ letter: String = "t") -> String {
        "\"" + String(repeating: letter, count: count) + "\""
    }

    /// Besides the stages themselves.
    private func held(_ client: Client) -> Int {
        guard let account = client.session.extras?.ownAccount else { return 0 }
        let stages = client.session.subscriptions.first?.graph.chains.all ?? []
        return stages.reduce(account.held) { $1.segment.holder === account ? $0 - $1.meter.own : $0 }
    }

    private func ends(_ messages: [String]) -> Int { messages.count { $0.contains(#""code":"slow""#) } }

    @Test(
        "limits.held: values that stages make count, those that they pass on do not; too many end with slow"
    )
    func values() throws {
        let (bench, graph) = try bench(70_000)
        let client = bench.connect()
        let other = bench.connect()
        for id in 1...10 { client.subscribe(id, #"[{"map":"value + '\#(id)'"}]"#) }
        for id in 11...15 {
            client.subscribe(id, #"[{"filter":"value != '\#(id)'"},"distinct",{"ignore":\#(id)}]"#)
        }
        other.subscribe(1, #"[{"map":"value + 'o'"}]"#)
        try bench.set(graph, [("x", text(4_000))])
        bench.settle()
        #expect((40_000..<50_000).contains(held(client)), "\(held(client))")
        #expect(ends(client.take()) == 0)
        try bench.set(graph, [("x", text(8_000))])
        bench.settle()
        #expect(held(client) <= 52_000)
        #expect(ends(client.take()) == 4, "what they held makes room for two others")
        #expect(other.take().count == 2 && other.session.subscriptionCount == 1)
        try bench.set(graph, [("x", text(10))])
        bench.settle()
        #expect(held(client) < 1_000, "\(held(client))")
        client.session.close()
        #expect(held(client) == 0 && graph.isWhole)
    }

    @Test("A principal that holds as much as it may gets no more pipelines: pipe_limit")
    func admission() throws {
        let (bench, graph) = try bench(10_000)
        try bench.set(graph, [("x", text(4_000))])
        let client = bench.connect()
        var refused = 0
        for id in 1...6
        where client.subscribe(id, #"[{"map":"value + '\#(id)'"}]"#)[0].contains("pipe_limit") {
            refused += 1
        }
        #expect(refused == 3)
        #expect(client.ask(#"{"op":"sub","id":9,"graph":"g","node":"x"}"#)[0].contains("snap"))
        client.ask(#"{"op":"unsub","id":1}"#)
        #expect(client.subscribe(6, #"[{"map":"value + '6'"}]"#)[0].contains("snap"))
    }

    @Test(
        "What windows, delays, throttles and zips keep counts while they keep it",
        arguments: [
            #"[{"window":{"count":100,"of":"list"}}]"#, #"[{"window":{"count":100,"of":"first"}}]"#,
            #"[{"delay":"1h"}]"#,
            #"[{"window":{"last":"1h","of":"first"}}]"#, "zip",
        ]
    )
    func operators(pipe: String) throws {
        let (bench, graph) = try bench(100_000)
        let client = bench.connect()
        if pipe == "zip" {
            client.ask(#"{"op":"sub","id":1,"graph":"g","zip":["x","y"]}"#)
        } else {
            client.subscribe(1, pipe)
        }
        for _ in 0..<8 { try bench.set(graph, [("x", text(4_000))]) }
        let before = held(client)
        #expect((32_000...70_000).contains(before), "\(before)")
        for _ in 0..<30 { try bench.set(graph, [("x", text(4_000))]) }
        bench.settle()
        #expect(ends(client.take()) == 1)
        #expect(held(client) == 0)
        client.session.close()
        #expect(graph.isWhole)
    }

    @Test("What is no longer kept no longer counts")
    func shrinking() throws {
        let (bench, graph) = try bench(100_000)
        let client = bench.connect()
        client.subscribe(1, #"[{"window":{"count":3,"of":"first"}}]"#)
        client.subscribe(2, #"[{"delay":10}]"#)
        client.ask(#"{"op":"sub","id":3,"graph":"g","zip":["x","y"]}"#)
        for _ in 0..<50 {
            try bench.set(graph, [("x", text(4_000)), ("y", "1")])
            bench.pass(10)
        }
        #expect(ends(client.take()) == 0 && held(client) < 30_000, "\(held(client))")
        for _ in 0..<3 { try bench.set(graph, [("x", "1"), ("y", "1")]) }
        bench.pass(10)
        #expect(held(client) < 300, "\(held(client))")
    }

    @Test("A window that counts keeps no values; one over numbers keeps numbers")
    func numbers() throws {
        let (bench, graph) = try bench(1_000_000)
        let client = bench.connect()
        client.subscribe(1, #"[{"window":{"count":100,"of":"count"}}]"#)
        client.subscribe(2, #"[{"window":{"count":100,"of":"p50"}}]"#, to: "y")
        for value in 0..<200 {
            try bench.set(graph, [("x", text(4_000)), ("y", "\(value)")])
            bench.pass(1)
        }
        #expect(held(client) == 2 * 100 * 40)
    }

    @Test("What several principals share counts for one of them, and for another one when that leaves")
    func shared() throws {
        let (bench, graph) = try bench(100_000)
        let clients = (0..<3).map { _ in bench.connect() }
        for client in clients { client.subscribe(1, #"[{"map":"value + 'k'"}]"#) }
        try bench.set(graph, [("x", text(4_000))])
        #expect(clients.map(held) == [4_001, 0, 0])
        clients[0].session.close()
        #expect(clients.map(held).sorted() == [0, 0, 4_001] && held(clients[0]) == 0)
        clients[1].session.close()
        #expect(clients.map(held) == [0, 0, 4_001])
        clients[2].session.close()
        #expect(clients.map(held) == [0, 0, 0])
    }

    /// A list whose tree takes thirty times as much as its text.
    private func nested(_ count: Int) -> String {
        "[" + Array(repeating: "[1]", count: count).joined(separator: ",") + "]"
    }

    @Test(
        "The tree of an input counts for the client whose stage is the first to read it, and goes with its pipeline",
        arguments: [
            #""node":"x","pipe":[{"map":"size(value)"}]"#,
            #""node":"x","pipe":[{"filter":"size(value) == 1"}]"#,
            #""node":"x","pipe":[{"map":"value + 1"}]"#, #""combine":["x","y"],"map":"size(value[0])""#,
        ]
    )
    func trees(pipeline: String) throws {
        let (bench, graph) = try bench(1_000_000)
        try bench.set(graph, [("x", nested(1_000)), ("y", "1")])
        let node = try #require(graph.node("x"))
        let clients = [bench.connect(), bench.connect()]
        for client in clients {
            let answer = client.ask(#"{"op":"sub","id":1,"graph":"g",\#(pipeline)}"#)
            #expect(answer.count == 1 && answer[0].contains("snap"), "\(answer)")
        }
        #expect(
            (100_000..<200_000).contains(held(clients[0])) && held(clients[1]) < 1_000,
            "shared, or read before"
        )
        try bench.set(graph, [("x", nested(2_000))])
        bench.settle()
        #expect((200_000..<400_000).contains(held(clients[0])), "\(held(clients[0]))")
        try bench.set(graph, [("x", "[1]")])
        bench.settle()
        #expect(held(clients[0]) < 1_000)
        try bench.set(graph, [("x", nested(1_000))])
        bench.settle()
        let value = node.living?.value
        for client in clients { client.session.close() }
        #expect(clients.map(held) == [0, 0])
        #expect(value?.treeBytes == 0 && value?.text == nested(1_000))
    }

    @Test("The tree of an earlier input that a stage gives counts for the stage that reads it")
    func treesOfEarlierInputs() throws {
        let (bench, graph) = try bench(1_000_000)
        let client = bench.connect()
        client.subscribe(1, #"[{"window":{"count":2,"of":"first"}},{"map":"size(value)"}]"#)
        for _ in 0..<3 { try bench.set(graph, [("x", nested(1_000))]) }
        bench.settle()
        #expect((100_000..<200_000).contains(held(client)), "\(held(client))")
    }

    @Test("Trees that a principal may not hold end the pipelines that read them with slow")
    func manyTrees() throws {
        var limits = SessionLimits.ample
        limits.held = 1_000_000
        let bench = Bench(limits: limits)
        let names = (0..<20).map { "n\($0)" }
        let graph = try bench.define(nodes: names.map { #""\#($0)":{"set":"any"}"# }.joined(separator: ","))
        let client = bench.connect()
        for (id, name) in names.enumerated() {
            client.subscribe(id + 1, #"[{"map":"size(value)"}]"#, to: name)
        }
        _ = client.take()
        for name in names {
            try bench.set(graph, [(name, nested(1_000))])
            bench.settle()
            #expect(held(client) <= 1_000_000)
        }
        let slow = ends(client.take())
        #expect((10...15).contains(slow) && client.session.subscriptionCount == 20 - slow)
        let trees = names.compactMap { graph.node($0)?.living?.value?.treeBytes }.filter { $0 > 0 }
        #expect(trees.count == 20 - slow, "the others are let go")
        client.session.close()
        #expect(names.allSatisfy { graph.node($0)?.living?.value?.treeBytes == 0 } && graph.isWhole)
    }
}
