import Commits
import TestSupport
import Testing

@testable import RedisLog

/// What a server assumes about Redis' clock, and about other servers.
@Suite("Clocks and signs of life")
struct StampClockTests {
    @Test("It shows no more than the other clock, however long answers take and however clocks drift")
    func least() {
        var dice = SeededGenerator(seed: 45)
        for _ in 0..<200 {
            var clock = StampClock()
            // In microseconds.
            var (own, other) = (1_000_000 + dice.below(1_000_000), 9_000_000_000 + dice.below(1_000_000))
            let drift = 0.999 + Double(dice.below(3)) / 1_000
            func pass(_ microseconds: Int) {
                own += microseconds
                other += Int(Double(microseconds) * drift)
            }
            for _ in 0..<50 {
                let asked = UInt64(own / 1_000)
                pass(dice.below(5_000))
                let time = UInt64(other / 1_000)
                pass(dice.below(20_000))
                clock.note(time, asked: asked, now: UInt64(own / 1_000))
                pass(dice.below(2_000_000))
                let shown = clock.time(at: UInt64(own / 1_000)) ?? 0
                // Some for the drift since the earlier answers that count.
                let most = UInt64(other / 1_000) + (drift < 1 ? 10 : 0)
                #expect(shown <= most && shown + 40 >= UInt64(other / 1_000))
            }
        }
    }

    @Test("The quickest answer counts; a clock that is set, or found to be behind, counts anew")
    func answers() {
        var clock = StampClock()
        #expect(clock.time(at: 100) == nil)
        clock.note(5_000, asked: 100, now: 400)
        #expect(clock.time(at: 400) == 4_999)
        clock.note(6_000, asked: 1_300, now: 1_302)
        #expect(clock.time(at: 1_302) == 5_999)
        clock.note(7_000, asked: 2_000, now: 2_700)
        #expect(clock.time(at: 2_302) == 6_999)
        // Set back, and forward.
        clock.note(1_000, asked: 3_000, now: 3_010)
        #expect(clock.time(at: 3_010) == 999)
        clock.note(9_000, asked: 4_000, now: 4_010)
        #expect(clock.time(at: 4_010) == 8_999)
        // A tick was too early for it, although what was assumed is possible.
        var item = Batch.Item(kind: .tick, count: 1, bytes: [])
        item.note = "9990"
        let base = StreamPosition(epochs: Epochs("e"), rev: 1, time: 0, id: "", definition: 1)
        let batch = Batch(graph: "g", number: 1, id: "1", writer: "a", base: base, items: [item])
        clock.note(9_986, asked: 5_000, now: 5_000, [batch])
        #expect(clock.time(at: 5_000) == 9_985)
    }

    @Test("A server is silent if its sign does not change; no pause of all servers counts as silence")
    func signs() {
        var signs = SignsOfLife()
        #expect(signs.look(at: ["a": "5", "b": "7"], 1_000) == [])
        #expect(signs.look(at: ["a": "9", "b": "7"], 3_000) == [])
        // Redis was out of reach for an hour, and its clock was set back.
        #expect(signs.look(at: ["a": "9", "b": "7"], 3_603_000) == [])
        #expect(signs.look(at: ["a": "2", "b": "7"], 3_605_000) == [])
        #expect(signs.look(at: ["a": "2", "b": "7"], 3_607_000) == ["b"])
        // It is back.
        #expect(signs.look(at: ["a": "3", "b": "1"], 3_609_000) == [])
        #expect(signs.look(at: ["b": "1"], 3_611_000) == [])
        #expect(signs.look(at: ["a": "3", "b": "2"], 3_613_000) == [])
    }
}
