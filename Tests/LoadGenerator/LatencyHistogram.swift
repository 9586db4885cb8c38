/// Counts times in steps of about 1.5 %, from nanoseconds to hours, in a fixed 30 KiB.
///
/// Below 64 every value has its own counter; above, each power of two is cut into 64 equal parts.
public struct LatencyHistogram: Sendable {
    private var counters = [UInt64](repeating: 0, count: 59 * 64)
    /// How many times were recorded.
    public private(set) var count: UInt64 = 0
    /// The longest, exactly.
    public private(set) var longest: UInt64 = 0

    /// A histogram of nothing.
    public init() {}

    /// Counts one time, in nanoseconds.
    public mutating func record(_ nanoseconds: UInt64) {
        counters[Self.index(of: nanoseconds)] += 1
        count += 1
        longest = max(longest, nanoseconds)
    }

    /// The time that `share` (0 … 1) of all did not exceed, in nanoseconds, up to 1.6 % too long; 0
    /// for nothing.
    public func percentile(_ share: Double) -> UInt64 {
        guard count > 0 else { return 0 }
        let rank = max(1, UInt64((Double(count) * min(max(share, 0), 1)).rounded(.up)))
        var seen: UInt64 = 0
        for (index, counter) in counters.enumerated() {
            seen += counter
            if seen >= rank { return min(Self.upperBound(of: index), longest) }
        }
        return longest
    }

    private static func index(of value: UInt64) -> Int {
        guard value >= 64 else { return Int(value) }
        let shift = 57 - value.leadingZeroBitCount
        return (shift + 1) * 64 + Int(value >> UInt64(shift)) - 64
    }

    private static func upperBound(of index: Int) -> UInt64 {
        guard index >= 64 else { return UInt64(index) }
        let shift = UInt64(index / 64 - 1)
        let part = UInt64(index % 64 + 64)
        return (part << shift) | ((1 << shift) - 1)
    }
}
