import Commits
import TestSupport
import Testing
import Values

@testable import Graphs
@testable import Sessions

@Suite("The ring of a node's history")
struct HistoryRingTests {
    /// A ring and the plain list that it must agree with.
    struct Model {
        var ring: HistoryRing
        let capacity: Int
        let limit: Int
        var all: [(rev: UInt64, value: Datum?)] = []

        var kept: ArraySlice<(rev: UInt64, value: Datum?)> {
            var kept = all.suffix(capacity)
            while kept.reduce(0, { $0 + ($1.value?.byteCount ?? 0) }) > limit { kept = kept.dropFirst() }
            return kept
        }
    }

    @Test("Whatever comes, the newest that fit are kept, and from says what is gone", arguments: 0..<40)
    func againstAList(round: UInt64) throws {
        var random = SeededGenerator(seed: round)
        let capacity = Int.random(in: 0...9, using: &random)
        let limit = Int.random(in: 1...60, using: &random)
        var model = Model(
            ring: HistoryRing(capacity: capacity, byteLimit: limit, from: 4),
            capacity: capacity,
            limit: limit
        )
        var rev: UInt64 = 4
        var dropped: UInt64 = 4
        for _ in 0..<200 {
            rev += UInt64.random(in: 0...2, using: &random)
            if rev == 4 { rev = 5 }
            let value =
                Int.random(in: 0...5, using: &random) == 0
                ? nil
                : try Datum.parse(
                    "\"" + String(repeating: "x", count: .random(in: 0...30, using: &random)) + "\""
                )
            model.ring.append(LogStamp(rev: rev, time: rev), value)
            if value != nil || model.all.last.map({ $0.value != nil }) == true {
                let before = model.kept.first.map { _ in model.kept.startIndex } ?? model.all.count
                model.all.append((rev, value))
                let after = model.kept.first.map { _ in model.kept.startIndex } ?? model.all.count
                if after > before { dropped = model.all[after - 1].rev }
            }
            let kept = Array(model.kept)
            try #require(model.ring.count == kept.count)
            for (index, entry) in kept.enumerated() {
                #expect(model.ring[index].stamp.rev == entry.rev)
                #expect(model.ring[index].value == entry.value)
            }
            #expect(model.ring.from == dropped)
            for asked in [0, dropped, rev, rev + 1] {
                #expect(model.ring.index(after: asked) == kept.firstIndex { $0.rev > asked } ?? kept.count)
            }
        }
    }

    @Test("The newest n never begin in the middle of a rev")
    func wholeRevs() throws {
        var ring = HistoryRing(capacity: 10, byteLimit: 1000, from: 0)
        for rev: UInt64 in [1, 2, 2, 2, 3] { ring.append(LogStamp(rev: rev, time: 0), try Datum.parse("1")) }
        #expect(ring.newest(0, bytes: .max) == 5..<5)
        #expect(ring.newest(1, bytes: .max) == 4..<5)
        #expect(ring.newest(2, bytes: .max) == 4..<5)
        #expect(ring.newest(4, bytes: .max) == 1..<5)
        #expect(ring.newest(9, bytes: .max) == 0..<5)
    }
}
