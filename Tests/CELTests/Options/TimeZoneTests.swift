import TestSupport
import Testing

@testable import CEL

@Suite("Time zones follow the rules of the tz database")
struct TimeZoneTests {
    @Test(
        "a rule for all years",
        arguments: [
            ("CET-1CEST,M3.5.0,M10.5.0/3", "2040-03-25T00:59:59Z", 3_600),
            ("CET-1CEST,M3.5.0,M10.5.0/3", "2040-03-25T01:00:00Z", 7_200),
            ("CET-1CEST,M3.5.0,M10.5.0/3", "2040-10-28T00:59:59Z", 7_200),
            ("CET-1CEST,M3.5.0,M10.5.0/3", "2040-10-28T01:00:00Z", 3_600),
            ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2040-01-01T00:00:00Z", 39_600),
            ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2040-07-01T00:00:00Z", 36_000),
            ("EST5EDT4,J60,J300", "2040-02-29T12:00:00Z", -18_000),
            ("EST5EDT4,J60,J300", "2040-03-01T12:00:00Z", -14_400),
            ("<+0530>-5:30", "2040-01-01T00:00:00Z", 19_800),
            ("<-03>3<-02>,M3.5.0/-2,M10.5.0/-1", "2040-06-01T00:00:00Z", -7_200),
            ("UTC0", "2040-01-01T00:00:00Z", 0),
        ]
    )
    func rules(_ rule: String, _ moment: String, _ offset: Int) throws {
        let zone = try #require(PosixZone(rule))
        let moment = try #require(TimeText.timestamp(moment))
        #expect(zone.offset(at: moment.seconds) == offset)
    }

    @Test(
        "an invalid rule is refused",
        arguments: ["", "5", "CET", "CET-1CEST,M13.1.0,M1.1.0", "A1B,", "A1B,M1.1.0"]
    )
    func malformed(_ rule: String) {
        #expect(PosixZone(rule) == nil)
    }

    /// A file with one transition at 1,000,000,000 from UTC+1 to UTC+2, and no rule after it.
    private var file: [UInt8] {
        func bytes(_ number: Int64, _ count: Int) -> [UInt8] {
            (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        func header(_ counts: [Int64]) -> [UInt8] {
            Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15) + counts.flatMap { bytes($0, 4) }
        }
        let types = bytes(3_600, 4) + [0, 0] + bytes(7_200, 4) + [1, 4]
        return header([0, 0, 0, 0, 1, 4]) + bytes(0, 4) + [0, 0] + Array("LMT\0".utf8)
            + header([0, 0, 0, 1, 2, 8]) + bytes(1_000_000_000, 8) + [1] + types + Array("CET\0CES\0".utf8)
            + [0x0a, 0x0a]
    }

    @Test("a compiled file is read")
    func tzif() throws {
        let rules = try #require(TimeZoneRules(tzif: file))
        #expect(rules.offset(at: 999_999_999) == 3_600)
        #expect(rules.offset(at: 1_000_000_000) == 7_200)
        #expect(rules.offset(at: -1_000_000_000_000) == 3_600)
    }

    @Test("no damaged file does harm")
    func damaged() {
        for length in 0..<file.count {
            _ = TimeZoneRules(tzif: Array(file.prefix(length)))
        }
        var random = SeededGenerator(seed: 9)
        for _ in 0..<5_000 {
            var damaged = file
            damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8.random(
                in: 0...255,
                using: &random
            )
            let rules = TimeZoneRules(tzif: damaged)
            _ = rules?.offset(at: 1_500_000_000)
        }
    }

    @Test("expressions ask the given zones, and only for names that are no offsets")
    func injection() throws {
        final class Zones: TimeZones {
            let rules: TimeZoneRules?
            var asked: [String] = []

            init(_ rules: TimeZoneRules?) {
                self.rules = rules
            }

            func rules(of zone: String) -> TimeZoneRules? {
                asked.append(zone)
                return zone == "Here/There" ? rules : nil
            }
        }
        let zones = Zones(TimeZoneRules(tzif: file))
        let program = try Program(
            "timestamp(1000000000).getHours(value)",
            variables: [Variable("value")],
            options: Options(zones: zones)
        )
        #expect(try program.evaluate("Here/There") == 3)
        #expect(try program.evaluate("+05:00") == 6)
        #expect(throws: EvaluationError.self) { try program.evaluate("No/Where") }
        #expect(throws: EvaluationError.self) {
            try program.evaluate(.string(String(repeating: "x", count: 65)))
        }
        #expect(zones.asked == ["Here/There", "No/Where"])
    }
}
