import ReactiveGraph
import TestSupport
import Testing

@Suite("Clocks")
struct ClockTests {
    @Test("A manual clock runs what is due by deadline, ties by creation, each at its own time (G-112)")
    func manual() {
        let clock = ManualClock()
        var order: [String] = []
        for (name, seconds) in [("c", 3), ("a", 1), ("b", 1), ("d", 9)] {
            _ = clock.schedule(at: .seconds(seconds)) {
                order.append("\(name) \(clock.now.components.seconds)")
            }
        }
        let cancelled = clock.schedule(at: .seconds(2)) { order.append("never") }
        cancelled.cancel()
        clock.advance(by: .seconds(5))
        #expect(order == ["a 1", "b 1", "c 3"])
        #expect(clock.now == .seconds(5))
        #expect(clock.pendingCount == 1)
        #expect(clock.nextDeadline == .seconds(9))
        clock.advance(by: .seconds(5))
    }

    @Test("What an action schedules is run by the same advance, if it is due")
    func chained() {
        let clock = ManualClock()
        var times: [Duration] = []
        func again() {
            times.append(clock.now)
            guard times.count < 3 else { return }
            _ = clock.schedule(at: clock.now + .seconds(2)) { again() }
        }
        _ = clock.schedule(at: .seconds(1)) { again() }
        clock.advance(to: .seconds(6))
        #expect(times == [.seconds(1), .seconds(3), .seconds(5)])
    }

    @Test("A timer that is set to a later time counts with that time only (G-112)")
    func later() {
        let queue = TimerQueue { .zero }
        var order: [String] = []
        let timers = ["a", "b"].map { name in
            Timer {
                order.append(name)
                return nil
            }
        }
        queue.set(timers[0], at: queue.moment(.seconds(1)))
        queue.set(timers[1], at: queue.moment(.seconds(2)))
        queue.set(timers[0], at: queue.moment(.seconds(3)))
        #expect(queue.next == .seconds(2))
        queue.fire(until: .seconds(2)) { _ in }
        #expect(order == ["b"])
        queue.set(timers[0], at: queue.moment(.seconds(5)))
        queue.set(timers[0], at: queue.moment(.seconds(4)))
        #expect(queue.next == .seconds(4))
        queue.fire(until: .seconds(4)) { _ in }
        #expect(order == ["b", "a"])
        #expect(queue.next == nil)
    }

    @Test(
        "G-112: a timer that is set while it fires, for no later than its own time, fires once more, a millisecond after the others",
        arguments: [true, false]
    )
    func again(isSameMoment: Bool) {
        let queue = TimerQueue { .zero }
        var count = 0
        let timer = Timer()
        timer.action = {
            count += 1
            // Without the rule it would go on for ever.
            guard count < 1_000 else { return nil }
            queue.set(timer, at: isSameMoment ? timer.deadline : queue.moment(.milliseconds(500)))
            return nil
        }
        queue.set(timer, at: queue.moment(.seconds(1)))
        queue.fire(until: .seconds(5)) { _ in }
        #expect(count == 1)
        #expect(queue.next == .milliseconds(5_001))
        queue.fire(until: .seconds(6)) { _ in }
        #expect(count == 2)
        #expect(queue.next == .milliseconds(6_001))
    }

    @Test("G-112: moments of one time that were asked for before are each taken")
    func several() {
        let queue = TimerQueue { .zero }
        var moments = (0..<3).map { _ in queue.moment(.seconds(1)) }
        var count = 0
        let timer = Timer()
        timer.action = {
            count += 1
            if !moments.isEmpty { queue.set(timer, at: moments.removeFirst()) }
            return nil
        }
        queue.set(timer, at: moments.removeFirst())
        queue.fire(until: .seconds(1)) { _ in }
        #expect(count == 3 && queue.next == nil)
    }

    @Test("G-112: timers that set each other without end leave the rest for later")
    func endless() {
        let queue = TimerQueue { .zero }
        var count = 0
        let timers = [Timer(), Timer()]
        for (timer, other) in [(timers[0], timers[1]), (timers[1], timers[0])] {
            timer.action = { [unowned other] in
                count += 1
                if count < 1_000_000 { queue.set(other, at: queue.moment(.seconds(1))) }
                return nil
            }
        }
        // Optimised, the timers would be gone with their last use.
        withExtendedLifetime(timers) {
            queue.set(timers[0], at: queue.moment(.seconds(1)))
            queue.fire(until: .seconds(5)) { _ in }
        }
        #expect(count == TimerQueue.mostAgain + 1)
        #expect(queue.next == .seconds(1))
    }

    @Test("G-112: a timetable whose next moment is the present one does not stop the clock")
    func stuck() {
        let clock = ManualClock()
        let graph = Graph(clock: clock)
        var asked = 0
        let node = graph.schedule(
            next: { now in
                asked += 1
                return asked < 1_000 ? now : nil
            },
            last: { $0 }
        )
        let heard = Recorder(node)
        clock.advance(by: .milliseconds(10))
        #expect(asked == 12)
        #expect(heard.history.count == 10)
    }

    @Test("Many timers of one graph fire in order, whatever is restarted and cancelled", arguments: 0..<10)
    func many(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let clock = ManualClock()
        let graph = Graph(clock: clock)
        let recorder = Recorder<String>()
        let sources = (0..<40).map { _ in graph.mutable(of: Int.self) }
        for (index, source) in sources.enumerated() {
            let node = source.debounce(for: .milliseconds(10 + index))
            node.listen(owner: recorder) { $0.note("\(index):\($1)") }
        }
        var last: [Int: (deadline: Duration, step: Int)] = [:]
        for step in 0..<200 {
            let index = Int.random(in: 0..<40, using: &random)
            sources[index].set(step)
            last[index] = (clock.now + .milliseconds(10 + index), step)
        }
        let ordered = last.sorted { ($0.value.deadline, $0.value.step) < ($1.value.deadline, $1.value.step) }
        clock.advance(by: .seconds(1))
        #expect(recorder.history == ordered.map { "\($0.key):\($0.value.step)" }, "seed \(seed)")
        #expect(clock.pendingCount == 0)
    }

    @Test("A timed operator of a graph without clock is refused with a message")
    func refused() async {
        await #expect(processExitsWith: .failure) {
            _ = Graph().mutable(1).delay(for: .seconds(1))
        }
    }

    @Test("Links across graphs are refused")
    func acrossGraphs() async {
        await #expect(processExitsWith: .failure) {
            Graph().mutable(1).link(to: Graph().mutable(2))
        }
    }
}
