import Commits
import LogTestSupport
import Testing

@testable import Definitions
@testable import Graphs
@testable import Sessions

private let graphText = #"""
    {"nodes": {"x": {"set": "number", "initial": 1}, "y": {"set": "any"},
      "mean": {"from": "x", "retain": "always", "pipe": [{"window": {"count": 3, "of": "avg"}}]}}}
    """#

@Suite("A log played again")
struct ReplayTests {
    private let log = FaultyLog()
    private let bench: Bench
    private let graph: LiveGraph

    init() throws {
        bench = Bench(log: log)
        graph = try bench.define(graphText, named: "g")
        for value in [4, 7, 10, 13] { try bench.set(graph, [("x", "\(value)")]) }
    }

    private func replay(to rev: UInt64? = nil) throws -> Replay {
        try Replay("g", from: log.reader, to: rev) { DefinitionOptions() }
    }

    @Test("It comes to the same rev, time and digest, at every rev")
    func same() throws {
        let outcome = try replay().run()
        #expect(outcome.stamp == LogStamp(rev: 5, time: bench.clock.wall) && outcome.commits == 5)
        #expect(outcome.digest == graph.digest && outcome.snapshot == nil && outcome.skipped == 0)
        var digests: Set<String> = []
        for rev in UInt64(1)...5 { digests.insert(try #require(try replay(to: rev).run().digest)) }
        #expect(digests.count == 5)
    }

    @Test("A snapshot on the way has to say what the commits make")
    func snapshots() throws {
        log.storeSnapshot(of: "g")
        try bench.set(graph, [("x", "16")])
        let good = try replay().run()
        #expect(good.snapshot?.rev == 5 && good.snapshot?.agrees == true && good.digest == graph.digest)
        // One of another past, at the same rev.
        let other = FaultyLog()
        let forged = Bench(log: other)
        let twin = try forged.define(graphText, named: "g")
        for value in [4, 7, 10, 14, 16, 16] { try forged.set(twin, [("x", "\(value)")]) }
        log.storeSnapshot(try #require(other.follower?.snapshot(of: "g")), of: "g")
        try bench.set(graph, [("x", "16")])
        let bad = try replay().run()
        #expect(bad.snapshot?.rev == 7 && bad.snapshot?.agrees == false)
    }

    @Test("Another definition: what differs is named, what does not fit is left out and counted")
    func otherDefinition() throws {
        try bench.set(graph, [("y", #""a""#)])
        let same = try bench.definition(graphText.replacing("\"any\"", with: "\"number\""), named: "g")
        _ = bench.host.redefine(graph, as: same)
        bench.endTurn()
        try bench.set(graph, [("x", "400"), ("y", "5")])
        func run(_ text: String) throws -> Replay.Outcome {
            try replay().run { options in
                let (definition, _) = GraphDefinition.read(
                    try Document.parse(json: text),
                    file: nil,
                    named: "g",
                    options: options
                )
                return try #require(definition)
            }
        }
        #expect(try run(graphText).differences == [])
        let strict = try run(
            graphText.replacing(#""set": "number","#, with: #""set": "number", "max": 100,"#)
                .replacing("\"y\"", with: "\"z\"")
        )
        #expect(strict.stamp.rev == graph.rev && strict.skipped == 3)
        #expect(
            strict.differences == [
                Replay.Difference(node: "mean", before: "141", after: "10"),
                Replay.Difference(node: "x", before: "400", after: "13"),
                Replay.Difference(node: "y", before: "5", after: nil),
            ]
        )
    }

    @Test("A graph that ended and began again is played through; revs that are not kept are refused")
    func ended() throws {
        _ = bench.host.remove(graph)
        bench.endTurn()
        #expect(try replay().run().digest == nil)
        let anew = try bench.define(graphText, named: "g")
        try bench.set(anew, [("x", "2")])
        #expect(try replay().run().digest == anew.digest)
        #expect(throws: StoreError("graph g is stored from rev 1 to 8, not at 9")) { try replay(to: 9) }
        #expect(throws: StoreError("no data is stored for a graph 'h'")) {
            try Replay("h", from: log.reader, to: nil) { DefinitionOptions() }
        }
    }

    @Test("The digest leaves out values that depend on reads")
    func varying() throws {
        let text = #"""
            {"nodes": {"x": {"set": "number"}, "m": {"set": "number"}, "n": {"set": "number"},
              "plain": {"from": "x", "retain": "always", "pipe": [{"map": "value"}]},
              "state": {"from": "x", "pipe": [{"scan": {"start": 0, "with": "acc + 1"}}]},
              "brief": {"from": "x", "retain": "whileInUse", "pipe": [{"scan": {"start": 0, "with": "acc + 1"}}]},
              "lazy": {"from": "brief", "pipe": [{"map": "value"}]}, "after": {"from": "lazy", "retain": "always", "pipe": [{"map": "value"}]},
              "either": {"flatten": {"from": "x", "to": {"1": "plain"}, "otherwise": "after"}}},
             "links": [{"from": "after", "to": "m"}], "sync": [{"a": "m", "b": "n"}]}
            """#
        let graph = try Bench().define(text, named: "v")
        #expect(graph.definition.replayedNodes.map(\.name) == ["x", "plain", "state"])
    }
}
