@testable import RedisLog

/// A clock that a test sets in place of Redis' own: the scripts read it from a key.
struct TestClock {
    /// What a script asks instead of `TIME`.
    static let text = "redis.call('MGET', 'test-clock:s', 'test-clock:us')"

    private let connection: RedisConnection

    init(_ redis: RedisServer) throws { connection = try redis.connect() }

    /// Sets it, in milliseconds since 1970.
    func set(_ time: UInt64) throws {
        let (seconds, rest) = (String(time / 1_000), String(time % 1_000 * 1_000))
        try connection.ask(RedisCommand("MSET", "test-clock:s", seconds, "test-clock:us", rest))
    }
}
