import EventLoop
import Testing

@Suite("A loop")
struct LoopTests {
    @Test("with nothing on it does not wait")
    func empty() throws {
        let loop = try Loop()
        #expect(!loop.isAlive)
        #expect(!loop.run())
    }

    @Test("stops on request, with work left, and continues when run again")
    func stop() throws {
        let loop = try Loop()
        var count = 0
        let timer = try LoopTimer(on: loop) {
            count += 1
            loop.stop()
        }
        timer.start(after: .zero, every: .milliseconds(1))
        #expect(loop.run())
        #expect(loop.run())
        #expect(count == 2)
    }

    @Test("runs what is asked for soon in the next turn, in order, also what is asked for meanwhile")
    func soon() throws {
        let loop = try Loop()
        var order: [String] = []
        loop.soon {
            order.append("a")
            loop.soon { order.append("c") }
        }
        loop.soon { order.append("b") }
        #expect(order.isEmpty)
        loop.run()
        #expect(order == ["a", "b", "c"])
        #expect(loop.handleCount == 0)
    }

    @Test("caches the time of a turn, and gives the wall clock")
    func time() throws {
        let loop = try Loop()
        let before = loop.wallClock
        #expect(before > 1_577_836_800_000, "later than 2020")
        let timer = try LoopTimer(on: loop) {}
        timer.start(after: .milliseconds(20))
        let started = loop.now
        loop.run()
        #expect(loop.now >= started + 20)
        #expect(loop.wallClock >= before + 19)
    }

    @Test("dropping handles while it runs frees it all")
    func teardown() throws {
        weak var weakLoop: Loop?
        do {
            let loop = try Loop()
            weakLoop = loop
            var timers: [LoopTimer] = []
            for _ in 0..<100 {
                let timer = try LoopTimer(on: loop) { timers.removeAll() }
                timer.start(after: .zero, every: .milliseconds(1))
                timers.append(timer)
            }
            loop.run()
            #expect(timers.isEmpty)
        }
        #expect(weakLoop == nil)
    }

    @Test("outlives its own variable as long as a handle is held")
    func heldByHandle() throws {
        weak var weakLoop: Loop?
        var timer: LoopTimer?
        do {
            let loop = try Loop()
            weakLoop = loop
            timer = try LoopTimer(on: loop) {}
        }
        timer?.start(after: .zero)
        #expect(weakLoop?.run() == false)
        timer = nil
        #expect(weakLoop == nil)
    }

    @Test("two of them run side by side in one thread")
    func two() throws {
        let first = try Loop()
        let second = try Loop()
        var heard: [Int] = []
        let one = try LoopTimer(on: first) { heard.append(1) }
        let two = try LoopTimer(on: second) { heard.append(2) }
        one.start(after: .zero)
        two.start(after: .zero)
        second.run()
        first.run()
        #expect(heard == [2, 1])
    }
}

@Suite("The end of a turn")
struct TurnEndTests {
    @Test("comes once after all that a turn's sockets brought")
    func afterSockets() throws {
        let net = try Loopback()
        var log: [String] = []
        let clients = try (0..<3).map { _ in try net.connect().client }
        let turnEnd = try TurnEnd(on: net.loop) { if log.last == "received" { log.append("end") } }
        net.onServed = { _, event in
            guard event == .received else { return }
            log.append("received")
            turnEnd.isDue = true
        }

        for client in clients { client.send("x") }
        net.run { log.count { $0 == "received" } == 3 }

        #expect(log == ["received", "received", "received", "end"])
    }

    @Test("comes before the loop falls asleep after a timer's work")
    func afterTimers() throws {
        let loop = try Loop()
        var log: [String] = []
        let turnEnd = try TurnEnd(on: loop) { if log == ["first"] { log.append("end") } }
        let second = try LoopTimer(on: loop) { log.append("second") }
        let first = try LoopTimer(on: loop) {
            log.append("first")
            turnEnd.isDue = true
            second.start(after: .milliseconds(1))
        }
        first.start(after: .milliseconds(1))
        loop.run()
        #expect(log == ["first", "end", "second"])
        _ = turnEnd
    }

    @Test("comes once before it was asked for, and then only in turns that ask")
    func onlyWhenAsked() throws {
        let loop = try Loop()
        let keeper = try LoopTimer(on: loop) {}
        keeper.start(after: .seconds(60))
        var ends = 0
        let turnEnd = try TurnEnd(on: loop) { ends += 1 }
        for _ in 0..<3 { loop.poll() }
        #expect(ends == 1)
        turnEnd.isDue = true
        for _ in 0..<3 { loop.poll() }
        #expect(ends == 2)
        keeper.stop()
    }

    @Test("asked for by its own action, it comes again")
    func askedAgain() throws {
        let loop = try Loop()
        let keeper = try LoopTimer(on: loop) {}
        keeper.start(after: .seconds(60))
        var ends = 0
        var turnEnd: TurnEnd?
        turnEnd = try TurnEnd(on: loop) {
            ends += 1
            turnEnd?.isDue = ends < 3
        }
        for _ in 0..<5 { loop.poll() }
        #expect(ends == 3)
        turnEnd = nil
        keeper.stop()
    }

    @Test("does not keep the loop running and is silent once dropped, also by its own action")
    func dropped() throws {
        let loop = try Loop()
        var count = 0
        var turnEnd: TurnEnd?
        turnEnd = try TurnEnd(on: loop) {
            count += 1
            turnEnd = nil
        }
        #expect(turnEnd != nil)
        #expect(!loop.run())
        loop.soon { loop.soon {} }
        loop.run()
        #expect(count == 1)
        #expect(loop.handleCount == 0)
    }
}
