import EventLoop
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("A signal watcher", .serialized)
struct SignalWatcherTests {
    @Test("receives its signal instead of the process ending, all watchers do")
    func hears() throws {
        let loop = try Loop()
        var heard: [String] = []
        let first = try SignalWatcher(on: loop, .user1) { heard.append("first") }
        let second = try SignalWatcher(on: loop, .user1) { heard.append("second") }
        let other = try SignalWatcher(on: loop, .user2) { heard.append("other") }
        first.keepsLoopAlive = true

        kill(OwnProcess.identifier, SignalWatcher.Signal.user1.rawValue)
        while heard.count < 2 { loop.runOnce() }

        #expect(heard.sorted() == ["first", "second"])
        _ = (second, other)
    }

    @Test("does not keep the loop running and is silent once dropped")
    func dropped() throws {
        let loop = try Loop()
        var count = 0
        let stays = try SignalWatcher(on: loop, .user1) { count += 1 }
        var watcher: SignalWatcher? = try SignalWatcher(on: loop, .user1) { Issue.record("heard") }
        #expect(watcher != nil)
        #expect(!loop.run())
        watcher = nil

        stays.keepsLoopAlive = true
        kill(OwnProcess.identifier, SignalWatcher.Signal.user1.rawValue)
        while count < 1 { loop.runOnce() }
        #expect(count == 1)
    }

    @Test("cannot watch what cannot be caught")
    func uncatchable() throws {
        let loop = try Loop()
        let error = #expect(throws: UVError.self) {
            _ = try SignalWatcher(on: loop, SignalWatcher.Signal(rawValue: SIGKILL)) {}
        }
        #expect(error?.is(.invalidArgument) == true)
        loop.poll()
        #expect(loop.handleCount == 0)
    }
}
