import HostTestSupport
import Testing

@testable import GraphHost

@Suite("Work that waits goes on in small shares, whatever else waits")
struct RemainderTests {
    /// Ends turns until nothing waits.
    private func settle(_ bench: Bench) {
        while bench.host.nextDeadline.map({ $0 <= bench.clock.now }) == true { turn(bench) }
    }

    private func turn(_ bench: Bench) {
        bench.host.advance()
        bench.endTurn()
    }

    @Test("Clients that have gone, requests and pipelines take turns; none of them is left out")
    func kinds() throws {
        var limits = SessionLimits()
        limits.work = 100
        limits.pipelineUnits = 100
        let bench = Bench(limits: limits)
        let graph = try bench.define(PipelineGraph.text)
        let leaving = bench.connect()
        for id in 1...600 { leaving.subscribe(id, #"[{"map":"value + \#(id)"}]"#, to: "y") }
        let greedy = bench.connect()
        for id in 1...20 { greedy.subscribe(id, "[\(PipelineGraph.expensive(500, id))]") }
        settle(bench)
        try bench.set(graph, [("x", "5")])
        let asking = bench.connect()
        let gets = (1...300).map { #"{"op":"get","id":\#($0),"graph":"g","nodes":["x"]}"# }
        asking.send("[\(gets.joined(separator: ","))]")
        leaving.session.close()
        bench.endTurn()
        _ = asking.take()

        var kinds: [Int] = []
        var waiting = 3
        while waiting > 1 {
            let (released, units) = (graph.statistics.released, bench.host.lanes.total)
            turn(bench)
            let progress = [
                graph.statistics.released > released, !asking.take().isEmpty, bench.host.lanes.total > units,
            ]
            #expect(progress.count { $0 } == 1, "one kind in turn \(kinds.count)")
            if waiting == 3 { kinds.append(progress.firstIndex(of: true) ?? -1) }
            let sessions = bench.host.sessions
            waiting = [sessions.isReleasing, sessions.hasUnfinished, bench.host.lanes.isWaiting].count { $0 }
        }
        #expect(kinds.count >= 6, "\(kinds)")
        for (place, kind) in kinds.enumerated() { #expect(kind == (kinds[0] + place) % 3) }
        settle(bench)
        #expect(graph.statistics.nodes == 2 + 20, "x, y and the pipelines of one client")
    }

    @Test("A hundred timers of private stages ring in one turn, the others in the next ones")
    func timers() throws {
        let bench = Bench()
        let graph = try bench.define(PipelineGraph.text)
        let client = bench.connect()
        for id in 1...250 { client.subscribe(id, #"[{"map":"value + \#(id)"},{"debounce":5}]"#) }
        settle(bench)
        try bench.set(graph, [("x", "7")])
        _ = client.take()
        bench.clock.advance(by: 5)
        var counts: [Int] = []
        while bench.host.nextDeadline.map({ $0 <= bench.clock.now }) == true {
            turn(bench)
            counts.append(client.take().joined().split(separator: #"{"id":"#).count - 1)
        }
        #expect(counts == [100, 100, 50])
    }

    @Test("The newest emission takes the place of the one that waits, with its commit's author and time")
    func newest() throws {
        var limits = SessionLimits()
        limits.pipelineUnits = 100
        let bench = Bench(limits: limits)
        let graph = try bench.define(PipelineGraph.text)
        let client = bench.connect()
        client.subscribe(99, "[\(PipelineGraph.expensive(400, 99))]", to: "y")
        client.subscribe(1, #"[{"map":"[value, 7]"}]"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","combine":{"a":"x","b":"y"},"map":"a + b"}"#)
        settle(bench)
        _ = client.take()
        for value in 2...4 {
            try bench.submit(graph, [("x", "\(value)"), ("y", "10")], by: "writer \(value)")
            bench.endTurn()
        }
        let kept = client.session.subscription(1)?.pipeline?.account.held
        try bench.submit(graph, [], clear: ["x"], by: "writer 5")
        try bench.submit(graph, [("x", "6")], by: "writer 6")
        #expect(client.session.subscription(1)?.pipeline?.account.held == kept, "nothing more is held")
        settle(bench)
        let messages = client.take().joined()
        #expect(messages.contains(#"{"id":1,"v":[6,7],"n":5}"#))
        #expect(messages.contains(#"{"id":2,"v":16"#))
        #expect(messages.contains(#""by":"writer 6""#) && !messages.contains("writer 4"))
    }
}
