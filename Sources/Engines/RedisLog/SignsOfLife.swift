/// Which of the servers that share Redis are silent.
///
/// Silence is counted on this server's own monotonic clock, from one look at the signs of life to
/// the next. The times in the signs are ignored: the clock of Redis may be set, and a failover
/// brings a different one.
struct SignsOfLife {
    private struct Sign {
        var text: String
        /// How long it has been the last one, in milliseconds.
        var age: UInt64
    }

    /// After which silence an instance is lost, in milliseconds.
    static let silence: UInt64 = 10_000
    /// How many milliseconds between two looks count at most: all servers may have stood still
    /// meanwhile, or Redis may have been out of reach.
    private static let longest = 2 * RedisLog.pulse

    private var signs: [String: Sign] = [:]
    private var lookedAt: UInt64?

    /// Looks at the signs of life of all instances at `now`.
    ///
    /// - Returns: the instances that are lost.
    mutating func look(at found: [String: String], _ now: UInt64) -> [String] {
        let elapsed = min(Self.longest, now - min(now, lookedAt ?? now))
        lookedAt = now
        signs = Dictionary(
            uniqueKeysWithValues: found.map { name, text in
                let former = signs[name]
                return (name, Sign(text: text, age: former?.text == text ? (former?.age ?? 0) + elapsed : 0))
            }
        )
        return signs.filter { $0.value.age >= Self.silence }.keys.sorted()
    }
}
