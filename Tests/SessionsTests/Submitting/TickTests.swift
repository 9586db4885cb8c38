import Commits
import LogTestSupport
import Testing

@testable import Definitions
@testable import Graphs
@testable import Sessions

@Suite("Ticks of graphs")
struct TickTests {
    @Test("A turn looks at graphs with timers only, whenever they are set")
    func timed() throws {
        let bench = Bench()
        for number in 0..<100 {
            try bench.define(#"{"graph": "quiet\#(number)", "nodes": {"x": {"set": "any"}}}"#)
        }
        let text =
            #"{"graph": "late", "nodes": {"x": {"set": "any"}, "y": {"from": "x", "retain": "always", "pipe": [{"delay": 20}]}}}"#
        let graph = try bench.define(text)
        #expect(bench.host.table.ticks.graphs.isEmpty && bench.host.nextDeadline == nil)
        for value in 1...2 {
            try bench.set(graph, [("x", "\(value)")])
            #expect(bench.host.table.ticks.graphs.count == 1)
            #expect(bench.host.nextDeadline == bench.clock.now + 20)
            bench.pass(21)
            #expect(try bench.read(graph, "y") == "\(value)")
            #expect(bench.host.table.ticks.graphs.isEmpty && bench.host.nextDeadline == nil)
        }
        try bench.set(graph, [("x", "3")])
        _ = bench.host.remove(graph)
        bench.endTurn()
        #expect(bench.host.table.ticks.graphs.isEmpty && bench.host.nextDeadline == nil)
    }

    @Test("A graph whose time has not come makes no tick when that of another has")
    func alone() throws {
        let bench = Bench()
        func graph(_ name: String, _ delay: Int) throws -> LiveGraph {
            let nodes =
                #"{"x": {"set": "any"}, "y": {"from": "x", "retain": "always", "pipe": [{"delay": \#(delay)}]}}"#
            return try bench.define(#"{"graph": "\#(name)", "nodes": \#(nodes)}"#)
        }
        let (early, late) = (try graph("early", 20), try graph("late", 2_000))
        for graph in [early, late] { try bench.set(graph, [("x", "1")]) }
        let before = late.rev
        bench.pass(1_000)
        #expect(try bench.read(early, "y") == "1" && late.rev == before)
        bench.pass(1_001)
        #expect(try bench.read(late, "y") == "1" && late.rev == before + 1)
    }

    fileprivate static let timed = #"""
        {"graph": "g", "nodes": {"x": {"set": "any"},
          "late": {"from": "x", "retain": "always", "pipe": [{"delay": 2000}]},
          "mean": {"from": "x", "retain": "always", "pipe": [{"window": {"last": "1s", "of": "avg"}}]},
          "brief": {"set": "any", "ttl": "1s"},
          "s.{id}.v": {"set": "any", "expire": "1s"}}}
        """#

    /// A server whose clock is `ahead` of the log's, which stamps: after how many milliseconds of
    /// that clock a node has changed.
    private struct Skewed {
        let log = FaultyLog()
        let bench: Bench
        let graph: LiveGraph
        private static let start: UInt64 = 50_000_000

        init(ahead: Int64) throws {
            let wall = UInt64(Int64(Self.start) + ahead)
            bench = Bench(log: log, clock: ManualHostClock(now: 1_000, wall: wall))
            log.time = Self.start
            graph = try bench.define(TickTests.timed)
        }

        /// Lets time pass on all clocks until `isOver`, and says how long it took.
        @discardableResult
        func until(_ limit: UInt64, _ isOver: () throws -> Bool) throws -> UInt64 {
            for passed in 0...limit {
                bench.host.advance()
                bench.endTurn()
                if try isOver() { return passed }
                guard passed < limit else { break }
                bench.clock.advance(by: 1)
                log.time = try #require(log.time) + 1
            }
            return .max
        }

        func read(_ name: String) throws -> String { try bench.read(graph, name) }

        /// The stamps of all commits.
        func times() throws -> [UInt64] {
            var times: [UInt64] = []
            try log.reader.entries(of: "g", in: 1...graph.rev) { _, stamp in
                times.append(stamp.time)
                return true
            }
            return times
        }

        /// Times of ticks that are later than their stamps.
        func late() throws -> [UInt64] {
            var late: [UInt64] = []
            try log.reader.entries(of: "g", in: 1...graph.rev) { entry, stamp in
                if case .tick(let now) = entry.kind, now > stamp.time { late.append(now) }
                return true
            }
            return late
        }
    }

    @Test(
        "Ticks are due on the clock that stamps, wherever the server's own clock stands",
        arguments: [-3_600_000, -5_000, -2, 0, 2, 20, 5_000, 3_600_000]
    )
    func skewed(ahead: Int64) throws {
        let skewed = try Skewed(ahead: ahead)
        try skewed.bench.set(skewed.graph, [("x", "7"), ("brief", "1"), ("s.1.v", "1")])
        #expect(try skewed.read("mean") == "7")
        #expect(try skewed.until(1_500) { try skewed.read("mean") == "empty" } == 1_000)
        #expect(try skewed.read("brief") == "empty")
        #expect(try skewed.until(100) { skewed.graph.members.livingCount == 0 } <= 1)
        #expect(try skewed.until(1_500) { try skewed.read("late") == "7" } == 1_000)
        #expect(try skewed.late() == [])
        let replayed = try Replay("g", from: skewed.log.reader, to: nil) { DefinitionOptions() }.run()
        #expect(replayed.digest == skewed.graph.digest)
    }

    @Test("A clock that stamps and is set back delays ticks, and wakes nobody until it comes near them")
    func setBack() throws {
        let skewed = try Skewed(ahead: 0)
        try skewed.bench.set(skewed.graph, [("x", "7")])
        skewed.log.time = skewed.log.time.map { $0 - 10_000 }
        let host = skewed.bench.host
        #expect(host.nextDeadline == skewed.bench.clock.now + 11_000)
        #expect(try skewed.until(20_000) { try skewed.read("late") == "7" } == 12_000)
        #expect(try skewed.late() == [])
        let times = try skewed.times()
        #expect(times == times.sorted())
    }

    @Test("A tick or an expiry that was too early is made again when it is due, without a pause")
    func tooEarly() throws {
        let skewed = try Skewed(ahead: 0)
        let (bench, log) = (skewed.bench, skewed.log)
        try bench.set(skewed.graph, [("x", "7"), ("s.1.v", "1")])
        log.isSlow = true
        log.time = log.time.map { $0 + 1_000 }
        bench.clock.advance(by: 1_000)
        bench.host.advance()
        bench.host.flush()
        #expect(log.pending == 2)
        // It was set back before the log has stamped them.
        log.time = log.time.map { $0 - 500 }
        log.isSlow = false
        bench.endTurn()
        #expect(try skewed.read("mean") == "7" && skewed.graph.members.livingCount == 1)
        #expect(bench.host.nextDeadline == bench.clock.now + 500)
        #expect(try skewed.until(1_000) { try skewed.read("mean") == "empty" } == 500)
        #expect(try skewed.until(10) { skewed.graph.members.livingCount == 0 } <= 1)
    }

    @Test("After a refusal there is a pause, which the wall clock cannot make longer")
    func pause() throws {
        let skewed = try Skewed(ahead: 0)
        let (bench, log) = (skewed.bench, skewed.log)
        try bench.set(skewed.graph, [("x", "7")])
        log.moves = 1
        #expect(try skewed.until(1_500) { log.moves == 0 } == 1_000)
        #expect(bench.host.nextDeadline == bench.clock.now + 250)
        bench.clock.set(wall: 1)
        #expect(try skewed.until(1_000) { try skewed.read("mean") == "empty" } == 250)
    }

    @Test("Without a log the host's clock stamps; set back, it stands still", arguments: [false, true])
    func withoutLog(isStored: Bool) throws {
        let bench = Bench(log: isStored ? FaultyLog() : nil)
        let graph = try bench.define(Self.timed)
        bench.clock.set(wall: bench.clock.wall + 3_600_000)
        try bench.set(graph, [("x", "7")])
        let time = graph.time
        bench.clock.set(wall: time - 3_000)
        try bench.set(graph, [("x", "8")])
        #expect(graph.time == time)
        bench.pass(3_500)
        #expect(try bench.read(graph, "late") == "empty" && bench.read(graph, "mean") == "7.5")
        bench.pass(500)
        #expect(try bench.read(graph, "mean") == "empty" && graph.time == time + 1_000)
        bench.pass(1_000)
        #expect(try bench.read(graph, "late") == "8" && graph.time == time + 2_000)
    }
}
