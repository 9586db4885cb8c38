/// When an upstream is asked again (S-5).
///
/// Times are in milliseconds. `random` is from 0 up to 1, so that many upstreams do not all come
/// at once.
struct PollPace {
    /// From an answer to the next request; nil: it is asked once.
    var every: Int?
    /// How many requests have failed in a row.
    private(set) var failures = 0

    /// The longest pause after failures, unless values are wanted more rarely anyway.
    static let longestPause = 300_000
    /// The first pause of what is asked once.
    static let firstPause = 1_000
    /// The longest pause that an upstream may ask for.
    static let longestWait = 3_600_000

    init(every: Int?) {
        self.every = every
    }

    /// The pause after an answer that says how long it stays right; nil: it is not asked again.
    mutating func succeeded(maxAge: Int? = nil, random: Double) -> Int? {
        failures = 0
        guard let every else { return nil }
        return max(spread(every, random), min(maxAge ?? 0, Self.longestWait))
    }

    /// Failures that come from now on are the first in a row.
    mutating func settled() { failures = 0 }

    /// The pause after a failure, or longer where the upstream has asked for it.
    mutating func failed(retryAfter: Int? = nil, random: Double) -> Int {
        failures += 1
        let first = every ?? Self.firstPause
        let longest = max(first, Self.longestPause)
        let pause = failures > 20 ? longest : min(longest, first << (failures - 1))
        return max(spread(pause, random), min(retryAfter ?? 0, Self.longestWait))
    }

    /// Within 10 % of a pause.
    private func spread(_ pause: Int, _ random: Double) -> Int {
        max(1, Int(Double(pause) * (0.9 + 0.2 * random)))
    }
}
