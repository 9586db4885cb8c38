import Commits
import LogTestSupport
import Testing

@testable import Definitions
@testable import Graphs
@testable import Sessions

private let graphText = #"""
    {"nodes": {"x": {"set": "number", "initial": 1}, "y": {"set": "any", "history": 4}, "brief": {"set": "any", "ttl": "30s"},
      "mean": {"from": "x", "retain": "always", "pipe": [{"window": {"count": 3, "of": "avg"}}]},
      "late": {"from": "x", "retain": "always", "pipe": [{"delay": 100}]}}}
    """#

/// A host whose log is read again by another, as a server that is started again does.
@Suite("A graph brought back from the log")
struct RestoringTests {
    private let log = FaultyLog()
    private let bench: Bench
    private let graph: LiveGraph

    init() throws {
        bench = Bench(log: log)
        graph = try bench.define(graphText, named: "g")
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
        try bench.set(graph, [("x", "4")])
        try bench.set(graph, [("x", "7"), ("y", #""a""#)])
        try bench.submit(graph, [("brief", "1")], clear: ["y"], context: "{}", by: "ann")
        bench.pass(150)
        try bench.set(graph, [("x", "10")])
    }

    @Test("Everything is as it was: values, state, revs, writers, histories, deadlines, what is due")
    func whole() throws {
        try play()
        #expect(try again().graph.seen == graph.seen)
        // From a snapshot and what came after it.
        log.storeSnapshot(of: "g")
        try play()
        let (next, restored) = try again()
        #expect(restored.seen == graph.seen)
        #expect(restored.epoch == graph.epoch && restored.origin == .client)
        // Both go on alike.
        for bench in [bench, next] {
            bench.pass(150)
            try bench.set(try #require(bench.host["g"]), [("x", "1")])
        }
        #expect(restored.seen == graph.seen)
        #expect(try next.read(restored, "mean") == "6", "the mean of 7, 10 and 1")
    }

    @Test("A change of the definition comes back, and whose it is")
    func redefined() throws {
        try play()
        let other = try bench.definition(
            #"{"graph":"g","nodes":{"x":{"set":"number"},"twice":{"from":"x","retain":"always","pipe":[{"map":"value * 2"}]}}}"#
        )
        _ = bench.host.redefine(graph, as: other, from: .file)
        bench.endTurn()
        try bench.set(graph, [("x", "21")])
        let (next, restored) = try again()
        #expect(restored.seen == graph.seen && restored.definition.hash == other.hash)
        #expect(restored.origin == .file && next.host.storedGraphs == [StoredGraph("g", .file)])
        #expect(try next.read(restored, "twice") == "42")
    }

    @Test("A graph that has ended is not brought back; one that begins again has no past")
    func ended() throws {
        try play()
        log.storeSnapshot(of: "g")
        let rev = graph.rev
        _ = bench.host.remove(graph)
        bench.endTurn()
        let second = FaultyLog(after: log)
        let gone = Bench(log: second)
        #expect(try gone.host.restore(graph: "g") == nil)
        let anew = try gone.define(graphText, named: "g")
        #expect(anew.rev == rev + 2, "its revs go on")
        #expect(try gone.read(anew, "x") == "1")
        let next = Bench(log: FaultyLog(after: second))
        let restored = try #require(try next.host.restore(graph: "g"))
        #expect(restored.rev == rev + 2)
        #expect(try next.read(restored, "x") == "1")
    }

    @Test("What stood for a session is cleared by a commit, unless it was set since")
    func presence() throws {
        let client = bench.connect()
        client.ask(#"{"op":"set","id":1,"graph":"g","set":{"y":"here","brief":1},"presence":true}"#)
        try bench.set(graph, [("brief", "2")])
        let (next, restored) = try again()
        #expect(try next.read(restored, "y") == "empty")
        #expect(try next.read(restored, "brief") == "2")
        #expect(restored.rev == graph.rev + 1)
        // The same where a snapshot says whom it stands for.
        log.storeSnapshot(of: "g")
        let (later, again) = try again()
        #expect(try later.read(again, "y") == "empty")
        #expect(again.rev == restored.rev, "it is cleared once")
    }

    @Test("A repeat for a graph that has ended and begins again after the start is answered as before it")
    func keysOfEnded() throws {
        let message = #"{"op":"set","id":1,"graph":"g","set":{"x":5},"key":"k"}"#
        _ = bench.connect().ask(message)
        _ = bench.host.remove(graph)
        bench.endTurn()
        let clock = ManualHostClock(now: bench.clock.now, wall: bench.clock.wall)
        let next = Bench(log: FaultyLog(after: log), clock: clock)
        for _ in 0..<2 {
            let anew = try next.define(graphText, named: "g")
            #expect(
                next.connect().ask(message) == [#"{"op":"ok","id":1,"epoch":"e1","rev":2,"replayed":true}"#]
            )
            #expect(try next.read(anew, "x") == "1")
            _ = next.host.remove(anew)
            next.endTurn()
        }
    }

    @Test("A repeat under its key is answered as before the start, within ten minutes, and applied once")
    func keys() throws {
        let message = #"{"op":"set","id":1,"graph":"g","set":{"x":5,"y":5},"key":"k"}"#
        let answer = bench.connect().ask(message)
        #expect(answer == [#"{"op":"ok","id":1,"epoch":"e1","rev":2}"#])
        bench.clock.advance(by: 599_000)
        let (next, restored) = try again()
        #expect(
            next.connect().ask(message) == [#"{"op":"ok","id":1,"epoch":"e1","rev":2,"replayed":true}"#]
        )
        #expect(restored.rev == 2)
        let other = #"{"op":"set","id":1,"graph":"g","set":{"x":6},"key":"k"}"#
        #expect(next.connect().ask(other).first?.contains("key_reused") == true)
        bench.clock.advance(by: 1_000)
        let (last, late) = try again()
        #expect(last.connect().ask(message) == [#"{"op":"ok","id":1,"epoch":"e1","rev":3}"#])
        #expect(late.rev == 3)
        // What was restored is over when it would have been.
        next.clock.advance(by: 1_000)
        #expect(next.connect().ask(message) == [#"{"op":"ok","id":1,"epoch":"e1","rev":3}"#])
    }

    @Test("A commit that was made elsewhere is applied in its place, delivered, and once")
    func received() throws {
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x"}"#)
        var entry = LogEntry(graph: "g")
        entry.set = [LogEntry.Assignment("x", Array("8".utf8))]
        entry.by = "elsewhere"
        var faults: [String] = []
        bench.host.handlers.onFault = { what in
            faults.append(what)
            return "here"
        }
        log.receive(entry, wall: 6_000_000)
        log.repeatLast(of: "g")
        #expect(faults == [], "what comes again is no fault")
        bench.host.flush()
        #expect(
            client.take() == [
                #"{"op":"upd","graph":"g","rev":2,"t":6000000,"d":[{"id":1,"v":8}],"by":"elsewhere"}"#
            ]
        )
        log.receive(LogEntry(graph: "g", kind: .remove), wall: 6_000_000)
        #expect(bench.host["g"] == nil)
        log.receive(
            LogEntry(graph: "h", kind: .define(text: #"{"graph":"h","nodes":{"x":{"set":"any"}}}"#, .client)),
            wall: 6_000_000
        )
        #expect(bench.host["h"]?.rev == 1)
    }

    @Test("A log that does not fit is refused with its place, and leaves no graph")
    func damaged() throws {
        func error(_ change: (FaultyLog) -> Void) throws -> String? {
            let log = FaultyLog()
            _ = try Bench(log: log).define(graphText, named: "g")
            change(log)
            let next = Bench(log: FaultyLog(after: log))
            do throws(StoreError) {
                _ = try next.host.restore(graph: "g")
                return nil
            } catch {
                #expect(next.host.graphs.isEmpty && next.host.table["g"] == nil)
                return error.message
            }
        }
        var entry = LogEntry(graph: "g")
        entry.set = [LogEntry.Assignment("mean", Array("8".utf8))]
        #expect(
            try error { $0.store(entry) } == "the log sets 'mean' of graph g, which has no such mutable node"
        )
        entry.set = [LogEntry.Assignment("x", Array("8,".utf8))]
        #expect(try error { $0.store(entry) } == "the log has a value that is not JSON")
        let definition = LogEntry(graph: "g", kind: .redefine(text: #"{"graph":"h","nodes":{}}"#, .client))
        #expect(try error { $0.store(definition) }?.hasPrefix("the stored definition of graph g") == true)
        #expect(try error { $0.drop(rev: 1) } == "the log of graph g is missing; it should reach rev 1")
    }
}
