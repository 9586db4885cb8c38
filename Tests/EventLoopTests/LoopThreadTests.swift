import EventLoop
import Testing

@Suite("A thread with a loop of its own")
struct LoopThreadTests {
    @Test("takes messages while the loop that made it does not run, and ends when it is dropped")
    func messages() throws {
        let loop = try Loop()
        var sum = 0
        let answers = try MailboxReader<Int>(on: loop) { number in
            sum += number
            if sum == 21 { loop.stop() }
        }
        let mailbox = answers.mailbox
        var thread: LoopThread<Mailbox<Int>>? = try LoopThread { loop throws(UVError) in
            let reader = try MailboxReader<Int>(on: loop) { number in _ = mailbox.post(number * number) }
            return (reader.mailbox, reader)
        }
        for number in [1, 2, 4] { #expect(thread?.shared.post(number) == true) }
        loop.run()
        #expect(sum == 21)
        let shared = try #require(thread?.shared)
        thread = nil
        #expect(!shared.post(1), "nobody reads any more")
    }

    @Test("that cannot be set up says why")
    func failure() {
        #expect(throws: UVError.self) {
            _ = try LoopThread<Int> { loop throws(UVError) in
                (1, try SignalWatcher(on: loop, SignalWatcher.Signal(rawValue: 9)) {})
            }
        }
    }
}
