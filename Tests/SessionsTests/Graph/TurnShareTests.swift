import LogTestSupport
import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions

/// A chain of derived nodes that exist only while a client listens.
private func deepGraph(_ count: Int) -> String {
    var nodes = [#""x": {"set": "number", "initial": 1}"#]
    for place in 0..<count {
        let from = place == 0 ? "x" : "n\(place - 1)"
        nodes.append(#""n\#(place)": {"from": "\#(from)", "pipe": [{"map": "value + 1"}]}"#)
    }
    return #"{"graph": "g", "nodes": {\#(nodes.joined(separator: ","))}}"#
}

@Suite("One client's share of a turn")
struct TurnShareTests {
    private func limits(_ work: UInt64) -> SessionLimits {
        var limits = SessionLimits.ample
        limits.work = work
        return limits
    }

    @Test("A message with many costly requests takes many turns; another client is served in each")
    func bystander() throws {
        let bench = Bench(limits: limits(100))
        let graph = try bench.define(deepGraph(90))
        let greedy = bench.connect()
        let bystander = bench.connect()
        bystander.ask(#"{"op":"sub","id":1,"graph":"g","node":"x"}"#)
        let gets = (1...30).map { #"{"op":"get","id":\#($0),"graph":"g"}"# }
        greedy.send("[\(gets.joined(separator: ","))]")
        #expect(bench.host.nextDeadline == bench.clock.now, "the loop is asked to come again at once")

        var turns = 0
        var answers: [String] = []
        while answers.count < 30, turns < 100 {
            turns += 1
            let before = bench.host.work
            bench.host.advance()
            _ = try bench.submit(graph, [("x", "\(turns)")])
            bench.host.flush()
            #expect(bench.host.work - before <= 100 + 2 * 91, "a turn's work is bounded")
            #expect(bystander.take().count == 1, "turn \(turns)")
            answers += greedy.take()
        }
        #expect((28...31).contains(turns), "one request of 181 a turn, \(turns)")
        for (place, answer) in answers.enumerated() {
            #expect(answer.hasPrefix(#"{"op":"ok","id":\#(place + 1),"#))
        }
        #expect(bench.host.nextDeadline == nil)
        #expect(graph.statistics.nodes == 1, "nothing is left of it")
    }

    @Test("Costly requests of many connections share a turn; cheap ones, and sets, do not wait for them")
    func crowd() throws {
        let bench = Bench(limits: limits(100))
        let graph = try bench.define(deepGraph(90))
        let crowd = (0..<20).map { _ in bench.connect() }
        let bystander = bench.connect()
        bystander.ask(#"{"op":"sub","id":1,"graph":"g","node":"x"}"#)
        var turns = 0
        var answered: [Int] = []
        for client in crowd { client.send(#"{"op":"get","id":1,"graph":"g"}"#) }
        while answered.count < 20, turns < 100 {
            turns += 1
            let before = bench.host.work
            bench.host.advance()
            bystander.send(#"[{"op":"set","id":7,"graph":"g","set":{"x":\#(turns)}},{"op":"ping","id":8}]"#)
            bench.host.flush()
            #expect(bench.host.work - before <= 250 + 182, "what all of them do in one turn is bounded")
            #expect(bystander.take().contains(#"{"op":"ok","id":8}"#), "turn \(turns)")
            for (place, client) in crowd.enumerated() where !client.take().isEmpty { answered.append(place) }
        }
        #expect(turns >= 9, "two or three of 181 a turn")
        #expect(answered == Array(0..<20), "those that have waited longest come first")
        #expect(try bench.read(graph, "x") == "\(turns)")
        bench.host.advance()
        #expect(bench.host.nextDeadline == nil)
    }

    @Test(
        "Reading a pipeline is work as well, also where it is refused",
        arguments: ["value + '", "value.nothing('"]
    )
    func reading(expression: String) throws {
        let bench = Bench(limits: limits(1_000))
        _ = try bench.define(#"{"graph": "g", "nodes": {"x": {"set": "string", "initial": ""}}}"#)
        let client = bench.connect()
        let text = expression + String(repeating: "x", count: 2_000) + "')"
        let subs = (1...6).map { id in
            #"{"op":"sub","id":\#(id),"graph":"g","node":"x","pipe":[{"map":"\#(text)"}]}"#
        }
        client.send("[\(subs.joined(separator: ","))]")
        var answers = [client.take().count]
        while bench.host.nextDeadline == bench.clock.now, answers.count < 20 {
            bench.host.advance()
            bench.host.flush()
            answers.append(client.take().count)
        }
        #expect(answers.filter { $0 > 0 } == [1, 1, 1, 1, 1, 1], "one of 1,000 a turn")
    }

    @Test("A source with its map and the pipe share one bound of text")
    func longestText() throws {
        let bench = Bench(limits: limits(.max))
        _ = try bench.define(#"{"graph": "g", "nodes": {"x": {"set": "string", "initial": ""}}}"#)
        let client = bench.connect()
        func answer(_ source: Int, _ pipe: Int) -> String {
            let texts = [source, pipe].map { "'" + String(repeating: "y", count: $0) + "'" }
            client.send(
                #"{"op":"sub","id":1,"graph":"g","combine":["x"],"map":"\#(texts[0])","pipe":[{"map":"\#(texts[1])"}]}"#
            )
            defer {
                client.send(#"{"op":"unsub","id":1}"#)
                _ = client.take()
            }
            return client.take().joined()
        }
        #expect(answer(8_000, 8_000).contains(#""op":"snap""#))
        for (source, pipe) in [(16_380, 1), (1, 16_380), (8_190, 8_190)] {
            #expect(answer(source, pipe).contains(#""code":"bad_field""#))
        }
    }

    @Test("Without a bound nothing waits")
    func unbounded() throws {
        let bench = Bench(limits: limits(.max))
        _ = try bench.define(deepGraph(90))
        let client = bench.connect()
        let gets = (1...30).map { #"{"op":"get","id":\#($0),"graph":"g"}"# }
        client.send("[\(gets.joined(separator: ","))]")
        #expect(client.take().count == 30)
    }

    @Test("Order is kept, also for what comes later and for sets; a repeated id is noticed")
    func order() throws {
        let bench = Bench(limits: limits(10))
        _ = try bench.define(deepGraph(20))
        let client = bench.connect()
        client.send(
            #"[{"op":"get","id":1,"graph":"g"},{"op":"get","id":2,"graph":"g"},{"op":"set","id":3,"graph":"g","set":{"x":5}},{"op":"get","id":4,"graph":"g","nodes":["n0"]}]"#
        )
        client.send(#"{"op":"ping","id":5}"#)
        client.send(#"{"op":"ping","id":4}"#)
        bench.host.flush()
        bench.pass(10)
        let answers = client.take()
        try #require(answers.count == 6)
        #expect(answers[0].contains(#""id":1,"#) && answers[0].contains(#""x":{"v":1}"#))
        #expect(answers[1].contains(#""id":2,"#) && answers[1].contains(#""x":{"v":1}"#))
        #expect(answers[2] == #"{"op":"ok","id":3,"epoch":"e1","rev":2}"#)
        #expect(answers[3].contains(#""id":4,"#) && answers[3].contains(#""n0":{"v":6}"#))
        #expect(answers[4] == #"{"op":"ok","id":5}"#)
        #expect(answers[5].contains("id_in_use"))
    }

    @Test("An id is free after its unsub, also while both wait for a turn")
    func freedID() throws {
        let bench = Bench(limits: limits(10))
        _ = try bench.define(deepGraph(20))
        let client = bench.connect()
        let pair = #"{"op":"sub","id":1,"graph":"g","node":"n19"},{"op":"unsub","id":1}"#
        client.send("[\(pair),\(pair),\(pair)]")
        bench.host.flush()
        bench.pass(20)
        let answers = client.take().map { String($0.prefix(16)) }
        let expected = [#"{"op":"snap","id""#, #"{"op":"end","id":"#].map { String($0.prefix(16)) }
        #expect(answers == expected + expected + expected)
        client.send(
            #"[{"op":"get","id":1,"graph":"g"},{"op":"ping","id":2},{"op":"unsub","id":2},{"op":"ping","id":2}]"#
        )
        bench.host.flush()
        bench.pass(20)
        let others = client.take().map { $0.contains("err") }
        #expect(
            others == [false, false, true, false],
            "an unsub of what is no subscription is refused in its place"
        )
    }

    @Test("A client that is gone in between costs nothing more")
    func gone() throws {
        let bench = Bench(limits: limits(10))
        _ = try bench.define(deepGraph(20))
        let client = bench.connect()
        client.send(
            "[" + (1...9).map { #"{"op":"get","id":\#($0),"graph":"g"}"# }.joined(separator: ",") + "]"
        )
        client.session.close()
        let work = bench.host.work
        bench.pass(5)
        #expect(bench.host.work == work)
        #expect(bench.host.nextDeadline == nil)
    }

    @Test("A client that does not take its answers gets no more of them made")
    func reading() throws {
        let bench = Bench(limits: limits(10))
        _ = try bench.define(deepGraph(20))
        let client = bench.connect()
        client.send(
            "[" + (1...9).map { #"{"op":"get","id":\#($0),"graph":"g"}"# }.joined(separator: ",") + "]"
        )
        bench.host.flush()
        client.sink.unsentBytes = 1 << 17
        bench.pass(5)
        #expect(client.take().count == 1)
        client.sink.unsentBytes = 0
        client.session.drained()
        bench.pass(10)
        #expect(client.take().count == 8)
    }

    @Test("Long answers of one turn do not stop the requests that wait for the next")
    func collectedBeforeRequests() throws {
        let bench = Bench(limits: limits(10))
        _ = try bench.define(deepGraph(20))
        let client = bench.connect()
        client.sink.isCollecting = true
        client.send(
            "[" + (1...9).map { #"{"op":"get","id":\#($0),"graph":"g"}"# }.joined(separator: ",") + "]"
        )
        bench.host.flush()
        client.sink.unsentBytes = 1 << 17
        bench.pass(20)
        #expect(client.take().count == 9)
    }

    @Test("One get of a whole chain builds each node once")
    func linear() throws {
        let bench = Bench()
        let graph = try bench.define(deepGraph(300))
        let before = bench.host.work
        let client = bench.connect()
        client.ask(#"{"op":"get","id":1,"graph":"g"}"#)
        #expect(bench.host.work - before == 300 + 301)
        HeldValues(graph.nodes, in: graph).forEach { _, _ in }
        #expect(bench.host.work - before == 2 * (300 + 301))
    }
}

@Suite("What a refused batch says")
struct RefusedBatchTests {
    @Test("Every condition that does not hold is named")
    func allFailed() throws {
        let bench = Bench()
        let graph = try bench.define(#"{"graph": "g", "nodes": {"x": {"set": "any"}, "y": {"set": "any"}}}"#)
        try bench.set(graph, [("x", "1")])
        try bench.set(graph, [("y", "2")])
        var commit = Commit(graph: graph)
        let x = try #require(graph.node("x"))
        let y = try #require(graph.node("y"))
        commit.set.append(Assignment(x, try Datum.parse("3")))
        commit.conditions = [Condition(x, .isEmpty), Condition(y, .changedAt(3)), Condition(y, .isEmpty)]
        guard case .refused(let error) = bench.host.submit(commit) else {
            Issue.record("it was taken")
            return
        }
        #expect(error.code == .conflict && error.node == "x" && error.rev == 2)
        #expect(error.failed == [HostError.Failed(node: "x", rev: 2), HostError.Failed(node: "y", rev: 3)])
    }

    @Test("A key is for one body: conditions and context count")
    func keys() throws {
        let bench = Bench()
        let graph = try bench.define(#"{"graph": "g", "nodes": {"x": {"set": "any"}}}"#)
        let client = bench.connect()
        func set(_ id: Int, _ more: String) -> String {
            client.ask(#"{"op":"set","id":\#(id),"graph":"g","set":{"x":1},"key":"k"\#(more)}"#).last ?? ""
        }
        #expect(set(1, "").contains(#""rev":2"#))
        #expect(set(2, "").contains(#""replayed":true"#))
        #expect(set(3, #","ctx":{"a":1}"#).contains("key_reused"))
        #expect(set(4, #","if":{"x":{"v":1}}"#).contains("key_reused"))
        #expect(graph.rev == 2)
    }
}

@Suite("Frames of both modes in one turn")
struct BothModesTests {
    private let graphText = #"{"graph": "g", "nodes": {"x": {"set": "any"}, "y": {"set": "any"}}}"#

    @Test("Several own sets: all frames in order, the latest entries in the last, then the answers")
    func ownSets() throws {
        let bench = Bench()
        _ = try bench.define(graphText)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"x","mode":"all"}"#)
        let sets = (1...3).map { #"{"op":"set","id":\#($0 + 10),"graph":"g","set":{"x":\#($0)}}"# }
        #expect(
            client.ask("[\(sets.joined(separator: ",")),{\"op\":\"ping\",\"id\":20}]") == [
                #"{"op":"upd","graph":"g","rev":2,"t":5000000,"d":[{"id":2,"v":1}]}"#,
                #"{"op":"upd","graph":"g","rev":3,"t":5000000,"d":[{"id":2,"v":2}]}"#,
                #"{"op":"upd","graph":"g","rev":4,"t":5000000,"d":[{"id":2,"v":3},{"id":1,"v":3,"n":3}]}"#,
                #"{"op":"ok","id":11,"epoch":"e1","rev":2}"#,
                #"{"op":"ok","id":12,"epoch":"e1","rev":3}"#,
                #"{"op":"ok","id":13,"epoch":"e1","rev":4}"#,
                #"{"op":"ok","id":20}"#,
            ]
        )
    }

    @Test("With a slow log the answers still follow the frames of their turn")
    func slowLog() throws {
        let log = FaultyLog()
        let bench = Bench(log: log)
        _ = try bench.define(graphText)
        log.isSlow = true
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"x","mode":"all"}"#)
        client.ask(#"{"op":"set","id":11,"graph":"g","set":{"x":1}}"#)
        client.ask(
            #"[{"op":"set","id":12,"graph":"g","set":{"x":2}},{"op":"get","id":13,"graph":"g","nodes":["x"]}]"#
        )
        log.confirm()
        bench.host.flush()
        #expect(
            client.take() == [
                #"{"op":"upd","graph":"g","rev":2,"t":5000000,"d":[{"id":2,"v":1}]}"#,
                #"{"op":"upd","graph":"g","rev":3,"t":5000000,"d":[{"id":2,"v":2},{"id":1,"v":2,"n":2}]}"#,
                #"{"op":"ok","id":11,"epoch":"e1","rev":2}"#,
                #"{"op":"ok","id":12,"epoch":"e1","rev":3}"#,
                #"{"op":"ok","id":13,"epoch":"e1","rev":3,"t":5000000,"m":{"x":{"v":2}}}"#,
            ]
        )
    }

    @Test("A full socket keeps no answer back")
    func fullSocket() throws {
        let bench = Bench()
        _ = try bench.define(graphText)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"x","mode":"all"}"#)
        client.sink.unsentBytes = 1 << 17
        let answers = client.ask(#"{"op":"set","id":11,"graph":"g","set":{"x":1}}"#)
        #expect(answers.last == #"{"op":"ok","id":11,"epoch":"e1","rev":2}"#)
        #expect(answers.first == #"{"op":"upd","graph":"g","rev":2,"t":5000000,"d":[{"id":2,"v":1}]}"#)
    }

    @Test("A node that a batch clears twice has changed once")
    func changedOnce() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        #expect(try bench.submit(graph, [("x", "1")], clear: ["y", "y"])?.changed == 2)
        #expect(try bench.submit(graph, [], clear: ["x", "y"])?.changed == 2)
    }
}
