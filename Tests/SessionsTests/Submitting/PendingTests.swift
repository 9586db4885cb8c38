import LogTestSupport
import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions

private let graphText = """
    {"graph": "g", "nodes": {"x": {"set": "number", "initial": 0}, "y": {"set": "any"},
      "double": {"from": "x", "pipe": [{"map": "value * 2"}]}}}
    """

@Suite("Commits that wait for the log")
struct PendingTests {
    private func prepared() throws -> (Bench, FaultyLog, LiveGraph) {
        let log = FaultyLog()
        let bench = Bench(log: log)
        let graph = try bench.define(graphText)
        log.isSlow = true
        return (bench, log, graph)
    }

    @Test("No tick comes after the end of a graph: the log could not be read again")
    func tickBehindTheEnd() throws {
        let log = FaultyLog()
        let bench = Bench(log: log)
        let graph = try bench.define(
            #"{"graph":"g","nodes":{"x":{"set":"any"},"late":{"from":"x","retain":"always","pipe":[{"delay":10}]}}}"#
        )
        try bench.set(graph, [("x", "1")])
        log.isSlow = true
        _ = bench.host.remove(graph)
        bench.clock.advance(by: 20)
        #expect(bench.host.nextDeadline == nil)
        bench.host.advance()
        #expect(log.pending == 1)
        log.confirm()
        #expect(bench.host["g"] == nil)
    }

    @Test("A server that stops answers what is at the log before it closes, and begins nothing new")
    func leaving() throws {
        let (bench, log, graph) = try prepared()
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x"}"#)
        _ = client.take()
        client.ask(#"{"op":"set","id":2,"graph":"g","set":{"x":1}}"#)
        client.ask(#"{"op":"get","id":3,"graph":"g","nodes":["x"]}"#)
        client.session.shutDown(after: 250)
        #expect(client.take() == [#"{"op":"end","id":1,"code":"shutdown","released":0}"#])
        #expect(client.sink.closes == [] && !client.session.isClosed)
        client.ask(#"{"op":"set","id":4,"graph":"g","set":{"x":4}}"#)
        #expect(log.pending == 1)
        log.confirm()
        bench.host.flush()
        #expect(client.take() == [#"{"op":"ok","id":2,"epoch":"e1","rev":2}"#])
        #expect(client.sink.closes == [#"4503 {"after":250}"#])
        #expect(try bench.read(graph, "x") == "1")
    }

    @Test("A server that stops waits for the log no longer than until its client could be back elsewhere")
    func leavingUnanswered() throws {
        let (bench, log, _) = try prepared()
        let client = bench.connect()
        client.ask(#"{"op":"set","id":2,"graph":"g","set":{"x":1}}"#)
        client.session.shutDown(after: 250)
        bench.pass(249)
        #expect(client.sink.closes == [] && log.pending == 1)
        bench.pass(1)
        #expect(client.sink.closes == [#"4503 {"after":0}"#] && client.session.isClosed)
        log.confirm()
        bench.endTurn()
        #expect(client.take() == [])
    }

    @Test("Nothing is visible before it is durable; then value, frames and answer come together")
    func invisible() throws {
        let (bench, log, graph) = try prepared()
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"double"}"#)
        #expect(client.ask(#"{"op":"set","id":2,"graph":"g","set":{"x":1}}"#) == [])
        #expect(try bench.read(graph, "x") == "0")
        #expect(graph.rev == 1)
        #expect(graph.statistics.pending == 1)
        log.confirm()
        #expect(client.take() == [#"{"op":"ok","id":2,"epoch":"e1","rev":2}"#])
        bench.host.flush()
        #expect(client.take() == [#"{"op":"upd","graph":"g","rev":2,"t":5000000,"d":[{"id":1,"v":2}]}"#])
        #expect(graph.statistics.pending == 0)
    }

    @Test("Sets are appended without waiting; later requests wait, and answers keep their order")
    func order() throws {
        let (bench, log, _) = try prepared()
        let client = bench.connect()
        client.ask(#"{"op":"set","id":1,"graph":"g","set":{"x":1}}"#)
        client.ask(#"{"op":"set","id":2,"graph":"g","set":{"x":2}}"#)
        #expect(log.pending == 2)
        client.ask(#"{"op":"set","id":3,"graph":"g","set":{"x":"no"}}"#)
        client.ask(#"{"op":"sub","id":4,"graph":"g","node":"x"}"#)
        client.ask(#"{"op":"get","id":5,"graph":"g","nodes":["double"]}"#)
        client.ask(#"{"op":"set","id":6,"graph":"g","set":{"x":6}}"#)
        #expect(log.pending == 2, "a set does not overtake a read")
        client.ask(#"{"op":"ping","id":7}"#)
        #expect(client.take() == [])

        log.confirm(1)
        #expect(client.take() == [#"{"op":"ok","id":1,"epoch":"e1","rev":2}"#])
        log.confirm(1)
        let answers = client.take()
        #expect(answers.count == 4)
        #expect(answers[0] == #"{"op":"ok","id":2,"epoch":"e1","rev":3}"#)
        #expect(answers[1].contains(#""id":3,"code":"type_mismatch""#))
        #expect(answers[2] == #"{"op":"snap","id":4,"epoch":"e1","rev":3,"t":5000000,"v":2}"#)
        #expect(answers[3].contains(#""m":{"double":{"v":4}}"#))
        #expect(log.pending == 1)
        log.confirm()
        #expect(client.take() == [#"{"op":"ok","id":6,"epoch":"e1","rev":4}"#, #"{"op":"ok","id":7}"#])
    }

    @Test("Conditions see applied plus pending")
    func conditions() throws {
        let (bench, log, graph) = try prepared()
        let client = bench.connect()
        client.ask(#"{"op":"set","id":1,"graph":"g","set":{"x":1}}"#)
        client.ask(#"{"op":"set","id":2,"graph":"g","set":{"x":2},"if":{"x":{"v":0}}}"#)
        client.ask(#"{"op":"set","id":3,"graph":"g","set":{"x":3},"if":{"x":{"v":1}}}"#)
        client.ask(#"{"op":"set","id":4,"graph":"g","set":{"x":4},"if":{"epoch":"e1","x":{"rev":2}}}"#)
        client.ask(#"{"op":"set","id":5,"graph":"g","set":{"x":5},"if":{"epoch":"e1","x":{"rev":3}}}"#)
        log.confirm()
        let answers = client.take()
        #expect(answers.map { $0.contains(#""op":"ok""#) } == [true, false, true, false, true])
        let other = #""code":"conflict","msg":"x has another value (since rev 2)","node":"x","rev":2"#
        #expect(answers[1].contains(other))
        #expect(answers[3].contains(#""rev":3"#))
        #expect(try bench.read(graph, "x") == "5")
        #expect(graph.node("x")?.pending == nil)
    }

    @Test("What the log loses is refused, in order, and was never there")
    func lost() throws {
        let (bench, log, graph) = try prepared()
        let client = bench.connect()
        for id in 1...3 { client.ask(#"{"op":"set","id":\#(id),"graph":"g","set":{"x":\#(id)}}"#) }
        client.ask(#"{"op":"get","id":4,"graph":"g","nodes":["x"]}"#)
        log.confirm(1)
        log.lose(HostError(.engineDown, "the disk is full", after: 100))
        let answers = client.take()
        #expect(answers.count == 4)
        #expect(
            answers[1].contains(#""code":"engine_down","msg":"the disk is full","retry":true,"after":100}"#)
        )
        #expect(answers[3].contains(#""m":{"x":{"v":1}}"#))
        #expect(graph.node("x")?.pending == nil)
        #expect(graph.statistics.pending == 0)
        log.refusal = HostError(.noSpace, "no space")
        #expect(
            client.ask(#"{"op":"set","id":1,"graph":"g","set":{"x":9}}"#).first?.contains("no_space") == true
        )
    }

    @Test("A peer with too much pending is not read until it is answered")
    func throttled() throws {
        let (bench, log, _) = try prepared()
        let client = bench.connect()
        for id in 1...63 { client.ask(#"{"op":"set","id":\#(id),"graph":"g","set":{"x":1}}"#) }
        #expect(client.sink.pauses == [])
        client.ask(#"{"op":"set","id":64,"graph":"g","set":{"x":1}}"#)
        #expect(client.sink.pauses == [true])
        log.confirm(1)
        #expect(client.sink.pauses == [true, false])
        log.confirm()
        #expect(client.take().count == 64)
        client.ask(
            #"{"op":"set","id":1,"graph":"g","set":{"y":"\#(String(repeating: "a", count: 262_144))"}}"#
        )
        #expect(client.sink.pauses == [true, false, true])
        log.confirm()
        #expect(client.sink.pauses == [true, false, true, false])
    }

    @Test("The shortest request takes memory too, and counts")
    func shortest() throws {
        let (bench, log, _) = try prepared()
        let client = bench.connect()
        client.ask(#"{"op":"set","id":1,"graph":"g","set":{"x":1}}"#)
        let before = client.session.pendingBytes
        client.ask("[" + String(repeating: "{},", count: 999) + "{}]")
        #expect(client.session.pendingBytes >= before + 100_000)
        log.confirm()
        #expect(client.session.pendingBytes == 0)
    }

    @Test("A waiting id is in use; a session that has ended receives nothing more")
    func endsMeanwhile() throws {
        let (bench, log, graph) = try prepared()
        let client = bench.connect()
        client.ask(#"{"op":"set","id":1,"graph":"g","set":{"x":1}}"#)
        client.ask(#"{"op":"ping","id":1}"#)
        log.confirm()
        #expect(client.take().map { $0.contains("id_in_use") } == [false, true])
        client.ask(#"{"op":"set","id":1,"graph":"g","set":{"x":2}}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"x"}"#)
        client.session.close()
        log.confirm()
        #expect(client.take() == [])
        #expect(try bench.read(graph, "x") == "2", "what the log has is applied")
        #expect(graph.statistics.listeners == 0)
    }

    @Test("A repeat in flight waits for the same answer")
    func repeatInFlight() throws {
        let (bench, log, graph) = try prepared()
        let (one, two) = (bench.connect(), bench.connect())
        let message = #"{"op":"set","id":1,"graph":"g","set":{"x":1},"key":"k"}"#
        one.ask(message)
        two.ask(message)
        #expect(log.pending == 1)
        log.confirm()
        #expect(one.take() == [#"{"op":"ok","id":1,"epoch":"e1","rev":2}"#])
        #expect(two.take() == [#"{"op":"ok","id":1,"epoch":"e1","rev":2,"replayed":true}"#])
        #expect(graph.rev == 2)
    }

    @Test("A graph exists when its definition is durable")
    func definition() throws {
        let log = FaultyLog(isSlow: true)
        let bench = Bench(log: log)
        let definition = try bench.definition(graphText)
        _ = bench.host.define(definition)
        #expect(bench.host["g"] == nil)
        log.lose(HostError(.engineDown, "down"))
        _ = bench.host.define(definition)
        #expect(bench.host.graphs.isEmpty)
        log.confirm()
        #expect(bench.host["g"]?.rev == 1)
    }

    @Test("A tick that the log refuses is tried again a little later")
    func refusedTick() throws {
        let log = FaultyLog()
        let bench = Bench(log: log)
        let graph = try bench.define(
            #"{"graph":"t","nodes":{"x":{"set":"any"},"late":{"from":"x","pipe":[{"delay":10}]}}}"#
        )
        try bench.set(graph, [("x", "1")])
        log.isSlow = true
        bench.pass(10)
        log.lose(HostError(.engineDown, "down"))
        #expect(bench.host.nextDeadline == bench.clock.now + 250)
        log.refusal = HostError(.engineDown, "down")
        bench.pass(250)
        #expect(bench.host.nextDeadline == bench.clock.now + 250)
        log.refusal = nil
        log.isSlow = false
        bench.pass(250)
        #expect(try bench.read(graph, "late") == "1")
    }

    @Test("One tick at a time waits for the log")
    func ticks() throws {
        let log = FaultyLog()
        let bench = Bench(log: log)
        let graph = try bench.define(
            #"{"graph":"t","nodes":{"x":{"set":"any"},"late":{"from":"x","pipe":[{"delay":10}]}}}"#
        )
        try bench.set(graph, [("x", "1")])
        log.isSlow = true
        bench.pass(20)
        #expect(log.pending == 1)
        #expect(bench.host.nextDeadline == nil)
        #expect(try bench.read(graph, "late") == "empty")
        log.confirm()
        #expect(try bench.read(graph, "late") == "1")
        #expect(graph.rev == 3)
    }

    @Test("After the end of a graph nothing is applied, and a graph that takes its name is left alone")
    func behindTheEnd() throws {
        let (bench, log, graph) = try prepared()
        let client = bench.connect()
        guard case .pending = bench.host.remove(graph) else { throw HostError(.internalError, "not pending") }
        #expect(client.ask(#"{"op":"set","id":1,"graph":"g","set":{"x":1}}"#) == [])
        guard case .refused = bench.host.remove(graph) else {
            Issue.record("a graph ends once")
            return
        }
        log.confirm()
        #expect(client.take().first?.contains("unknown_graph") == true)
        log.isSlow = false
        try bench.define(graphText)
        log.confirm()
        #expect(bench.host["g"] != nil)
        #expect(try bench.read(try #require(bench.host["g"]), "x") == "0")
    }

    @Test(
        "What waits for a definition without its family is refused, and never comes into the log",
        arguments: [
            #""set":{"s.1":7}"#, #""set":{"s.1":7,"x":7}"#, #""set":{"s.2":7}"#, #""clear":["s.1"]"#,
            #""clear":["s.1"],"key":"k""#, #""set":{"s.1":7},"key":"k""#,
            #""set":{"x":7},"if":{"s.1":{"v":1}}"#,
        ],
        [#"{"x":{"set":"any"}}"#, #"{"x":{"set":"any"},"t.{id}":{"set":"any"}}"#]
    )
    func familyGone(_ change: String, _ next: String) throws {
        let log = FaultyLog()
        let bench = Bench(log: log)
        let graph = try bench.define(#"{"graph":"g","nodes":{"x":{"set":"any"},"s.{id}":{"set":"any"}}}"#)
        try bench.set(graph, [("s.1", "1")])
        log.isSlow = true
        let client = bench.connect()
        _ = bench.host.redefine(graph, as: try bench.definition(#"{"graph":"g","nodes":\#(next)}"#))
        client.ask(#"{"op":"set","id":1,"graph":"g",\#(change)}"#)
        log.confirm()
        #expect(log.pending == 0)
        #expect(client.take().first?.contains("unknown_node") == true)
    }

    @Test("A graph whose end the log refuses continues with the later commits")
    func refusedEnd() throws {
        let (bench, log, graph) = try prepared()
        let client = bench.connect()
        _ = bench.host.remove(graph)
        client.ask(#"{"op":"set","id":1,"graph":"g","set":{"x":1}}"#)
        log.lose(HostError(.engineDown, "gone"))
        log.confirm()
        #expect(client.take().first?.hasPrefix(#"{"op":"ok","id":1"#) == true)
        #expect(try bench.read(graph, "x") == "1")
    }

    @Test("An answer that waits for the frames of its turn is not overtaken by the next turn's requests")
    func held() throws {
        let log = FaultyLog()
        var limits = SessionLimits.ample
        limits.work = 1
        let bench = Bench(log: log, limits: limits)
        try bench.define(graphText)
        log.isSlow = true
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x","mode":"all"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"x"}"#)
        // Its share of the turn is spent, and something waits for the next one.
        client.send(#"{"op":"get","id":9,"graph":"g"}"#)
        client.send(#"{"op":"set","id":3,"graph":"g","set":{"x":1}}"#)
        bench.host.flush()
        bench.host.advance()
        _ = client.take()
        client.send(#"[{"op":"get","id":4,"graph":"g"},{"op":"get","id":5,"graph":"g"}]"#)
        log.confirm()
        bench.host.advance()
        bench.host.flush()
        bench.pass(5)
        let messages = client.take()
        #expect(messages.count == 4, "\(messages)")
        let both = #""d":[{"id":1,"v":1},{"id":2,"v":1}]}"#
        #expect(messages[0] == #"{"op":"upd","graph":"g","rev":2,"t":5000000,\#(both)"#)
        #expect(messages[1] == #"{"op":"ok","id":3,"epoch":"e1","rev":2}"#)
    }
}
