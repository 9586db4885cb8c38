import Support
import TestSupport
import Testing

/// A zone with two offsets: the second one holds from `change` on.
struct ChangingZone: CustomTestStringConvertible {
    let name: String
    let change: Int64
    let before: Int
    let after: Int

    var offset: CronSchedule.Offset {
        { [self] in $0 < change ? before : after }
    }

    var testDescription: String { name }

    static let all = [
        ChangingZone(name: "Berlin, spring 2026", change: 1_774_746_000, before: 3_600, after: 7_200),
        ChangingZone(name: "Berlin, autumn 2026", change: 1_792_890_000, before: 7_200, after: 3_600),
        ChangingZone(name: "New York, spring 2026", change: 1_772_953_200, before: -18_000, after: -14_400),
        ChangingZone(name: "New York, autumn 2026", change: 1_793_512_800, before: -14_400, after: -18_000),
        ChangingZone(
            name: "Lord Howe, half an hour on",
            change: 1_791_041_400,
            before: 37_800,
            after: 39_600
        ),
        ChangingZone(
            name: "Lord Howe, half an hour back",
            change: 1_775_314_800,
            before: 39_600,
            after: 37_800
        ),
        ChangingZone(name: "São Paulo, no midnight", change: 1_541_300_400, before: -10_800, after: -7_200),
        ChangingZone(
            name: "São Paulo, back over midnight",
            change: 1_550_368_800,
            before: -7_200,
            after: -10_800
        ),
        ChangingZone(name: "Apia, a day left out", change: 1_325_239_200, before: -36_000, after: 50_400),
        ChangingZone(name: "Kwajalein, a day left out", change: 745_848_000, before: -43_200, after: 43_200),
        ChangingZone(name: "back by a day", change: 1_000_000_800, before: 43_200, after: -43_200),
    ]
}

@Suite("When a schedule comes where clocks are changed")
struct CronMomentTests {
    private static let berlin = (spring: ChangingZone.all[0], autumn: ChangingZone.all[1])

    private func days(_ text: String, _ zone: ChangingZone, _ count: Int) throws -> [String] {
        let schedule = try CronSchedule(text)
        var moment = zone.change - 12 * 3_600
        return try (0..<count).map { _ in
            moment = try #require(schedule.next(after: moment, zone.offset))
            return CivilTime.text(of: moment, offset: zone.offset(moment))
        }
    }

    @Test("a time that does not exist comes when the clocks are changed, once")
    func leftOut() throws {
        #expect(
            try days("30 2 * * *", Self.berlin.spring, 2)
                == ["2026-03-29T03:00:00+02:00", "2026-03-30T02:30:00+02:00"]
        )
        #expect(
            try days("*/10 2 * * *", Self.berlin.spring, 2)
                == ["2026-03-29T03:00:00+02:00", "2026-03-30T02:00:00+02:00"]
        )
    }

    @Test("a time that comes twice counts the first time")
    func twice() throws {
        #expect(
            try days("30 2 * * *", Self.berlin.autumn, 2)
                == ["2026-10-25T02:30:00+02:00", "2026-10-26T02:30:00+01:00"]
        )
    }

    @Test("a schedule of every hour goes by real hours")
    func hourly() throws {
        let spring = try days("30 * * * *", Self.berlin.spring, 14).suffix(3)
        #expect(
            spring == ["2026-03-29T01:30:00+01:00", "2026-03-29T03:30:00+02:00", "2026-03-29T04:30:00+02:00"]
        )
        let autumn = try days("30 * * * *", Self.berlin.autumn, 14).suffix(3)
        #expect(
            autumn == ["2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00", "2026-10-25T03:30:00+01:00"]
        )
    }

    /// All moments of a window, found by looking at each of its minutes.
    private func naive(
        _ fields: [Set<Int>],
        _ zone: ChangingZone,
        _ window: Range<Int64>
    ) -> [Int64] {
        let isHourly = fields[1].count == 24
        func matches(_ wall: Int64) -> Bool {
            let civil = CivilTime(secondsSinceEpoch: wall)
            guard fields[0].contains(civil.minute), fields[1].contains(civil.hour),
                fields[3].contains(civil.month)
            else { return false }
            let (day, weekday) = (fields[2].contains(civil.day), fields[4].contains(civil.weekday))
            let isFree = fields[2].count == 31 || fields[4].count == 7
            return isFree ? day && weekday : day || weekday
        }
        var shown: Set<Int64> = []
        var found: [Int64] = []
        var last: Int64?
        for moment in stride(from: window.lowerBound, to: window.upperBound, by: 60) {
            let wall = moment + Int64(zone.offset(moment))
            var comes = matches(wall) && (isHourly || !shown.contains(wall))
            if !isHourly, let last, wall > last + 60 {
                for skipped in stride(from: last + 60, to: wall, by: 60) where matches(skipped) {
                    comes = true
                }
            }
            shown.insert(wall)
            last = wall
            if comes { found.append(moment) }
        }
        return found
    }

    /// A field and the numbers that it chooses.
    private func field(
        _ range: ClosedRange<Int>,
        _ dice: inout SeededGenerator,
        free: Int
    ) -> (String, Set<Int>) {
        guard !dice.chance(free, in: 10) else { return ("*", Set(range)) }
        let count = 1 + dice.below(4)
        let numbers = Set((0..<count).map { _ in range.lowerBound + dice.below(range.count) })
        return (numbers.map(String.init).joined(separator: ","), numbers)
    }

    @Test("next and last agree with a look at each minute", arguments: ChangingZone.all)
    func agreement(zone: ChangingZone) throws {
        var dice = SeededGenerator(seed: environment("SLUICE_SEED").flatMap { UInt64($0) } ?? 19)
        let window = zone.change - 5 * 86_400..<zone.change + 5 * 86_400
        for _ in 0..<60 {
            let fields = [
                field(0...59, &dice, free: 2), field(0...23, &dice, free: 4), field(1...31, &dice, free: 6),
                field(1...12, &dice, free: 9), field(0...6, &dice, free: 6),
            ]
            let text = fields.map(\.0).joined(separator: " ")
            guard let schedule = try? CronSchedule(text) else { continue }
            let all = naive(fields.map(\.1), zone, window)
            for _ in 0..<40 {
                let moment = zone.change - 2 * 86_400 + Int64(dice.below(4 * 86_400))
                if let next = all.first(where: { $0 > moment }) {
                    #expect(schedule.next(after: moment, zone.offset) == next, "\(text) after \(moment)")
                } else {
                    let next = try #require(schedule.next(after: moment, zone.offset))
                    #expect(next >= window.upperBound, "\(text) after \(moment)")
                }
                if let last = all.last(where: { $0 <= moment }) {
                    #expect(schedule.last(upTo: moment, zone.offset) == last, "\(text) up to \(moment)")
                }
            }
        }
    }
}
