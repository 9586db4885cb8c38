import ReactiveGraph
import Testing

@testable import GraphHost

@Suite("Stages of a principal above its share stay parked when they have handled all")
struct RestingTests {
    private static let count = 200

    /// A host whose principals may spend `burst` units at once, and earn half of that in a
    /// millisecond.
    private func bench(burst: Int) -> Bench {
        var limits = SessionLimits.ample
        limits.pipelineUnits = burst * 500
        return Bench(limits: limits)
    }

    /// A turn of the loop in which nothing else happens, and no time passes.
    private func turn(_ bench: Bench) {
        bench.host.advance()
        bench.endTurn()
    }

    /// A client with cheap pipelines that have had to wait for their principal's share, and rest.
    private func resting(_ bench: Bench, _ graph: LiveGraph, _ more: String = "") throws -> Client {
        let client = bench.connect()
        for id in 1...Self.count { client.subscribe(id, #"[{"map":"value + \#(id)"}]"#, more) }
        bench.settle()
        try bench.set(graph, [("x", "2")])
        while bench.host.lanes.isWaiting { turn(bench) }
        _ = client.take()
        #expect(!graph.backlogs.isEmpty, "they rest")
        return client
    }

    /// What the client receives about its subscriptions, in order.
    private func updates(_ client: Client) -> [String] {
        client.take().flatMap { message in
            message.split(separator: #"{"id":"#).dropFirst().map { "\($0.prefix { $0 != "}" })" }
        }
    }

    @Test("A commit costs nothing for each of them; they handle it in later turns")
    func cheap() throws {
        let bench = bench(burst: 1_000)
        let graph = try bench.define(PipelineGraph.text)
        let client = try resting(bench, graph)
        let before = bench.host.lanes.total
        try bench.set(graph, [("x", "5")])
        #expect(bench.host.lanes.total - before == 75, "the emission is recorded, and they are called")
        #expect(client.take().isEmpty)
        var (turns, told) = (0, [String]())
        while bench.host.lanes.isWaiting {
            let before = bench.host.lanes.total
            turn(bench)
            turns += 1
            #expect(bench.host.lanes.total - before < PipelineLanes.slice + 200)
            told += updates(client)
        }
        #expect(turns > 5 && told.count == Self.count)
        #expect(Set(told) == Set((1...Self.count).map { #"\#($0),"v":\#($0 + 5)"# }))
    }

    @Test("When the principal has earned something, as many as that allows handle it within the commit")
    func earned() throws {
        let bench = bench(burst: 1_000)
        let graph = try bench.define(PipelineGraph.text)
        let client = try resting(bench, graph)
        bench.pass(1_000)
        try bench.set(graph, [("x", "5")])
        // 92 units each.
        #expect((9...15).contains(updates(client).count))
        while bench.host.lanes.isWaiting { turn(bench) }
        #expect(updates(client).count > Self.count - 30)
        // Those are in service again.
        let before = bench.host.work
        bench.pass(1_000)
        try bench.set(graph, [("x", "6")])
        #expect(bench.host.work - before < 60 && (9...23).contains(updates(client).count))
    }

    @Test("In mode all they handle every emission, in order")
    func all() throws {
        let bench = bench(burst: 1_000)
        let graph = try bench.define(PipelineGraph.text)
        let client = try resting(bench, graph, #","mode":"all""#)
        for value in 3...6 { try bench.set(graph, [("x", "\(value)")]) }
        turn(bench)
        for value in 7...8 { try bench.set(graph, [("x", "\(value)")]) }
        while bench.host.lanes.isWaiting { turn(bench) }
        let told = updates(client)
        for id in 1...Self.count {
            #expect(
                told.filter { $0.hasPrefix("\(id),") } == (3...8).map { #"\#(id),"v":\#($0 + id)"# }
            )
        }
    }

    @Test("mod to mode all while they rest: from then on every emission comes")
    func mod() throws {
        let bench = bench(burst: 1_000)
        let graph = try bench.define(PipelineGraph.text)
        let client = try resting(bench, graph)
        client.ask(#"{"op":"mod","id":999,"sub":7,"mode":"all"}"#)
        for value in 3...5 { try bench.set(graph, [("x", "\(value)")]) }
        while bench.host.lanes.isWaiting { turn(bench) }
        let told = updates(client)
        #expect(told.filter { $0.hasPrefix("7,") } == (3...5).map { #"7,"v":\#($0 + 7)"# })
        #expect(told.filter { $0.hasPrefix("8,") } == [#"8,"v":13,"n":3"#])
        client.ask(#"{"op":"mod","id":999,"sub":7,"mode":"latest"}"#)
        for value in 6...7 { try bench.set(graph, [("x", "\(value)")]) }
        while bench.host.lanes.isWaiting { turn(bench) }
        #expect(updates(client).filter { $0.hasPrefix("7,") } == [#"7,"v":14,"n":2"#])
    }

    @Test("A newcomer within its share has the present value, and the next one within its commit")
    func newcomer() throws {
        let bench = bench(burst: 1_000)
        let graph = try bench.define(PipelineGraph.text)
        _ = try resting(bench, graph)
        let modest = bench.connect()
        let snap = modest.subscribe(1, #"[{"map":"value + 7"}]"#)
        #expect(snap.first?.contains(#""v":9"#) == true && graph.chains.all.count == Self.count)
        try bench.set(graph, [("x", "5")])
        #expect(updates(modest) == [#"1,"v":12"#])
    }

    @Test("Who comes while they still have an emission to handle sees the present value")
    func newcomerMeanwhile() throws {
        let bench = bench(burst: 1_000)
        let graph = try bench.define(PipelineGraph.text)
        let client = try resting(bench, graph)
        try bench.set(graph, [("x", "5")])
        let modest = bench.connect()
        let snap = modest.subscribe(1, #"[{"map":"value + \#(Self.count)"}]"#)
        #expect(snap.first?.contains(#""v":205"#) == true)
        while bench.host.lanes.isWaiting { turn(bench) }
        #expect(updates(client).count == Self.count && updates(modest).isEmpty)
    }

    @Test("n counts what earlier stages have replaced, too", arguments: 1...3)
    func counted(stages: Int) throws {
        let bench = bench(burst: 1_000)
        let graph = try bench.define(PipelineGraph.text)
        let client = bench.connect()
        for id in 1...40 {
            let pipe = (1...stages).map { _ in #"{"map":"value + \#(id) - \#(id)"}"# }.joined(separator: ",")
            client.subscribe(id, "[\(pipe)]")
        }
        bench.settle()
        _ = client.take()
        for round in 1...4 {
            for value in 1...3 { try bench.set(graph, [("x", "\(10 * round + value)")]) }
            while bench.host.lanes.isWaiting { turn(bench) }
            var counts: [Substring: Int] = [:]
            for update in updates(client) {
                let parts = update.split(separator: ",")
                let count =
                    parts.last?.hasPrefix(#""n":"#) == true ? Int(parts.last?.dropFirst(4) ?? "") : nil
                counts[parts[0], default: 0] += count ?? 1
            }
            #expect(counts.count == 40 && counts.values.allSatisfy { $0 == 3 }, "\(round): \(counts)")
        }
    }

    @Test("What has left takes no memory, although no emission comes")
    func gone() throws {
        let bench = bench(burst: 1_000)
        let graph = try bench.define(PipelineGraph.text)
        _ = try resting(bench, graph)
        let backlog = try #require(graph.backlogs.values.first)
        let before = backlog.restingCount
        for round in 0..<200 {
            let passing = bench.connect()
            passing.subscribe(1, "[\(PipelineGraph.expensive(400, round))]")
            bench.settle()
            passing.session.close()
            bench.settle()
            #expect(backlog.restingCount == before)
        }
    }

    @Test("The stages of one principal do not keep those of another one waiting")
    func fair() throws {
        let bench = bench(burst: 1_000)
        let graph = try bench.define(PipelineGraph.text)
        let modest = bench.connect()
        modest.subscribe(1, #"[{"map":"value * 2"}]"#)
        modest.subscribe(2, "[\(PipelineGraph.expensive(400))]", to: "y")
        bench.settle()
        _ = try resting(bench, graph)
        _ = modest.take()
        try bench.set(graph, [("x", "5")])
        turn(bench)
        turn(bench)
        #expect(updates(modest).first == #"1,"v":10"#)
    }

    @Test("They go with their subscription, their connection and their graph")
    func release() throws {
        let bench = bench(burst: 1_000)
        let graph = try bench.define(PipelineGraph.text)
        let client = try resting(bench, graph, #","mode":"all""#)
        for id in 1...10 { client.ask(#"{"op":"unsub","id":\#(id)}"#) }
        try bench.set(graph, [("x", "5")])
        turn(bench)
        client.ask(#"{"op":"unsub","id":\#(Self.count)}"#)
        let account = try #require(client.session.subscription(11)?.pipeline?.account)
        client.session.close()
        bench.settle()
        #expect(account.held == 0 && account.waiting.isEmpty)
        #expect(graph.chains.all.isEmpty && graph.backlogs.isEmpty && graph.isWhole)
        _ = try resting(bench, graph)
        try bench.set(graph, [("x", "5")])
        _ = bench.host.remove(graph)
        while bench.host.lanes.isWaiting { turn(bench) }
        #expect(graph.chains.all.isEmpty && graph.core.counts.liveNodes == 0)
    }

    @Test("Recording an emission for them uses their principal's share, not other clients' turn")
    func recording() throws {
        let bench = bench(burst: 1_000)
        let graph = try bench.define(PipelineGraph.text)
        let greedy = bench.connect()
        for id in 1...Self.count {
            greedy.ask(
                #"{"op":"sub","id":\#(id),"graph":"g","combine":{"a":"x","b":"y"},"map":"a + b + \#(id)"}"#
            )
        }
        bench.settle()
        try bench.set(graph, [("x", "2")])
        while bench.host.lanes.isWaiting { turn(bench) }
        let modest = bench.connect()
        modest.subscribe(1, #"[{"map":"value + 1"}]"#)
        let room = try #require(greedy.session.subscription(1)?.pipeline?.account).room
        for value in 3...5 {
            let before = bench.host.lanes.total
            try bench.submit(graph, [("x", "\(value)")])
            #expect(bench.host.lanes.total - before > PipelineLanes.crowd)
        }
        bench.endTurn()
        #expect(modest.take().joined().contains(#""v":6,"n":3"#), "all three within their commits")
        #expect(try #require(greedy.session.subscription(1)?.pipeline?.account).room < room - 40_000)
    }

    @Test("Timers that ring together are shared out over turns")
    func timers() throws {
        let bench = bench(burst: 100_000)
        let graph = try bench.define(PipelineGraph.text)
        let client = bench.connect()
        for id in 1...150 { client.subscribe(id, #"[{"debounce":5},{"map":"value + \#(id)"}]"#) }
        bench.settle()
        bench.pass(10)
        _ = client.take()
        try bench.set(graph, [("x", "5")])
        bench.clock.advance(by: 5)
        var (turns, told) = (0, 0)
        while bench.host.nextDeadline == bench.clock.now {
            let before = bench.host.lanes.total
            turn(bench)
            turns += 1
            #expect(bench.host.lanes.total - before < PipelineLanes.crowd / 2 + 200)
            told += updates(client).count
        }
        #expect(turns >= 3 && told == 150, "\(turns) turns, \(told)")
    }
}
