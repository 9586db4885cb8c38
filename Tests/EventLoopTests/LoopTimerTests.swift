@testable import EventLoop
import Testing

@Suite("A timer")
struct LoopTimerTests {
    @Test("fires once, not early, and lets the loop end")
    func once() throws {
        let loop = try Loop()
        var firedAfter: [UInt64] = []
        let start = loop.now
        let timer = try LoopTimer(on: loop) { firedAfter.append(loop.now - start) }
        timer.start(after: .milliseconds(5))
        #expect(timer.isActive)

        #expect(!loop.run())

        #expect(firedAfter.count == 1)
        #expect(firedAfter[0] >= 5)
        #expect(!timer.isActive)
    }

    @Test("repeats until it is stopped, also from its own action")
    func repeats() throws {
        let loop = try Loop()
        var count = 0
        var timer: LoopTimer?
        timer = try LoopTimer(on: loop) {
            count += 1
            if count == 3 { timer?.stop() }
        }
        timer?.start(after: .zero, every: .milliseconds(1))

        loop.run()

        #expect(count == 3)
        timer = nil
    }

    @Test("does not fire once dropped, and may be dropped by its own action")
    func dropped() throws {
        let loop = try Loop()
        var count = 0
        var timer: LoopTimer? = try LoopTimer(on: loop) { count += 1 }
        timer?.start(after: .zero)
        timer = nil
        loop.run()
        #expect(count == 0)

        timer = try LoopTimer(on: loop) {
            count += 1
            timer = nil
        }
        timer?.start(after: .zero, every: .milliseconds(1))
        loop.run()
        #expect(count == 1)
        #expect(loop.handleCount == 0)
    }

    @Test("of the same moment fire in the order started")
    func order() throws {
        let loop = try Loop()
        var order: [Int] = []
        let timers = try (0..<5).map { number in try LoopTimer(on: loop) { order.append(number) } }
        for number in [3, 1, 4, 0, 2] { timers[number].start(after: .milliseconds(1)) }
        // Dropping a timer ends it, and an optimised build drops what is not used any more.
        withExtendedLifetime(timers) { _ = loop.run() }
        #expect(order == [3, 1, 4, 0, 2])
    }

    @Test("that does not keep the loop alive lets it end")
    func unreferenced() throws {
        let loop = try Loop()
        let timer = try LoopTimer(on: loop) { Issue.record("fired") }
        timer.start(after: .seconds(1000))
        timer.keepsLoopAlive = false
        #expect(!loop.run())
        #expect(!timer.keepsLoopAlive)
    }

    @Test(
        "delays are rounded up to whole milliseconds",
        arguments: [
            (Duration.zero, UInt64(0)), (.nanoseconds(1), 1), (.microseconds(1500), 2), (.seconds(3), 3000),
            (.seconds(-3), 0), (.nanoseconds(-3), 0), (.seconds(Int64.max), 1 << 50),
        ]
    )
    func rounding(duration: Duration, milliseconds: UInt64) {
        #expect(duration.milliseconds == milliseconds)
    }
}
