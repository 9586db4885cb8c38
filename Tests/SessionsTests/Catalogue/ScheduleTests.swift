import CEL
import LogTestSupport
import Testing

@testable import Definitions
@testable import Graphs
@testable import Sessions

/// A zone like Europe/Berlin under that name, whatever the machine has.
private final class BerlinOnly: TimeZones {
    func rules(of zone: String) -> TimeZoneRules? {
        guard zone == "Europe/Berlin" else { return nil }
        // Two headers without transitions and with one type, and the rule for all years.
        let header = Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15)
        let counts: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 4]
        let body: [UInt8] = [0, 0, 0x0E, 0x10, 0, 0] + Array("CET\0".utf8)
        let part = header + counts + body
        return TimeZoneRules(tzif: part + part + Array("\nCET-1CEST,M3.5.0,M10.5.0/3\n".utf8))
    }
}

private func moment(_ text: String) -> UInt64 {
    UInt64(Timestamp(rfc3339: text)?.seconds ?? 0) * 1_000
}

private let graphText = #"""
    {"nodes": {
      "at": {"schedule": "0 22 * * *", "zone": "Europe/Berlin"},
      "night": {"between": ["22:00", "06:00"], "zone": "Europe/Berlin"},
      "work": {"between": ["8:30", "17:00"], "days": "mon-fri", "zone": "+02:00"},
      "count": {"from": "at", "retain": "always", "pipe": [{"scan": {"start": 0, "with": "acc + 1"}}]}}}
    """#

@Suite("Schedules on the time of commits")
struct ScheduleTests {
    private var options: DefinitionOptions {
        DefinitionOptions(expressions: Options(zones: BerlinOnly()))
    }

    private func bench(at text: String, log: FaultyLog? = nil) -> Bench {
        Bench(log: log, clock: ManualHostClock(now: 1_000, wall: moment(text)), definitions: options)
    }

    private func seen(_ bench: Bench, _ graph: LiveGraph) throws -> [String] {
        try ["at", "night", "work", "count"].map { try bench.read(graph, $0) }
    }

    /// Lets the clock run to that time, and does what is due then.
    private func wait(_ bench: Bench, until text: String) {
        bench.clock.advance(by: moment(text) - bench.clock.wall)
        bench.host.advance()
        bench.endTurn()
    }

    @Test("a schedule is empty before its first time, between is right at once, and each time is one commit")
    func day() throws {
        // A Tuesday.
        let bench = bench(at: "2026-11-24T21:30:00+01:00")
        let graph = try bench.define(graphText, named: "g")
        #expect(try seen(bench, graph) == ["empty", "false", "false", "empty"])
        let rev = graph.rev
        wait(bench, until: "2026-11-24T21:59:59+01:00")
        #expect(graph.rev == rev)
        wait(bench, until: "2026-11-24T22:00:00+01:00")
        #expect(try seen(bench, graph) == [#""2026-11-24T22:00:00+01:00""#, "true", "false", "1"])
        #expect(graph.rev == rev + 1, "all that is due is one commit")
        wait(bench, until: "2026-11-25T06:00:00+01:00")
        #expect(try seen(bench, graph)[1] == "false")
        wait(bench, until: "2026-11-25T08:30:00+02:00")
        #expect(try seen(bench, graph)[2] == "true")
        wait(bench, until: "2026-11-25T17:00:00+02:00")
        #expect(try seen(bench, graph)[2] == "false")
        wait(bench, until: "2026-11-28T09:00:00+02:00")
        #expect(try seen(bench, graph)[2] == "false", "a Saturday")
    }

    @Test("the server looks at the wall clock again after a minute at most")
    func sleep() throws {
        let bench = bench(at: "2026-11-24T21:30:00+01:00")
        try bench.define(graphText, named: "g")
        bench.endTurn()
        #expect(bench.host.nextDeadline == bench.clock.now + 60_000)
        wait(bench, until: "2026-11-24T21:59:30+01:00")
        #expect(bench.host.nextDeadline == bench.clock.now + 30_000)
    }

    @Test("times that passed without a listener are one emission, of the newest; between is right again")
    func missed() throws {
        let bench = bench(at: "2026-11-24T21:30:00+01:00")
        let graph = try bench.define(graphText, named: "g")
        let rev = graph.rev
        wait(bench, until: "2026-12-01T23:00:00+01:00")
        #expect(try seen(bench, graph) == [#""2026-12-01T22:00:00+01:00""#, "true", "false", "1"])
        #expect(graph.rev == rev + 1)
    }

    @Test("after a restart the first tick makes up for what was missed, and nothing comes twice")
    func restart() throws {
        let log = FaultyLog()
        let first = bench(at: "2026-11-24T21:30:00+01:00", log: log)
        let graph = try first.define(graphText, named: "g")
        wait(first, until: "2026-11-24T22:00:00+01:00")
        for (text, expected, count) in [
            ("2026-11-24T22:00:01+01:00", #""2026-11-24T22:00:00+01:00""#, "1"),
            ("2026-11-27T12:00:00+01:00", #""2026-11-26T22:00:00+01:00""#, "2"),
        ] {
            for isSaved in [false, true] {
                if isSaved { log.storeSnapshot(of: "g") }
                let next = bench(at: text, log: FaultyLog(after: log))
                let restored = try #require(try next.host.restore(graph: "g"))
                #expect(restored.seen == graph.seen)
                next.host.advance()
                next.endTurn()
                let isNight = text.contains("T22") ? "true" : "false"
                #expect(try seen(next, restored).dropLast(2) == [expected, isNight])
                #expect(try seen(next, restored)[3] == count)
            }
        }
    }

    @Test("daylight saving: a period that would begin in the hour left out begins with the change")
    func daylightSaving() throws {
        let bench = bench(at: "2026-03-29T01:00:00+01:00")
        let graph = try bench.define(
            #"{"nodes": {"night": {"between": ["02:30", "04:00"], "zone": "Europe/Berlin"}, "at": {"schedule": "30 2 * * *", "zone": "Europe/Berlin"}}}"#,
            named: "g"
        )
        wait(bench, until: "2026-03-29T02:59:59+02:00")
        #expect(try bench.read(graph, "night") == "false")
        wait(bench, until: "2026-03-29T03:00:00+02:00")
        #expect(try bench.read(graph, "night") == "true")
        #expect(try bench.read(graph, "at") == #""2026-03-29T03:00:00+02:00""#)
        wait(bench, until: "2026-03-29T04:00:00+02:00")
        #expect(try bench.read(graph, "night") == "false")
    }

    @Test("daylight saving: a period that begins in the hour that comes twice begins once")
    func hourTwice() throws {
        let bench = bench(at: "2026-10-25T01:00:00+02:00")
        let graph = try bench.define(
            #"{"nodes": {"night": {"between": ["02:30", "04:00"], "zone": "Europe/Berlin"}}}"#,
            named: "g"
        )
        for (text, expected) in [
            ("2026-10-25T02:29:00+02:00", "false"), ("2026-10-25T02:30:00+02:00", "true"),
            ("2026-10-25T02:10:00+01:00", "true"), ("2026-10-25T04:00:00+01:00", "false"),
        ] {
            wait(bench, until: text)
            #expect(try bench.read(graph, "night") == expected, "\(text)")
        }
    }

    @Test("a new schedule starts anew under its name; the zone is a part of it")
    func redefined() throws {
        let bench = bench(at: "2026-11-24T22:30:00+01:00")
        let graph = try bench.define(graphText, named: "g")
        #expect(try seen(bench, graph)[1] == "true")
        let other = graphText.replacing(#""06:00"], "zone": "Europe/Berlin""#, with: #""06:00"]"#)
        guard case .applied = bench.host.redefine(graph, as: try bench.definition(other, named: "g")) else {
            Issue.record("the definition is refused")
            return
        }
        bench.endTurn()
        #expect(try seen(bench, graph)[1] == "false", "21:30 in UTC")
        wait(bench, until: "2026-11-24T22:00:00Z")
        #expect(try seen(bench, graph)[1] == "true")
        #expect(graph.isWhole)
    }

    @Test("a client's pipeline cannot have one")
    func elsewhere() throws {
        let bench = bench(at: "2026-11-24T22:30:00+01:00")
        try bench.define(graphText, named: "g")
        let answer = bench.connect().ask(#"{"op":"sub","id":1,"graph":"g","schedule":"0 22 * * *"}"#)
        #expect(answer.first?.contains(#""code":"bad_field""#) == true, "\(answer)")
    }
}
