import EventLoop
import Commits
import LogTestSupport
import Testing

@testable import RedisLog

/// The log on a real `redis-server`.
@Suite("The log in Redis")
struct RedisLogTests {
    private let redis: RedisServer
    private let words = Words()

    init() throws {
        redis = try RedisServer()
    }

    private func log() throws -> RedisLog {
        let loop = try Loop()
        return try RedisLog(
            RedisLogOptions(redis.address, prefix: "test", keepRevs: 100),
            word: { words.next() },
            writer: ThreadExecutor(on: loop),
            listener: ThreadExecutor(on: loop)
        )
    }

    @Test("It keeps the promises of a log")
    func promises() throws {
        try checkCommitLog({ try log() }, again: { _ in try log() })
    }
}

/// Unused words.
private final class Words {
    private var last = 0

    func next() -> String {
        last += 1
        return "word\(last)"
    }
}
