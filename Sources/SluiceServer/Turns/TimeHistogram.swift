/// Durations as a Prometheus histogram.
struct TimeHistogram {
    /// The upper bounds of the buckets in nanoseconds, and in seconds for Prometheus; one more
    /// bucket is unbounded.
    static let bounds: [(nanoseconds: UInt64, seconds: StaticString)] = [
        (100_000, "0.0001"), (500_000, "0.0005"), (1_000_000, "0.001"), (5_000_000, "0.005"),
        (20_000_000, "0.02"), (50_000_000, "0.05"), (100_000_000, "0.1"), (500_000_000, "0.5"),
        (1_000_000_000, "1"), (10_000_000_000, "10"),
    ]

    /// The count of each bucket.
    private(set) var counts = ContiguousArray<UInt64>(repeating: 0, count: bounds.count + 1)
    /// The sum of all durations, in nanoseconds.
    private(set) var sum: UInt64 = 0

    /// A duration, and the bucket it belongs to.
    struct Span {
        let nanoseconds: UInt64
        fileprivate let bucket: Int

        @inline(__always)
        init(_ nanoseconds: UInt64) {
            self.nanoseconds = nanoseconds
            // Nearly all of them are this short.
            bucket = nanoseconds <= 100_000 ? 0 : Self.bucket(of: nanoseconds)
        }

        @inline(never)
        private static func bucket(of nanoseconds: UInt64) -> Int {
            bounds.firstIndex { nanoseconds <= $0.nanoseconds } ?? bounds.count
        }
    }

    /// Counts `times` events of the same duration.
    @inline(__always)
    mutating func record(_ span: Span, times: UInt64 = 1) {
        sum &+= span.nanoseconds &* times
        counts[span.bucket] &+= times
    }
}
