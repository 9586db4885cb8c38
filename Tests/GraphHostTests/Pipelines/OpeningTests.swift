import TestSupport
import Testing
import Values

@testable import GraphHost

@Suite("First values of new pipelines are computed in slices where their principal has no room")
struct OpeningTests {
    private let bench: Bench
    private let graph: LiveGraph
    /// 16 stages of some 4,000 units each, and one that tells values apart.
    private let pipe =
        "[" + (0..<15).map { PipelineGraph.expensive(400, $0) }.joined(separator: ",")
        + #",{"map":"value * 10"}]"#

    init() throws {
        var limits = SessionLimits.ample
        limits.pipelineUnits = 50_000
        bench = Bench(limits: limits)
        graph = try bench.define(PipelineGraph.text)
    }

    /// The most units that one turn has taken until nothing waits any more, and how many turns that
    /// were.
    private func turns() -> (most: Int, count: Int) {
        var (most, count) = (0, 0)
        while let due = bench.host.nextDeadline, due <= bench.clock.now {
            let before = bench.host.lanes.total
            bench.host.advance()
            bench.endTurn()
            most = max(most, bench.host.lanes.total - before)
            count += 1
            if count > 1_000 { break }
        }
        return (most, count)
    }

    @Test(
        "sub: some 64,000 units take many turns, of one slice and one run at most; what comes after waits for the snap"
    )
    func slices() throws {
        let client = bench.connect()
        let before = bench.host.lanes.total
        #expect(client.subscribe(1, pipe).isEmpty)
        #expect(bench.host.lanes.total - before < 10_000, "one stage at once")
        client.send(#"{"op":"ping","id":2}"#)
        let other = bench.connect()
        #expect(other.ask(#"{"op":"ping","id":1}"#).count == 1)
        let (most, count) = turns()
        #expect(most < PipelineLanes.slice + 3_000 && count >= 4)
        let answers = client.take()
        #expect(answers.count == 2)
        #expect(answers.first?.contains(#""op":"snap","id":1"#) == true)
        #expect(answers.first?.contains(#""v":10,"#) == true)
        #expect(answers.last?.contains(#""id":2"#) == true)
        // From then on it is a subscription like any other.
        try bench.set(graph, [("x", "3")])
        _ = turns()
        let news = client.take()
        #expect(news.count == 1 && news[0].contains(#"{"id":1,"v":30}"#))
        client.session.close()
        #expect(graph.chains.all.isEmpty && graph.isWhole)
    }

    @Test("A value set meanwhile is the one in the snap, once", arguments: ["latest", "all"])
    func meanwhile(mode: String) throws {
        let client = bench.connect()
        #expect(client.subscribe(1, pipe, #","mode":"\#(mode)""#).isEmpty)
        for value in 2...4 { try bench.set(graph, [("x", "\(value)")]) }
        _ = turns()
        let messages = client.take()
        #expect(messages.first?.contains(#""op":"snap""#) == true)
        let last = try #require(messages.last)
        #expect(last.contains(#""v":40"#))
        try bench.set(graph, [("x", "5")])
        _ = turns()
        #expect(client.take().last?.contains(#""v":50"#) == true)
        if mode == "all" {
            try bench.set(graph, [("x", "6")])
            try bench.set(graph, [("x", "7")])
            _ = turns()
            let values = client.take().joined()
            #expect(values.contains(#""v":60"#) && values.contains(#""v":70"#))
        }
    }

    @Test("A newcomer does not wait for another's first value, and has a chain of its own")
    func newcomer() throws {
        let client = bench.connect()
        #expect(client.subscribe(1, pipe).isEmpty)
        let other = bench.connect()
        #expect(other.subscribe(1, #"[{"map":"value * 10"}]"#).first?.contains(#""v":10,"#) == true)
        #expect(other.subscribe(2, pipe).isEmpty)
        _ = turns()
        for client in [client, other] {
            #expect(client.take().contains { $0.contains(#""op":"snap""#) && $0.contains(#""v":10,"#) })
            client.session.close()
        }
        #expect(graph.chains.all.isEmpty && graph.isWhole)
    }

    @Test("A client that goes meanwhile leaves nothing")
    func gone() throws {
        for turn in 0..<4 {
            let client = bench.connect()
            client.send(#"{"op":"sub","id":1,"graph":"g","node":"x","pipe":\#(pipe)}"#)
            for _ in 0..<turn {
                bench.host.advance()
                bench.endTurn()
            }
            client.session.close()
            _ = turns()
            #expect(graph.chains.all.isEmpty && graph.isWhole && !bench.host.lanes.isWaiting)
        }
    }

    @Test("Where the graph goes meanwhile the subscription ends, and later requests are answered")
    func removed() throws {
        let client = bench.connect()
        #expect(client.subscribe(1, pipe).isEmpty)
        client.send(#"{"op":"ping","id":2}"#)
        if case .refused(let error) = bench.host.remove(graph) { throw error }
        bench.endTurn()
        _ = turns()
        let messages = client.take()
        #expect(messages.count == 2)
        #expect(messages.first?.contains(#""op":"end","id":1,"code":"node_removed""#) == true)
        #expect(messages.last?.contains(#""id":2"#) == true)
    }

    @Test("A server that stops does not wait for it")
    func shutdown() throws {
        let client = bench.connect()
        #expect(client.subscribe(1, pipe).isEmpty)
        client.session.shutDown(after: 500)
        bench.endTurn()
        _ = turns()
        #expect(client.session.isClosed)
        #expect(graph.chains.all.isEmpty && graph.isWhole)
    }

    @Test("eval: is answered when its value is there; the chain is released")
    func eval() throws {
        var answer: Result<[UInt8], HostError>?
        var question = #"{"node":"x","pipe":\#(pipe)}"#
        let view = try GraphView(graph, for: .full)
        try question.withUTF8 { try view.evaluate(UnsafeRawBufferPointer($0)) { answer = $0 } }
        #expect(answer == nil)
        let (most, count) = turns()
        #expect(most < PipelineLanes.slice + 3_000 && count >= 4)
        let text = String(decoding: try #require(try answer?.get()), as: UTF8.self)
        #expect(text.contains(#""v":10}"#))
        #expect(graph.chains.all.isEmpty && graph.isWhole)
    }

    @Test("An event stream sends its snaps in order, a bare stream its value")
    func streams() throws {
        let events = bench.connect(form: .events)
        let view = try GraphView(graph, for: .full)
        let options = StreamOptions(pipe: Array(pipe.utf8))
        let stream = try EventStream(of: view, nodes: ["x", "y"], options)
        events.session.start(stream)
        let plain = bench.connect(form: .node(try #require(graph.node("y"))))
        try plain.session.stream(options)
        bench.endTurn()
        #expect(events.take().isEmpty && plain.take().isEmpty)
        let (most, _) = turns()
        #expect(
            most < PipelineLanes.slice + 3_000,
            "one slice, and the first stage of the second subscription"
        )
        let snaps = events.take()
        #expect(snaps.count == 2)
        #expect(snaps.first?.contains(#""id":1"#) == true && snaps.first?.contains(#""v":10,"#) == true)
        #expect(snaps.last?.contains(#""id":2"#) == true && snaps.last?.contains(#""v":20,"#) == true)
        #expect(plain.take() == ["20"])
    }

    @Test("A filter that lets nothing pass: the snap says that there is no value yet")
    func filtered() throws {
        let client = bench.connect()
        let stages = pipe.dropLast() + #",{"filter":"value > 50"},{"map":"value"}]"#
        let short = stages.replacing(
            PipelineGraph.expensive(400, 0) + "," + PipelineGraph.expensive(400, 1) + ",",
            with: ""
        )
        #expect(client.subscribe(1, String(short)).isEmpty)
        _ = turns()
        #expect(client.take().first?.contains(#""empty":true"#) == true)
    }

    @Test("A client with room, and a cheap request, is answered at once")
    func cheap() throws {
        let client = bench.connect()
        for id in 1...100 {
            let snap = client.subscribe(id, #"[{"map":"value + \#(id)"},{"map":"value * 2"}]"#)
            #expect(snap.first?.contains(#""v":\#((1 + id) * 2),"#) == true)
        }
        #expect(!bench.host.lanes.isWaiting)
    }
}
