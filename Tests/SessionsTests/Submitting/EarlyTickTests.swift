import Commits
import LogTestSupport
import Testing

@testable import Definitions
@testable import Graphs
@testable import Sessions

/// Logs of version 0.1.0, where the server's clock was ahead of the one that stamps: ticks have a
/// later time than their stamps.
@Suite("Ticks that are ahead of their stamps")
struct EarlyTickTests {
    private static let text = #"""
        {"graph": "g", "nodes": {"x": {"set": "any"},
          "late": {"from": "x", "retain": "always", "pipe": [{"delay": 2000}]},
          "mean": {"from": "x", "retain": "always", "pipe": [{"window": {"last": "1s", "of": "avg"}}]},
          "each": {"from": "x", "retain": "always", "pipe": [{"sample": 100}]},
          "calm": {"from": "x", "retain": "always", "pipe": [{"debounce": 300}]},
          "hour": {"schedule": "* * * * *", "retain": "always"},
          "brief": {"set": "any", "ttl": "1s", "fresh": "500ms"}}}
        """#

    /// A log with ticks that are `ahead` of their stamps, after the moments at which they were due.
    private func log(ahead: UInt64) throws -> FaultyLog {
        let log = FaultyLog()
        let start: UInt64 = 1_763_690_000_000
        log.store(LogEntry(graph: "g", kind: .define(text: Self.text, .client)), wall: start)
        for step in UInt64(0)..<12 {
            var entry = LogEntry(graph: "g")
            entry.set = ["x", "brief"].map { LogEntry.Assignment($0, Array("\(step)".utf8)) }
            log.store(entry, wall: start + step * 700)
            let time = start + step * 700 + 3
            // Only some of them are as far ahead as can be written, because each takes a while.
            let isFar = ahead == LogStamp.times.upperBound
            let now = isFar ? (step % 4 == 3 ? ahead : time) : time + ahead
            log.store(LogEntry(graph: "g", kind: .tick(now: now)), wall: time)
        }
        return log
    }

    @Test(
        "A start and a replay read them, to the same, and the graph goes on",
        arguments: [0, 2, 1_000, 5_000, 3_600_000, LogStamp.times.upperBound]
    )
    func readable(ahead: UInt64) throws {
        let log = try log(ahead: ahead)
        let bench = Bench(log: log, clock: ManualHostClock(now: 1_000, wall: 1_763_690_060_000))
        let graph = try #require(try bench.host.restore(graph: "g"))
        let outcome = try Replay("g", from: log.reader, to: nil) { DefinitionOptions() }.run()
        #expect(outcome.commits == 25 && outcome.digest == graph.digest)
        // A snapshot has the moments that were put off.
        let saved = try SavedGraph(graph: graph).save()
        let other = Bench()
        let restored = try other.host.restorer.restore(saved, epochs: Epochs("e1"))
        #expect(restored.digest == graph.digest)
        for _ in 0..<30 {
            bench.pass(100)
            try bench.set(graph, [("x", "100")])
        }
        bench.pass(3_000)
        #expect(graph.rev < 25 + 400, "ticks come no faster than time")
        #expect(try bench.read(graph, "x") == "100")
        guard ahead < 10_000 else { return }
        #expect(try bench.read(graph, "late") == "100" && bench.read(graph, "mean") == "empty")
    }
}
