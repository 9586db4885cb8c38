import EventLoop
import Support
import Synchronization
import Testing

@testable import SluiceServer

@Suite("A loop that is stuck")
struct WatchdogTests {
    private static let second: UInt64 = 1_000_000_000
    private let turn = Activity.Turn(number: 3, began: 10 * second, work: .commit)

    @Test("a turn is reported once, when it has lasted a second")
    func longTurn() {
        var stuck = StuckLoop(drain: 0)
        let early = stuck.look(at: 10 * Self.second + 1, turn, begun: 3)
        #expect(early == StuckLoop.Verdict(next: 11 * Self.second))
        let late = stuck.look(at: 11 * Self.second, turn, begun: 3)
        #expect(late.report == turn)
        #expect(late.next == 12 * Self.second)
        #expect(stuck.look(at: 12 * Self.second, turn, begun: 3).report == nil)
        var other = turn
        other.number = 4
        other.began = 12 * Self.second
        #expect(stuck.look(at: 13 * Self.second, other, begun: 4).report == other)
    }

    @Test("the watchdog looks once a second while there are turns, and not at all while there are none")
    func rest() {
        var stuck = StuckLoop(drain: 0)
        var now = Self.second
        var looks = 0
        // Turns come and go for ten seconds, then no more.
        var begun: UInt64 = 0
        while true {
            looks += 1
            if now < 11 * Self.second { begun += 100 }
            guard let next = stuck.look(at: now, nil, begun: begun).next else { break }
            now = next
        }
        #expect(looks == 11)
    }

    @Test(
        "a stopping server is ended a second after `drain`, at the second time after a second"
    )
    func ending() {
        let grace = StuckLoop.grace
        var stuck = StuckLoop(drain: 30 * Self.second)
        stuck.terminate(at: 11 * Self.second)
        let first = stuck.look(at: 11 * Self.second, turn, begun: 3)
        #expect(!first.ends)
        #expect(stuck.look(at: 41 * Self.second, turn, begun: 3).next == 41 * Self.second + grace)
        #expect(stuck.look(at: 41 * Self.second + grace, turn, begun: 3).ends)

        stuck = StuckLoop(drain: 30 * Self.second)
        stuck.terminate(at: 11 * Self.second)
        stuck.terminate(at: 12 * Self.second)
        #expect(stuck.look(at: 12 * Self.second, turn, begun: 3).next == 12 * Self.second + grace)
        stuck.terminate(at: 12 * Self.second + 1)
        #expect(
            stuck.look(at: 12 * Self.second + grace, turn, begun: 3).ends,
            "a third signal defers nothing"
        )
        // It may also have stopped between two turns.
        #expect(stuck.look(at: 12 * Self.second + grace, nil, begun: 3).ends)
    }

    @Test("is seen by another thread, with what it is doing")
    func thread() throws {
        let server = try TestServer()
        let isReported = Reported()
        let watchdog = try Watchdog(server.server) { event in
            if case .longTurn(let turn, let milliseconds) = event, turn.connection == 77 {
                isReported.set(milliseconds)
            }
        }
        let timer = try LoopTimer(on: server.loop) { [unowned server] in
            server.server.turns.begin()
            server.server.turns.activity.note(.request, connection: 77)
            // The loop is stuck until the other thread has noticed.
            while isReported.milliseconds == 0 {}
        }
        timer.start(after: .zero)
        withExtendedLifetime(watchdog) { _ = server.loop.poll() }
        #expect(isReported.milliseconds >= 1000)
        #expect(
            server.server.turns.times.turn.counts.suffix(2).reduce(0, +) == 1,
            "one turn of more than a second"
        )
    }

    private final class Reported: Sendable {
        private let value = Atomic<UInt64>(0)
        var milliseconds: UInt64 { value.load(ordering: .acquiring) }
        func set(_ milliseconds: UInt64) { value.store(milliseconds, ordering: .releasing) }
    }
}
