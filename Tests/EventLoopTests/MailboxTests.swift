import EventLoop
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("A mailbox")
struct MailboxTests {
    @Test("brings the messages of many threads, each thread's in order")
    func manyThreads() throws {
        let loop = try Loop()
        var heard: [Int: [Int]] = [:]
        var total = 0
        let reader = try MailboxReader<(sender: Int, number: Int)>(on: loop) { message in
            heard[message.sender, default: []].append(message.number)
            total += 1
            if total == 8 * 5000 { loop.stop() }
        }
        let threads = (0..<8).map { sender in
            let mailbox = reader.mailbox
            return TestThread { for number in 0..<5000 { mailbox.post((sender, number)) } }
        }

        loop.run()
        for thread in threads { thread.join() }

        #expect(heard.count == 8)
        #expect(heard.values.allSatisfy { $0 == Array(0..<5000) })
    }

    @Test("refuses messages once its reader is gone, however the threads race with that")
    func closed() throws {
        for _ in 0..<200 {
            let loop = try Loop()
            var reader: MailboxReader<Int>? = try MailboxReader(on: loop) { _ in }
            let mailbox = try #require(reader).mailbox
            let threads = (0..<2).map { _ in TestThread { while mailbox.post(1) {} } }
            loop.runOnce()
            reader = nil
            for thread in threads { thread.join() }
            #expect(!mailbox.post(2))
        }
    }

    @Test("whose reader is dropped by a message receives no later ones")
    func droppedByMessage() throws {
        let loop = try Loop()
        var heard: [Int] = []
        var reader: MailboxReader<Int>?
        reader = try MailboxReader(on: loop) { message in
            heard.append(message)
            if message == 2 { reader = nil }
        }
        let mailbox = try #require(reader).mailbox
        for number in 1...4 { mailbox.post(number) }
        loop.run()
        #expect(heard == [1, 2])
        #expect(loop.handleCount == 0)
    }

    @Test("receives what a message makes it post")
    func postsToItself() throws {
        let loop = try Loop()
        var heard: [Int] = []
        var reader: MailboxReader<Int>?
        reader = try MailboxReader(on: loop) { message in
            heard.append(message)
            if message < 3 { reader?.mailbox.post(message + 1) } else { reader = nil }
        }
        reader?.mailbox.post(1)
        loop.run()
        #expect(heard == [1, 2, 3])
    }

    @Test("can be set not to keep the loop running")
    func unreferenced() throws {
        let loop = try Loop()
        let reader = try MailboxReader<Int>(on: loop) { _ in }
        reader.keepsLoopAlive = false
        #expect(!loop.run())
    }
}

/// A thread that runs one closure.
final class TestThread {
    private var thread: pthread_t

    init(_ body: @escaping @Sendable () -> Void) {
        final class Box {
            let body: @Sendable () -> Void
            init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        }
        let box = Unmanaged.passRetained(Box(body)).toOpaque()
        #if canImport(Glibc)
            var thread = pthread_t()
            pthread_create(
                &thread,
                nil,
                { box in
                    Unmanaged<Box>.fromOpaque(box!).takeRetainedValue().body()
                    return nil
                },
                box
            )
            self.thread = thread
        #else
            var thread: pthread_t?
            pthread_create(
                &thread,
                nil,
                { box in
                    Unmanaged<Box>.fromOpaque(box).takeRetainedValue().body()
                    return nil
                },
                box
            )
            self.thread = thread!
        #endif
    }

    func join() { pthread_join(thread, nil) }
}
