internal import Support

/// A moment: seconds since 1970-01-01T00:00:00Z and nanoseconds after that second.
///
/// CEL's range: year 1 to year 9999.
public struct Timestamp: Hashable, Sendable, Comparable {
    /// Whole seconds since the epoch; negative before it.
    public let seconds: Int64
    /// 0 … 999,999,999, counted forward from `seconds`.
    public let nanos: Int32

    static let minimumSeconds: Int64 = -62_135_596_800
    static let maximumSeconds: Int64 = 253_402_300_799

    /// The moment, or nil outside years 1 … 9999 or with nanoseconds out of range.
    public init?(seconds: Int64, nanos: Int32 = 0) {
        guard (Timestamp.minimumSeconds...Timestamp.maximumSeconds).contains(seconds) else { return nil }
        guard (0..<1_000_000_000).contains(nanos) else { return nil }
        self.seconds = seconds
        self.nanos = nanos
    }

    /// The moment `milliseconds` after the epoch, or nil outside years 1 … 9999.
    public init?(milliseconds: Int64) {
        let (quotient, remainder) = milliseconds.flooredDivision(by: 1_000)
        self.init(seconds: quotient, nanos: Int32(remainder) * 1_000_000)
    }

    /// This moment moved by `span`, or nil where that leaves the range.
    public func adding(_ span: TimeSpan) -> Timestamp? {
        var (total, overflow) = seconds.addingReportingOverflow(span.seconds)
        guard !overflow else { return nil }
        var nanos = self.nanos + span.nanos
        if nanos >= 1_000_000_000 {
            nanos -= 1_000_000_000
            total += 1
        } else if nanos < 0 {
            nanos += 1_000_000_000
            total -= 1
        }
        return Timestamp(seconds: total, nanos: nanos)
    }

    /// The time from `earlier` to this moment, or nil beyond 292 years, where 64 bits of
    /// nanoseconds end.
    public func since(_ earlier: Timestamp) -> TimeSpan? {
        TimeSpan(
            normalisingSeconds: seconds - earlier.seconds,
            nanos: Int64(nanos) - Int64(earlier.nanos)
        )?.inNanosecondRange
    }

    /// Whether `a` is earlier.
    public static func < (a: Timestamp, b: Timestamp) -> Bool {
        (a.seconds, a.nanos) < (b.seconds, b.nanos)
    }
}
