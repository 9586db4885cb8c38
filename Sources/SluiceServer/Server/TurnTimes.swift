internal import Support

/// How long turns of the loop were, as a histogram.
struct TurnTimes {
    /// The upper ends of the steps in nanoseconds, and in seconds as Prometheus wants them; one more step has no end.
    static let bounds: [(nanoseconds: UInt64, seconds: StaticString)] = [
        (1_000_000, "0.001"), (5_000_000, "0.005"), (20_000_000, "0.02"), (50_000_000, "0.05"),
        (100_000_000, "0.1"), (500_000_000, "0.5"), (1_000_000_000, "1"), (10_000_000_000, "10"),
    ]

    /// How many turns ended in each step.
    private(set) var counts = ContiguousArray<UInt64>(repeating: 0, count: bounds.count + 1)
    /// All turns together, in nanoseconds.
    private(set) var sum: UInt64 = 0

    /// Counts a turn.
    mutating func record(_ nanoseconds: UInt64) {
        sum &+= nanoseconds
        // Nearly all of them.
        guard nanoseconds > 1_000_000 else { return counts[0] &+= 1 }
        counts[Self.bounds.firstIndex { nanoseconds <= $0.nanoseconds } ?? Self.bounds.count] += 1
    }
}
