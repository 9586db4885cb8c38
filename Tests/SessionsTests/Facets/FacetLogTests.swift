import Commits
import LogTestSupport
import ReactiveGraph
import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions

@Suite("Facets in the log")
struct FacetLogTests {
    private let log = FaultyLog()
    private let bench: Bench
    private let graph: LiveGraph

    init() throws {
        bench = Bench(log: log)
        graph = try bench.define(
            #"{"nodes": {"x": {"set": "any", "initial": 1}, "f": {"set": "any", "fresh": "100ms"}}}"#,
            named: "g"
        )
    }

    private func report(_ node: String, _ change: FacetChange) throws {
        var commit = Commit(graph: graph)
        commit.report(change, of: try #require(graph.node(node)))
        _ = bench.host.submit(commit)
        bench.endTurn()
    }

    /// The next start, at the same time.
    private func again() throws -> (bench: Bench, graph: LiveGraph) {
        let clock = ManualHostClock(now: bench.clock.now, wall: bench.clock.wall)
        let next = Bench(log: FaultyLog(after: log), clock: clock)
        let graph = try #require(try next.host.restore(graph: "g"))
        next.endTurn()
        bench.successors.append(next)
        return (next, graph)
    }

    private func play() throws {
        try report("x", .loading(progress: 0.3))
        try report("x", .failed(code: "offline", message: "the cable"))
        try report("x", .loading(progress: 0.7))
        try bench.set(graph, [("f", "1")])
        bench.pass(60)
        try report("f", .notModified)
        bench.pass(60)
    }

    @Test("L-3 facets come back as they were, from commits alone and from a snapshot; fresh continues")
    func restored() throws {
        try play()
        #expect(try again().graph.seen == graph.seen)
        log.storeSnapshot(of: "g")
        #expect(try again().graph.seen == graph.seen)
        try report("x", .invalidated)
        let (next, restored) = try again()
        #expect(restored.seen == graph.seen && restored.digest == graph.digest)
        for bench in [bench, next] { bench.pass(40) }
        #expect(restored.seen == graph.seen && restored.digest == graph.digest)
        let state = String(decoding: try #require(restored.node("f")).facetsJSON, as: UTF8.self)
        #expect(state == #"{"t":5000060,"stale":true}"#, "by a tick, one for both")
        #expect(restored.rev == 8)
    }

    @Test(
        "L-3 a replay comes to the same digest, which facets are part of; another definition leaves out what it lacks"
    )
    func replayed() throws {
        try play()
        let before = graph.digest
        try report("x", .invalidated)
        #expect(graph.digest != before)
        let replay = try Replay("g", from: log.reader, to: nil) { DefinitionOptions() }
        #expect(try replay.run().digest == graph.digest)
        let other = try replay.run { options in
            let text = #"{"nodes": {"f": {"set": "any"}}}"#
            let (definition, _) = GraphDefinition.read(
                try Document.parse(json: text),
                file: nil,
                named: "g",
                options: options
            )
            return try #require(definition)
        }
        #expect(other.stamp == LogStamp(rev: graph.rev, time: graph.time))
    }

    @Test("L-3 nothing is seen before the log has it, and what it refuses leaves no trace")
    func pending() throws {
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x","facets":true}"#)
        log.isSlow = true
        client.send(#"{"op":"load","id":2,"graph":"g","node":"x","loading":true}"#)
        client.send(#"{"op":"load","id":3,"graph":"g","node":"x","progress":0.5}"#)
        bench.endTurn()
        #expect(client.take().isEmpty)
        log.isSlow = false
        bench.endTurn()
        let answers = client.take()
        #expect(answers.count == 3 && answers.joined().contains(#""progress":0.5"#))
        log.refusal = HostError(.noSpace, "full")
        #expect(
            client.ask(#"{"op":"load","id":4,"graph":"g","node":"x","cancelled":true}"#).joined()
                .contains(#""op":"err","id":4"#)
        )
        #expect(graph.facets.facets(of: try #require(graph.node("x"))).isLoading)
    }

    @Test("L-3 what other servers report is applied here, and sent")
    func shared() throws {
        let log = FaultyLog()
        log.instance = "here"
        let bench = Bench(log: log)
        let graph = try bench.define(#"{"graph":"g","nodes":{"x":{"set":"any","initial":1}}}"#)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x","facets":true}"#)
        var entry = LogEntry(graph: "g")
        entry.reports = [.init("x", .loading(progress: nil))]
        log.receive(entry, wall: 5_000_000)
        bench.endTurn()
        #expect(
            client.take() == [
                #"{"op":"upd","graph":"g","rev":2,"t":5000000,"d":[{"id":1,"state":{"t":5000000,"loading":true}}]}"#
            ]
        )
        // One of our own that another came in front of is checked again.
        log.moves = 1
        client.ask(#"{"op":"load","id":2,"graph":"g","node":"x","loading":false,"if":{"x":{"v":1}}}"#)
        bench.endTurn()
        #expect(!graph.facets.facets(of: try #require(graph.node("x"))).isLoading)
    }
}
