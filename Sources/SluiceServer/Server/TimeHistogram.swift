/// Durations as a Prometheus histogram.
struct TimeHistogram {
    /// The upper bounds of the buckets in nanoseconds, and in seconds for Prometheus; one more
    /// bucket is unbounded.
    static let bounds: [(nanoseconds: UInt64, seconds: StaticString)] = [
        (100_000, "0.0001"), (500_000, "0.0005"), (1_000_000, "0.001"), (5_000_000, "0.005"),
        (20_000_000, "0.02"), (50_000_000, "0.05"), (100_000_000, "0.1"), (500_000_000, "0.5"),
        (1_000_000_000, "1"), (10_000_000_000, "10"),
    ]

    private(set) var counts = ContiguousArray<UInt64>(repeating: 0, count: bounds.count + 1)
    private(set) var sum: UInt64 = 0

    /// Counts `times` events of the same duration.
    @inline(__always)
    mutating func record(_ nanoseconds: UInt64, times: UInt64 = 1) {
        sum &+= nanoseconds &* times
        // Nearly all of them are this short.
        if nanoseconds <= 100_000 { counts[0] &+= times } else { file(nanoseconds, times) }
    }

    @inline(never)
    private mutating func file(_ nanoseconds: UInt64, _ times: UInt64) {
        counts[Self.bounds.firstIndex { nanoseconds <= $0.nanoseconds } ?? Self.bounds.count] &+= times
    }
}
