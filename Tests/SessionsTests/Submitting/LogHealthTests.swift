import Commits
import LogTestSupport
import Testing
import Values

@testable import Graphs
@testable import Sessions

private let graphText = #"""
    {"graph": "g", "nodes": {"x": {"set": "number", "initial": 1}, "y": {"set": "any"},
      "late": {"from": "x", "pipe": [{"delay": 100}]}}}
    """#

@Suite("The log's health")
struct LogHealthTests {
    private func prepared() throws -> (Bench, FaultyLog, LiveGraph) {
        let log = FaultyLog()
        let bench = Bench(log: log)
        return (bench, log, try bench.define(graphText))
    }

    @Test(
        "Timed operators wait for the log, without a loop that turns for nothing, and continue when it is well"
    )
    func ticks() throws {
        let (bench, log, graph) = try prepared()
        bench.pass(100)
        #expect(try bench.read(graph, "late") == "1")
        try bench.set(graph, [("x", "2")])
        var calls = 0
        bench.host.handlers.onLog = { calls += 1 }
        log.health = .outOfReach
        #expect(calls == 1)
        let rev = graph.rev
        bench.pass(1_000)
        #expect(graph.rev == rev)
        #expect(bench.host.nextDeadline == nil)
        #expect(try bench.read(graph, "late") == "1")
        log.health = .ready
        #expect(bench.host.nextDeadline == bench.clock.now)
        bench.pass(1)
        #expect(graph.rev == rev + 1)
        #expect(try bench.read(graph, "late") == "2")
    }

    @Test("Nothing is given to a log that is not ready: it is asked for nothing, and loses nothing")
    func refusals() throws {
        for (health, code) in [
            (LogHealth.outOfReach, HostError.Code.engineDown), (.full, .noSpace), (.catchingUp, .notReady),
        ] {
            let (bench, log, graph) = try prepared()
            log.isSlow = true
            log.health = health
            #expect(throws: HostError.self) { try bench.submit(graph, [("x", "2")]) }
            for submission in [
                bench.host.remove(graph),
                bench.host.redefine(
                    graph,
                    as: try bench.definition(#"{"graph":"g","nodes":{"x":{"set":"any"}}}"#)
                ),
            ] {
                guard case .refused(let error) = submission else {
                    Issue.record("\(health)")
                    continue
                }
                #expect(error.code == code && error.retry && error.after == 1000)
            }
            #expect(log.pending == 0)
            #expect(graph.isLive)
        }
    }

    @Test(
        "Every session learns at once that values may be stale, and that they no longer are; full is neither"
    )
    func stale() throws {
        let (bench, log, _) = try prepared()
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x"}"#)
        log.health = .full
        #expect(client.take() == [])
        log.health = .outOfReach
        #expect(client.take() == [#"{"op":"hb","revs":{"g":1},"stale":true}"#])
        log.health = .catchingUp
        #expect(client.take() == [], "nothing new")
        log.health = .ready
        #expect(client.take() == [#"{"op":"hb","revs":{"g":1}}"#])
    }

    @Test(
        "A lost epoch: listeners are closed with 4510, nothing of the former graph is left, its values and revs continue, its keys are free"
    )
    func epochLost() throws {
        let (bench, log, graph) = try prepared()
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"late"}"#)
        client.ask(#"{"op":"set","id":2,"graph":"g","set":{"y":true},"presence":true,"key":"k"}"#)
        try bench.set(graph, [("x", "5")])
        log.begin(epoch: "e2", with: "g", "nothing")
        bench.endTurn()
        #expect(client.sink.closes == ["4510 epoch lost"])
        #expect(graph.statistics.listeners == 0 && graph.statistics.subscriptions == 0)
        #expect(!graph.isLive)
        let next = try #require(bench.host["g"])
        #expect(next !== graph)
        #expect(next.epoch == "e2" && next.rev == 4)
        #expect(try bench.read(next, "x") == "5")
        #expect(try bench.read(next, "y") == "empty", "what the session claimed is nobody's any more")
        #expect(bench.host.graphs.count == 1)
        let other = bench.connect()
        #expect(
            other.ask(#"{"op":"set","id":2,"graph":"g","set":{"y":true},"key":"k"}"#)
                == [#"{"op":"ok","id":2,"epoch":"e2","rev":5}"#]
        )
        #expect(!bench.host.remove(next).isRefused)
        bench.endTurn()
        #expect(bench.host.graphs.isEmpty)
    }

    @Test(
        "Clients learn nothing of a fault of the log but its reference in the server's log"
    )
    func faults() throws {
        let (bench, log, _) = try prepared()
        var faults: [String] = []
        bench.host.handlers.onFault = {
            faults.append($0)
            return "w\(faults.count)"
        }
        let client = bench.connect()
        log.refusal = HostError(.internalError, "the file is torn")
        #expect(
            client.ask(#"{"op":"set","id":1,"graph":"g","set":{"x":2}}"#)
                == [
                    #"{"op":"err","id":1,"code":"internal","msg":"the server has a fault; its log has the details under w1","retry":true}"#
                ]
        )
        #expect(client.sink.closes == ["1011 the server has a fault; its log has the details under w1"])
        #expect(faults == ["the log: internal: the file is torn"])
    }
}

extension Submission {
    fileprivate var isRefused: Bool {
        if case .refused = self { true } else { false }
    }
}
