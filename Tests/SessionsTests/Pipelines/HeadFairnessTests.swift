import ReactiveGraph
import TestSupport
import Testing

@testable import Definitions
@testable import Graphs
@testable import Sessions
import Support

@Suite("Client pipelines take turns, and no more of a turn than others can wait for")
struct HeadFairnessTests {
    @Test("Principals above their share take turns in a slice of each turn")
    func slices() throws {
        let bench = Bench.ofPipelines(burst: 1)
        let graph = try bench.define(PipelineGraph.text)
        let greedy = bench.jam(count: 50)
        let modest = bench.connect()
        modest.subscribe(1, #"[{"map":"value + 1"}]"#)
        try bench.submit(graph, [("x", "5")])
        var (turns, modestTurn) = (0, Int?.none)
        repeat {
            let before = bench.host.pipelines.total
            bench.turn()
            turns += 1
            #expect(bench.host.pipelines.total - before <= PipelineScheduler.slice + 9_000, "and one run")
            if !modest.take().isEmpty { modestTurn = turns }
        } while bench.host.isBehind
        #expect(turns >= 40, "50 pipelines of some 5,000 units")
        #expect(try #require(modestTurn) <= 3, "after one run of the other, and a turn without")
        #expect(greedy.take().count >= 40)
    }

    @Test("All principals together take no more of a turn than others can wait for")
    func crowd() throws {
        let bench = Bench.ofPipelines(burst: 100_000)
        let graph = try bench.define(PipelineGraph.text)
        let clients = (0..<100).map { place in
            let client = bench.connect()
            client.subscribe(1, "[\(PipelineGraph.expensive(300, place))]")
            bench.settle()
            return client
        }
        _ = clients.map { $0.take() }
        try bench.submit(graph, [("x", "5")])
        var turns = 0
        repeat {
            let before = bench.host.pipelines.total
            bench.turn()
            turns += 1
            #expect(bench.host.pipelines.total - before <= PipelineScheduler.share + 9_000)
        } while bench.host.isBehind
        #expect(turns > 10 && clients.allSatisfy { $0.take().updates() == [#""v":5"#] })
    }

    @Test("A principal with much to run leaves others their part of the same turn")
    func parts() throws {
        let bench = Bench.ofPipelines(burst: 1_000_000)
        let graph = try bench.define(PipelineGraph.text)
        let greedy = bench.connect()
        for id in 1...100 { greedy.subscribe(id, "[\(PipelineGraph.expensive(30, id))]") }
        let modest = bench.connect()
        modest.subscribe(1, #"[{"map":"value + 1"}]"#)
        bench.settle()
        _ = (greedy.take(), modest.take())
        try bench.submit(graph, [("x", "5")])
        bench.turn()
        #expect(bench.host.isBehind, "more than a turn has")
        #expect(modest.take().updates() == [#""v":6"#])
    }

    @Test("By what a long run takes more than its turn had, the next turns run less")
    func longRuns() throws {
        let bench = Bench.ofPipelines(burst: 1)
        let graph = try bench.define(PipelineGraph.text)
        let client = bench.jam(count: 3)
        try bench.submit(graph, [("x", "5")])
        var spent: [Int] = []
        repeat {
            let before = bench.host.pipelines.total
            bench.turn()
            spent.append(bench.host.pipelines.total - before)
        } while bench.host.isBehind
        #expect(client.take().count >= 2)
        let runs = spent.indices.filter { spent[$0] > 0 }
        #expect(runs.count == 3, "one run in a turn: each takes more than a slice")
        for (run, next) in zip(runs, runs.dropFirst()) {
            #expect((next - run + 1) * PipelineScheduler.slice >= spent[run], "\(spent)")
        }
    }

    @Test("Many sets of a client in mode all run its pipelines no longer than a turn allows")
    func ownSets() throws {
        let bench = Bench.ofPipelines(burst: 1_000_000, work: 1_000_000)
        _ = try bench.define(PipelineGraph.text)
        let client = bench.connect()
        for id in 1...20 { client.subscribe(id, "[\(PipelineGraph.expensive(600, id))]", #","mode":"all""#) }
        bench.settle()
        _ = client.take()
        let before = bench.host.pipelines.total
        for value in 1...20 {
            client.send(#"{"op":"set","id":\#(100 + value),"graph":"g","set":{"x":\#(value)}}"#)
        }
        bench.turn()
        #expect(bench.host.pipelines.total - before <= PipelineScheduler.share + 2 * 9_000)
        bench.settle()
        let messages = client.take()
        #expect(
            (1...20).allSatisfy { id in messages.updates(of: id).map { $0 } == (1...20).map { #""v":\#($0)"# }
            }
        )
    }

    @Test("Timers that ring together are shared out over turns")
    func timers() throws {
        let bench = Bench.ofPipelines(burst: 100_000)
        let graph = try bench.define(PipelineGraph.text)
        let client = bench.connect()
        for id in 1...150 { client.subscribe(id, #"[{"debounce":5},{"map":"value + \#(id)"}]"#) }
        bench.settle()
        bench.pass(10)
        _ = client.take()
        try bench.set(graph, [("x", "5")])
        bench.settle()
        bench.clock.advance(by: 5)
        var (turns, told) = (0, 0)
        while bench.host.nextDeadline == bench.clock.now {
            let before = bench.host.pipelines.total
            bench.turn()
            turns += 1
            #expect(bench.host.pipelines.total - before < PipelineScheduler.share / 2 + 200)
            told += client.take().reduce(0) { $0 + $1.split(separator: #"{"id":"#).count - 1 }
        }
        #expect(turns >= 3 && told == 150, "\(turns) turns, \(told)")
    }
}
