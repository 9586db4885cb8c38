import EventLoop
import Synchronization
import Testing

@Suite("Threads of one's own")
struct SerialThreadTests {
    @Test("The loop runs on until all work has been answered, in order")
    func answers() throws {
        let loop = try Loop()
        let thread = try SerialThread(on: loop)
        var answers: [Int] = []
        for number in 1...3 {
            thread.run {
                number
            } then: {
                answers.append($0)
            }
        }
        loop.run()
        #expect(answers == [1, 2, 3] && thread.isIdle)
    }

    @Test("A loop that is not kept alive ends while work is in progress")
    func endsBeforeWork() throws {
        let loop = try Loop()
        let thread = try SerialThread(on: loop, keepsLoopAlive: false)
        let mayEnd = Flag()
        var isAnswered = false
        thread.run {
            while !mayEnd.value.load(ordering: .acquiring) {}
        } then: {
            isAnswered = true
        }
        loop.run()
        #expect(!isAnswered && !thread.isIdle)
        mayEnd.value.store(true, ordering: .releasing)
    }
}

private final class Flag: Sendable {
    let value = Atomic(false)
}
