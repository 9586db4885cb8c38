import ReactiveGraph
import TestSupport
import Testing
import Values

@testable import GraphHost

@Suite("Runs of stages pause where their share of a turn ends")
struct PausingTests {
    private let bench: Bench
    private let graph: LiveGraph

    init() throws {
        var limits = SessionLimits.ample
        limits.pipelineUnits = 500
        bench = Bench(limits: limits)
        graph = try bench.define(PipelineGraph.text)
    }

    /// Advances to the end, and checks that no turn takes much more than a slice.
    private func settle() -> Int {
        var turns = 0
        while bench.host.nextDeadline == bench.clock.now, turns < 1_000 {
            let before = bench.host.lanes.total
            bench.host.advance()
            bench.endTurn()
            turns += 1
            // Besides the slice, an operation that is not divided: `lists.range`.
            #expect(bench.host.lanes.total - before <= PipelineLanes.slice + 2_200)
        }
        return turns
    }

    /// An expression of some 9,000 units that gives `value`.
    private func dear(_ node: String = "value") -> String {
        "\(node) + 0 * lists.range(500).map(i, i + \(node)).size()"
    }

    @Test(
        "map, filter, scan and combine give the same whether they pause or not",
        arguments: ["latest", "all"]
    )
    func same(mode: String) throws {
        let client = bench.connect()
        let requests = [
            #""node":"x","pipe":[{"map":"\#(dear())"}]"#,
            #""node":"x","pipe":[{"filter":"\#(dear()) > 2"}]"#,
            #""node":"x","pipe":[{"scan":{"start":0,"with":"acc + \#(dear())"}}]"#,
            #""combine":{"a":"x","b":"y"},"map":"b + \#(dear("a"))""#,
            #""node":"x","pipe":[{"map":"\#(dear()) + 'text'"}]"#,
        ]
        for (place, request) in requests.enumerated() {
            client.ask(#"{"op":"sub","id":\#(place + 1),"graph":"g",\#(request),"mode":"\#(mode)"}"#)
            _ = settle()
        }
        _ = client.take()
        for value in [5, 1, 7] { try bench.set(graph, [("x", "\(value)"), ("y", "\(10 * value)")]) }
        #expect(settle() > 10)
        let messages = client.take().joined()
        let held = (1...5).map { client.session.subscription($0)?.node?.value?.text ?? "" }
        #expect(held[0] == "7" && held[1] == "7" && held[3] == "77")
        #expect(held[2] == "14", "x is 1 at the beginning, and each later value counts once")
        #expect(held[4].contains("expr_type"))
        let all = [#"{"id":1,"v":5"#, #"{"id":1,"v":1"#, #"{"id":1,"v":7"#]
        for value in all.dropLast() { #expect(messages.contains(value) == (mode == "all")) }
        client.session.close()
        #expect(graph.chains.all.isEmpty && graph.backlogs.isEmpty && graph.isWhole)
    }

    @Test("A wide combine pays for its row once, and takes no more turns than a narrow one")
    func wide() throws {
        let client = bench.connect()
        let inputs = Array(repeating: #""x""#, count: 1_000).joined(separator: ",")
        client.ask(
            #"{"op":"sub","id":1,"graph":"g","combine":[\#(inputs)],"map":"\#(dear("value[0]"))"}"#
        )
        _ = settle()
        _ = client.take()
        try bench.set(graph, [("x", "5")])
        #expect((2...6).contains(settle()))
        #expect(client.take().joined().contains(#""v":5"#))
    }

    @Test("A run that has paused is finished before newer values, which are folded")
    func newer() throws {
        let client = bench.connect()
        client.subscribe(1, #"[{"map":"\#(dear())"}]"#)
        _ = settle()
        _ = client.take()
        try bench.set(graph, [("x", "2")])
        bench.host.advance()
        bench.endTurn()
        for value in 3...5 { try bench.set(graph, [("x", "\(value)")]) }
        #expect(client.take().isEmpty)
        _ = settle()
        let messages = client.take()
        #expect(messages.first?.contains(#""v":2}"#) == true)
        #expect(messages.last?.contains(#""v":5,"n":3"#) == true && messages.count == 2)
    }

    @Test("What has paused goes with its subscription")
    func gone() throws {
        let client = bench.connect()
        client.subscribe(1, #"[{"map":"\#(dear())"}]"#)
        bench.host.advance()
        bench.endTurn()
        #expect(bench.host.lanes.isWaiting)
        client.session.close()
        _ = settle()
        #expect(graph.chains.all.isEmpty && graph.backlogs.isEmpty && graph.isWhole)
    }
}
