import ReactiveGraph
import TestSupport
import Testing
import Values

@testable import GraphHost

/// What is said of subscription `id`, update by update.
private func values(_ messages: [String], of id: Int = 1) -> [String] {
    messages.filter { $0.hasPrefix(#"{"op":"upd""#) }.flatMap { message in
        message.components(separatedBy: #"{"id":\#(id),"#).dropFirst().compactMap { part in
            part.split(separator: "}", omittingEmptySubsequences: false).first.map(String.init)
        }
    }
}

extension String {
    fileprivate func components(separatedBy separator: String) -> [Substring] {
        var parts: [Substring] = []
        var rest = self[...]
        while let range = rest.firstRange(of: separator) {
            parts.append(rest[..<range.lowerBound])
            rest = rest[range.upperBound...]
        }
        return parts + [rest]
    }
}

@Suite("Client pipelines run as far as their principal has room, the rest later")
struct PipelineLaneTests {
    /// A host whose principals may spend `burst` units at once.
    private func bench(burst: Int, held: Int = 16 << 20, work: UInt64 = 1_500) -> Bench {
        var limits = SessionLimits.ample
        limits.work = work
        limits.pipelineUnits = burst * 500
        limits.held = held
        return Bench(limits: limits)
    }

    /// A turn of the loop in which nothing else happens.
    private func turn(_ bench: Bench) {
        bench.host.advance()
        bench.endTurn()
    }

    /// A client that has no room any more, and listens through `pipe`.
    private func poor(
        _ bench: Bench,
        _ graph: LiveGraph,
        _ pipe: String,
        _ more: String = ""
    ) throws -> Client {
        let client = bench.connect()
        client.subscribe(1, pipe, more)
        client.subscribe(99, "[\(PipelineGraph.expensive(400, Int(client.session.number)))]", to: "y")
        bench.settle()
        _ = client.take()
        return client
    }

    @Test(
        "limits.pipelines: a principal without units is served in later turns; others, and plain names, at once"
    )
    func order() throws {
        let bench = bench(burst: 1_000)
        let graph = try bench.define(PipelineGraph.text)
        let greedy = try poor(bench, graph, "[\(PipelineGraph.expensive(50))]")
        greedy.ask(#"{"op":"sub","id":2,"graph":"g","node":"double"}"#)
        let modest = bench.connect()
        modest.subscribe(1, #"[{"map":"value + 1"}]"#)
        try bench.set(graph, [("x", "5")])
        #expect(values(modest.take()) == [#""v":6"#])
        let first = greedy.take()
        #expect(values(first, of: 1).isEmpty && values(first, of: 2) == [#""v":10"#])
        #expect(bench.host.nextDeadline == bench.clock.now, "the loop does not sleep")
        turn(bench)
        #expect(values(greedy.take()) == [#""v":5"#])
        #expect(bench.host.nextDeadline == nil)
        // A second later there is room again.
        bench.pass(1_000)
        try bench.set(graph, [("x", "6")])
        #expect(values(greedy.take()) == [#""v":6"#])
    }

    @Test("Where only the newest value counts, emissions are folded, and the client learns how many")
    func folded() throws {
        let bench = bench(burst: 100)
        let graph = try bench.define(PipelineGraph.text)
        let client = try poor(bench, graph, #"[{"map":"value * 10"},{"map":"value + 1"}]"#)
        for value in 1...5 { try bench.set(graph, [("x", "\(value)")]) }
        #expect(client.take().isEmpty)
        turn(bench)
        #expect(values(client.take()) == [#""v":51,"n":5"#])
    }

    @Test("In mode all, and before stages with a memory, every emission comes, in order, with its author")
    func all() throws {
        let bench = bench(burst: 100)
        let graph = try bench.define(PipelineGraph.text)
        let client = try poor(bench, graph, #"[{"map":"value * 10"}]"#, #","mode":"all""#)
        let counting = try poor(bench, graph, #"[{"map":"value"},{"scan":{"start":0,"with":"acc + value"}}]"#)
        for value in 1...5 {
            try bench.submit(graph, [("x", "\(value)")], by: "writer \(value)")
            bench.endTurn()
        }
        #expect(client.take().isEmpty && counting.take().isEmpty)
        turn(bench)
        let messages = client.take()
        #expect(values(messages) == (1...5).map { #""v":\#($0 * 10)"# })
        for (place, message) in messages.enumerated() {
            #expect(message.contains(#""rev":6,"#) && message.contains(#""by":"writer \#(place + 1)""#))
        }
        #expect(values(counting.take()) == [#""v":16,"n":5"#], "1 at the beginning, and 1 to 5")
    }

    @Test("mod to mode all: from then on every emission comes")
    func mod() throws {
        let bench = bench(burst: 100)
        let graph = try bench.define(PipelineGraph.text)
        let client = try poor(bench, graph, #"[{"map":"value"}]"#)
        client.ask(#"{"op":"mod","id":5,"sub":1,"mode":"all"}"#)
        for value in 1...3 { try bench.set(graph, [("x", "\(value)")]) }
        turn(bench)
        #expect(values(client.take()).count == 3)
        client.ask(#"{"op":"mod","id":5,"sub":1,"mode":"latest"}"#)
        for value in 4...6 { try bench.set(graph, [("x", "\(value)")]) }
        turn(bench)
        #expect(values(client.take()) == [#""v":6,"n":3"#])
    }

    @Test("More than a thousand that wait end with slow; others continue")
    func slow() throws {
        let bench = bench(burst: 100)
        let graph = try bench.define(PipelineGraph.text)
        let all = #","mode":"all""#
        let client = try poor(bench, graph, #"[{"map":"value"}]"#, all)
        let latest = try poor(bench, graph, #"[{"map":"value + 1"}]"#)
        for value in 0..<Backlog.mostWaiting { try bench.set(graph, [("x", "\(value)")]) }
        #expect(client.take().isEmpty)
        try bench.set(graph, [("x", "0")])
        turn(bench)
        #expect(client.take().last?.contains(#""id":1,"code":"slow""#) == true)
        try bench.set(graph, [("x", "7")])
        while bench.host.lanes.isWaiting { turn(bench) }
        #expect(values(latest.take()).last?.hasPrefix(#""v":8"#) == true)
    }

    @Test("Many that are slow at once end over several turns")
    func slowCrowd() throws {
        let bench = bench(burst: 100, work: 10)
        let graph = try bench.define(PipelineGraph.text)
        let client = try poor(bench, graph, #"[{"map":"value"}]"#, #","mode":"all""#)
        let latest = try poor(bench, graph, #"[{"map":"value * 2"}]"#)
        for id in 2...50 { client.subscribe(id, #"[{"map":"value + \#(id)"}]"#, #","mode":"all""#) }
        for value in 0...Backlog.mostWaiting { try bench.set(graph, [("x", "\(value)")]) }
        var (turns, servedAfter) = (0, 1_000)
        while client.session.subscriptionCount > 1 {
            let before = client.session.subscriptionCount
            turn(bench)
            turns += 1
            if !values(latest.take()).isEmpty { servedAfter = min(servedAfter, turns) }
            try #require(turns < 1_000)
            #expect(before - client.session.subscriptionCount <= 10)
        }
        #expect(turns >= 5)
        #expect(servedAfter < 10, "whoever waits goes on meanwhile")
        client.session.close()
        latest.session.close()
        bench.settle()
        #expect(graph.chains.all.isEmpty && graph.isWhole)
    }

    @Test(
        "Long pipelines that are slow, and many subscriptions to one, end over several turns, however many nodes go"
    )
    func slowNodes() throws {
        for isShared in [false, true] {
            let bench = bench(burst: 100, held: 1_000_000, work: 100)
            let graph = try bench.define(PipelineGraph.text)
            let client = try poor(bench, graph, #"[{"map":"value"}]"#)
            for id in 2...40 {
                let stages = (1...15).map { #"{"map":"value + \#(isShared ? $0 : 100 * id + $0)"}"# }
                client.subscribe(id, "[\(stages.joined(separator: ","))]", #","mode":"all""#)
                turn(bench)
            }
            try #require(client.session.subscriptionCount == 41)
            _ = client.take()
            let text = "\"" + String(repeating: "t", count: 300_000) + "\""
            for _ in 0..<5 { try bench.submit(graph, [("x", text)]) }
            var (turns, ended) = (0, 0)
            while bench.host.lanes.isWaiting {
                let released = graph.statistics.released
                turn(bench)
                turns += 1
                try #require(turns < 1_000)
                #expect(graph.statistics.released - released <= 16, "turn \(turns)")
                let messages = client.take()
                ended += messages.count { $0.contains(#""code":"slow""#) }
                #expect(
                    ended == 0 || !messages.contains { $0.contains(#""id":40,"v""#) },
                    "nothing is left out in mode all"
                )
            }
            #expect(isShared ? ended == 39 : ended >= 20, "\(ended) in \(turns) turns")
        }
    }

    @Test("More bytes that wait than limits.held end with slow as well")
    func heavy() throws {
        let bench = bench(burst: 100, held: 14_000)
        let graph = try bench.define(PipelineGraph.text)
        let client = try poor(bench, graph, #"[{"map":"value"}]"#, #","mode":"all""#)
        let text = "\"" + String(repeating: "t", count: 4_000) + "\""
        for _ in 0..<3 { try bench.set(graph, [("x", text)]) }
        #expect(client.take().isEmpty, "two besides the first")
        try bench.set(graph, [("x", text)])
        #expect(client.take().isEmpty, "another client's commit does not take the time to end it")
        turn(bench)
        #expect(client.take().last?.contains(#""id":1,"code":"slow""#) == true)
    }

    @Test("A pipeline that several share runs at once while one of them has room")
    func shared() throws {
        let bench = bench(burst: 2_000)
        let graph = try bench.define(PipelineGraph.text)
        let pipe = "[\(PipelineGraph.expensive(50))]"
        let greedy = try poor(bench, graph, pipe)
        let modest = bench.connect()
        modest.subscribe(1, pipe)
        #expect(graph.chains.all.count == 2)
        try bench.set(graph, [("x", "5")])
        #expect(values(modest.take()) == [#""v":5"#] && values(greedy.take()) == [#""v":5"#])
        // It pays until it has no room either.
        for value in 0..<50 where !bench.host.lanes.isWaiting {
            try bench.set(graph, [("x", "\(value)")])
        }
        #expect(bench.host.lanes.isWaiting)
    }

    @Test("What waits counts 256 bytes besides its text, and goes with its session")
    func waiting() throws {
        let bench = bench(burst: 100, work: 100)
        let graph = try bench.define(PipelineGraph.text)
        let client = bench.connect()
        client.subscribe(99, "[\(PipelineGraph.expensive(400, 99))]", to: "y")
        bench.settle()
        for id in 1...10 { client.subscribe(id, "[\(PipelineGraph.expensive(1, id))]", #","mode":"all""#) }
        bench.settle()
        let account = try #require(client.session.subscription(1)?.pipeline?.account)
        let before = account.held
        for value in 0..<401 { try bench.set(graph, [("x", "\(value)")]) }
        // The first of each gate is the node's own value.
        #expect((10 * 400 * 256..<10 * 400 * 272).contains(account.held - before))
        client.session.close()
        bench.settle()
        #expect(account.held == 0 && graph.backlogs.isEmpty && graph.isWhole)
    }

    @Test("A host that goes lets everything go that waits: stages, first values, questions to producers")
    func freed() throws {
        weak var graph: LiveGraph?
        weak var gate: StageGate?
        do {
            let bench = bench(burst: 100)
            let made = try bench.define(PipelineGraph.text)
            let client = try poor(bench, made, #"[{"map":"value"}]"#, #","mode":"all","keep":60000"#)
            client.subscribe(2, "[\(PipelineGraph.expensive(400, 7))]")
            client.send(#"{"op":"demand","id":3,"graph":"g","nodes":["x","y"]}"#)
            client.send(#"{"op":"set","id":4,"graph":"g","clear":["y"]}"#)
            client.send(#"{"op":"get","id":5,"graph":"g","node":"y","load":true}"#)
            try bench.submit(made, [("x", "3")])
            let chain = try #require(client.session.subscription(1)?.pipeline?.chain)
            #expect(chain.isBehind && bench.host.lanes.isWaiting && !made.backlogs.isEmpty)
            (graph, gate) = (made, chain.gate)
        }
        #expect(graph == nil && gate == nil)
    }

    @Test("A chain that lags is not shared with new clients: they see the present")
    func newcomers() throws {
        let bench = bench(burst: 100)
        let graph = try bench.define(PipelineGraph.text)
        let pipe = #"[{"map":"value * 10"},{"map":"value + 1"}]"#
        let client = try poor(bench, graph, pipe)
        try bench.set(graph, [("x", "5")])
        let newcomer = bench.connect()
        #expect(newcomer.subscribe(1, pipe).first?.contains(#""v":51"#) == true)
        var question = #"{"node":"x","pipe":\#(pipe)}"#
        let answer = try question.withUTF8 { bytes in
            try GraphView(graph, for: .full).evaluate(UnsafeRawBufferPointer(bytes))
        }
        #expect(String(decoding: answer, as: UTF8.self).contains(#""v":51"#))
        turn(bench)
        #expect(values(client.take()) == [#""v":51"#])
        #expect(newcomer.take().isEmpty)
        client.session.close()
        newcomer.session.close()
        #expect(graph.chains.all.isEmpty && graph.isWhole)
    }

    @Test("A client that resumes where something was late gets the value again")
    func resume() throws {
        let bench = bench(burst: 100)
        let graph = try bench.define(PipelineGraph.text)
        let pipe = #"[{"map":"value * 10"}]"#
        let client = try poor(bench, graph, pipe)
        try bench.set(graph, [("x", "5")])
        client.session.close()
        let again = bench.connect()
        let since = #","since":{"epoch":"e1","rev":\#(graph.rev)}"#
        #expect(again.subscribe(1, pipe, since).first?.contains(#""resumed":true,"v":50"#) == true)
        #expect(!bench.host.lanes.isWaiting || bench.host.graphs.count == 1)
    }

    @Test("combine sees all inputs of a commit together, and emptiness keeps its place")
    func joins() throws {
        let bench = bench(burst: 100)
        let graph = try bench.define(PipelineGraph.text)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","combine":{"a":"x","b":"double"},"mode":"all"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","zip":["x","y"],"mode":"all"}"#)
        client.subscribe(99, "[\(PipelineGraph.expensive(400, 99))]", to: "y")
        bench.settle()
        _ = client.take()
        try bench.set(graph, [("x", "5")])
        try bench.set(graph, [("x", "6"), ("y", "7")])
        try bench.submit(graph, [], clear: ["x"])
        bench.endTurn()
        #expect(client.take().isEmpty)
        while bench.host.lanes.isWaiting { turn(bench) }
        let messages = client.take()
        #expect(
            values(messages, of: 1)
                == [#""v":{"a":5,"b":10"#, #""v":{"a":6,"b":12"#, #""empty":true"#]
        )
        #expect(values(messages, of: 2) == [#""v":[5,7]"#])
        let picture = Picture(of: graph, isLive: true)
        let join = try #require(picture.entries.first { $0.record?.stage == "combine" })
        #expect(picture.links.count { $0.to == join.number } == 2, "the join is shown with its inputs")
    }

    @Test("The late lane takes a slice of each turn, and lets principals take turns")
    func slices() throws {
        let bench = bench(burst: 1)
        let graph = try bench.define(PipelineGraph.text)
        let greedy = bench.connect()
        for id in 1...50 {
            greedy.subscribe(id, "[\(PipelineGraph.expensive(600, id)),\(PipelineGraph.expensive(500, id))]")
        }
        bench.settle()
        let modest = bench.connect()
        modest.subscribe(1, #"[{"map":"value + 1"}]"#)
        try bench.set(graph, [("x", "5")])
        var turns = 0
        var modestTurn: Int?
        while bench.host.lanes.isWaiting {
            let before = bench.host.lanes.total
            turn(bench)
            turns += 1
            #expect(bench.host.lanes.total - before <= PipelineLanes.slice + 3_000)
            if !modest.take().isEmpty { modestTurn = turns }
        }
        #expect(turns >= 10, "50 pipelines with two stages of some 5,000 units")
        #expect(try #require(modestTurn) <= 2, "one emission of the other one fills a slice")
        #expect(
            (1...50).allSatisfy { id in greedy.session.subscription(UInt64(id))?.node?.value?.text == "5" }
        )
    }

    @Test("All principals together take no more of a turn than others can wait for")
    func crowd() throws {
        let bench = bench(burst: 100_000)
        let graph = try bench.define(PipelineGraph.text)
        let clients = (0..<100).map { place in
            let client = bench.connect()
            client.subscribe(1, "[\(PipelineGraph.expensive(600, place))]")
            bench.settle()
            return client
        }
        let before = bench.host.lanes.total
        try bench.set(graph, [("x", "5")])
        let spent = bench.host.lanes.total - before
        #expect(spent >= PipelineLanes.crowd && spent <= PipelineLanes.crowd + 3_000 + 100 * 80)
        while bench.host.lanes.isWaiting { turn(bench) }
        #expect(clients.allSatisfy { values($0.take()) == [#""v":5"#] })
    }

    @Test("Costly work that a timer of a private stage starts is done in slices, too")
    func timers() throws {
        let bench = bench(burst: 100)
        let graph = try bench.define(PipelineGraph.text)
        let client = try poor(bench, graph, #"[{"delay":5},{"map":"value + 1"}]"#)
        try bench.set(graph, [("x", "5")])
        while bench.host.lanes.isWaiting { turn(bench) }
        _ = client.take()
        bench.pass(5)
        while bench.host.lanes.isWaiting { turn(bench) }
        #expect(values(client.take()) == [#""v":6,"n":2"#], "what it began with has waited as well")
    }

    @Test("Whatever waits goes with its subscription, its connection and its graph")
    func release() throws {
        let bench = bench(burst: 100)
        let graph = try bench.define(PipelineGraph.text)
        let client = try poor(bench, graph, #"[{"map":"value + 1"}]"#, #","mode":"all""#)
        for value in 0..<3 { try bench.set(graph, [("x", "\(value)")]) }
        client.ask(#"{"op":"unsub","id":1}"#)
        let second = try poor(bench, graph, #"[{"map":"value + 1"}]"#, #","mode":"all""#)
        for value in 0..<3 { try bench.set(graph, [("x", "\(value)")]) }
        second.session.close()
        let third = try poor(bench, graph, #"[{"map":"value + 1"}]"#)
        try bench.set(graph, [("x", "9")])
        _ = bench.host.remove(graph)
        while bench.host.lanes.isWaiting { turn(bench) }
        #expect(third.take().contains { $0.contains("node_removed") })
        #expect(graph.chains.all.isEmpty && graph.core.counts.liveNodes == 0)
    }
}

@Suite("Pipelines with and without room come to the same")
struct PipelineLaneHistoryTests {
    private static let stages = [
        #"{"map":"value + 1"}"#, #"{"map":"value * 3 % 17"}"#, #"{"filter":"value % 2 == 0"}"#,
        #""distinct""#,
        #"{"scan":{"start":0,"with":"(acc + value) % 1000"}}"#, #"{"skip":1}"#,
        #"{"window":{"count":3,"of":"sum"}}"#,
        #""delta""#, #"{"ifEmpty":4}"#,
    ]

    /// What a client receives regardless of timing: all values of `all`, the last one of `latest`.
    private struct Heard: Equatable {
        var all: [String] = []
        var latest: String?
    }

    private func play(_ seed: UInt64, burst: Int) throws -> [Heard] {
        var random = SeededGenerator(seed: seed)
        var limits = SessionLimits.ample
        limits.pipelineUnits = burst * 500
        let bench = Bench(limits: limits)
        let mode = Bool.random(using: &random) ? "settled" : "immediate"
        let graph = try bench.define(
            #"{"graph":"g","mode":"\#(mode)","nodes":{"x":{"set":"any","initial":1},"y":{"set":"any"},"#
                + #""d":{"from":"x","pipe":[{"map":"value * 2"}]}}}"#
        )
        let clients = (0..<3).map { _ in bench.connect() }
        var isAll: [Int: Bool] = [:]
        for (place, client) in clients.enumerated() {
            for id in 1...3 {
                let pipe = (0..<Int.random(in: 1...4, using: &random))
                    .map { _ in Self.stages.randomElement(using: &random) ?? "" }
                    .joined(separator: ",")
                let source = [
                    #""node":"x""#, #""node":"d""#, #""combine":["x","d"],"map":"value[0] + value[1]""#,
                    #""combine":{"a":"x","b":"y"},"map":"a - b""#,
                    #""zip":["x","y"],"map":"value[0] + value[1]""#,
                    #""merge":["x","y"]"#,
                ].randomElement(using: &random)
                let all = Bool.random(using: &random)
                isAll[10 * place + id] = all
                client.ask(
                    #"{"op":"sub","id":\#(id),"graph":"g",\#(source ?? ""),"pipe":[\#(pipe)],"mode":"\#(all ? "all" : "latest")"}"#
                )
            }
        }
        for _ in 0..<30 {
            var values: [(String, String)] = []
            if Bool.random(using: &random) {
                values.append(("x", "\(Int.random(in: 0..<20, using: &random))"))
            }
            if Bool.random(using: &random) {
                values.append(("y", "\(Int.random(in: 0..<20, using: &random))"))
            }
            let clears = Int.random(in: 0..<8, using: &random) == 0 && values.isEmpty
            if clears || !values.isEmpty {
                try bench.submit(graph, values, clear: clears ? ["x"] : [])
            }
            bench.endTurn()
            // Sometimes the loop has time for what waits, and principals earn something.
            switch Int.random(in: 0..<8, using: &random) {
            case 0, 1: bench.host.advance()
            case 2: bench.clock.advance(by: 2)
            default: break
            }
            bench.endTurn()
        }
        while bench.host.lanes.isWaiting {
            bench.host.advance()
            bench.endTurn()
        }
        var heard: [Heard] = []
        for (place, client) in clients.enumerated() {
            let messages = client.take()
            for id in 1...3 {
                var one = Heard()
                let told = values(messages, of: id).map { String($0.prefix { $0 != "," }) }
                if isAll[10 * place + id] == true { one.all = told }
                one.latest = client.session.subscription(UInt64(id))?.node?.held.text
                heard.append(one)
            }
            client.session.close()
        }
        #expect(graph.chains.all.isEmpty && graph.backlogs.isEmpty && graph.isWhole)
        return heard
    }

    @Test("all values of mode all, and the last of mode latest")
    func same() throws {
        let seeds = environment("SLUICE_SEED").flatMap { UInt64($0) }.map { $0..<$0 + 1 }
        for seed in seeds ?? 0..<(Nightly.isOn ? 20_000 : 400) {
            let late = try play(seed, burst: 100)
            let prompt = try play(seed, burst: 10_000_000)
            #expect(late == prompt, "SLUICE_SEED=\(seed)")
            if late != prompt { return }
        }
    }
}

extension Held {
    fileprivate var text: String {
        switch self {
        case .empty: "empty"
        case .value(let datum), .fail(let datum): datum.text
        }
    }
}
