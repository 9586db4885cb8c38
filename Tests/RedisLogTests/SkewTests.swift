import Commits
import DiskSupport
import LogTestSupport
import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import RedisLog

/// Servers whose clocks are not that of Redis, which stamps.
@Suite("Servers with other clocks than Redis")
struct SkewTests {
    private static let definition = #"""
        {"graph": "g", "nodes": {"x": {"set": "any"},
          "late": {"from": "x", "retain": "always", "pipe": [{"delay": 2000}]},
          "mean": {"from": "x", "retain": "always", "pipe": [{"window": {"last": "1s", "of": "avg"}}]},
          "s.{id}.v": {"set": "any", "expire": "1s"}}}
        """#
    private static let start: UInt64 = 1_763_690_000_000

    /// Two servers, whose clocks are that much ahead of Redis', and time.
    private final class Pair {
        let redis: RedisServer
        let clocks: [ManualHostClock]
        private(set) var servers: [SharedServer] = []
        /// What Redis' clock shows.
        var time = SkewTests.start
        private let clock: TestClock
        private var words = 0

        init(ahead: [Int64]) throws {
            redis = try RedisServer()
            clock = try TestClock(redis)
            clocks = ahead.map { ManualHostClock(now: 1_000, wall: UInt64(Int64(SkewTests.start) + $0)) }
            try clock.set(time)
            for place in clocks.indices { servers.append(try start(place)) }
            _ = servers[0].host.define(try servers[0].definition(SkewTests.definition))
            servers[0].host.settle()
            try pass(100)
        }

        func start(_ place: Int) throws -> SharedServer {
            try SharedServer(redis, clock: clocks[place], time: TestClock.text) { [unowned self] in
                words += 1
                return "word\(words)"
            }
        }

        func restart(_ place: Int) throws { servers[place] = try start(place) }

        /// Lets time pass everywhere, ten milliseconds at a time, until `isOver`; returns how much.
        @discardableResult
        func pass(_ limit: UInt64, until isOver: () throws -> Bool = { false }) throws -> UInt64? {
            for passed in stride(from: UInt64(10), through: limit, by: 10) {
                time += 10
                try clock.set(time)
                for (server, clock) in zip(servers, clocks) {
                    clock.advance(by: 10)
                    for executor in [server.writer, server.listener] { executor.advance(by: 10) }
                    server.host.advance()
                    server.host.flush()
                    for _ in 0..<2 {
                        server.step(server.writer)
                        server.step(server.listener)
                    }
                }
                if try isOver() { return passed }
            }
            return nil
        }

        /// Sets Redis' clock, as a failover to another Redis does.
        func set(back milliseconds: UInt64) throws {
            time -= milliseconds
            try clock.set(time)
        }

        func graph(_ place: Int) throws -> LiveGraph { try #require(servers[place].host["g"]) }

        func read(_ name: String, at place: Int = 0) throws -> String? {
            let graph = try graph(place)
            guard case .value(let datum) = graph.read(try #require(graph.node(name))).held else { return nil }
            return datum.text
        }

        func set(_ name: String, _ value: String, at place: Int = 0) throws {
            let graph = try graph(place)
            var commit = Commit(graph: graph)
            commit.set.append(Assignment(try #require(graph.node(name)), try Datum.parse(value)))
            _ = servers[place].host.submit(commit)
            servers[place].host.flush()
        }

        /// The ticks of the log, and what is wrong with times in it.
        func history() throws -> (ticks: Int, wrong: [String]) {
            var (ticks, last, wrong) = (0, UInt64(0), [String]())
            try servers[0].log.reader.entries(of: "g", in: 1...(.max >> 1)) { entry, stamp in
                if stamp.time < last { wrong.append("rev \(stamp.rev) goes back") }
                last = stamp.time
                if case .tick(let now) = entry.kind {
                    ticks += 1
                    if now > stamp.time {
                        wrong.append("rev \(stamp.rev) ticks \(now - stamp.time) ms early")
                    }
                }
                return true
            }
            return (ticks, wrong)
        }

        func agree() throws {
            let fresh = try start(0)
            let digests =
                try servers.indices.map { try graph($0).digest } + [fresh.host["g"]?.digest ?? "none"]
            #expect(Set(digests).count == 1, "\(digests)")
        }
    }

    @Test(
        "A delay of two seconds takes two, and a window empties after its time, by Redis' clock",
        arguments: [-5_000, 0, 2, 5_000, 3_600_000]
    )
    func delays(ahead: Int64) throws {
        let pair = try Pair(ahead: [ahead, -ahead])
        try pair.set("x", "7")
        try pair.set("s.1.v", "7")
        let emptied = try pair.pass(3_000) {
            try pair.read("mean") == nil && pair.read("x") == "7" && pair.graph(0).rev > 3
        }
        let mean = try #require(emptied)
        #expect((1_000...1_040).contains(mean))
        let delayed = try pair.pass(3_000) { try pair.read("late") == "7" }
        let late = try #require(delayed)
        #expect((1_960...2_040).contains(mean + late))
        try pair.pass(200)
        let history = try pair.history()
        #expect(history.ticks <= 3 && history.wrong == [])
        #expect(try pair.graph(0).members.livingCount == 0)
        try pair.agree()
    }

    @Test("After a failover to a Redis whose clock is behind, no stamp goes back, and no tick is early")
    func failover() throws {
        let pair = try Pair(ahead: [0, 5_000])
        try pair.set("x", "7")
        try pair.pass(500)
        try pair.set(back: 3_000)
        // The server does not know yet.
        try pair.pass(2_500)
        #expect(try pair.read("late") == nil && pair.read("mean") == "7")
        try pair.pass(3_000)
        #expect(try pair.read("late") == "7" && pair.read("mean") == nil)
        let history = try pair.history()
        #expect(history.ticks <= 3 && history.wrong == [])
        try pair.agree()
    }

    @Test(
        "A Redis whose clock is set forward loses no server; a silent one is lost although the clock is set back"
    )
    func signs() throws {
        let pair = try Pair(ahead: [0, 0])
        var problems: [String] = []
        for server in pair.servers { server.log.onEvent = { if $0 { problems.append($1) } } }
        try pair.pass(5_000)
        pair.time += 3_600_000
        try pair.pass(15_000)
        #expect(problems == [])
        try pair.set(back: 7_200_000)
        pair.servers[1].store.isCutOff = true
        try pair.pass(9_000)
        problems = problems.filter { $0.contains("sign of life") }
        #expect(problems == [])
        try pair.pass(8_000)
        problems = problems.filter { $0.contains("sign of life") }
        #expect(problems == ["1 servers that share Redis have sent no sign of life for 10 seconds"])
    }

    @Test(
        "Ticks of 0.1.0 that are ahead of their stamps fire as recorded, on all servers and after a start",
        arguments: [2, 5_000, 3_600_000]
    )
    func formerTicks(ahead: UInt64) throws {
        let pair = try Pair(ahead: [0, 5_000])
        let store = RedisStore(pair.redis.address, prefix: "world", time: TestClock.text)
        for number in UInt64(1)...10 {
            try pair.set("x", "\(number)")
            try pair.pass(40)
            var item = Batch.Item(kind: .tick, count: 1, bytes: [])
            LogEntry(graph: "g", kind: .tick(now: pair.time + 1_000 + ahead)).append(to: &item.bytes)
            let base = try #require(try store.positions()["g"])
            let batch = Batch(
                graph: "g",
                number: number,
                id: "old\(number)",
                writer: "old",
                base: base,
                items: [item]
            )
            let outcome = try store.append([batch], fence: 99, replicas: 0, isReading: false).outcomes[0]
                .get()
            #expect(outcome == .answered([.taken], rev: base.rev + 1))
            try pair.pass(40)
        }
        #expect(try pair.history().wrong.count == 10)
        try pair.agree()
        try pair.restart(1)
        try pair.agree()
        let outcome = try Replay("g", from: pair.servers[0].log.reader, to: nil) { DefinitionOptions() }.run()
        #expect(try outcome.digest == pair.graph(0).digest)
    }
}
