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

/// A length of time, CEL's `duration`: seconds and nanoseconds of the same sign.
public struct TimeSpan: Hashable, Sendable, Comparable {
    /// Whole seconds.
    public let seconds: Int64
    /// −999,999,999 … 999,999,999, with the sign of `seconds`.
    public let nanos: Int32

    /// About 10,000 years, the range of the protobuf type.
    static let maximumSeconds: Int64 = 315_576_000_000

    /// The span, or nil where it is longer than 10,000 years or the parts differ in sign.
    public init?(seconds: Int64, nanos: Int32 = 0) {
        guard (-TimeSpan.maximumSeconds...TimeSpan.maximumSeconds).contains(seconds) else { return nil }
        guard nanos.magnitude < 1_000_000_000 else { return nil }
        guard seconds == 0 || nanos == 0 || (seconds < 0) == (nanos < 0) else { return nil }
        self.seconds = seconds
        self.nanos = nanos
    }

    init(unchecked seconds: Int64, nanos: Int32) {
        self.seconds = seconds
        self.nanos = nanos
    }

    /// The span with carried nanoseconds, or nil where it is too long.
    init?(normalisingSeconds seconds: Int64, nanos: Int64) {
        let carried = seconds.addingReportingOverflow(nanos / 1_000_000_000)
        guard !carried.overflow else { return nil }
        var whole = carried.partialValue
        var rest = nanos % 1_000_000_000
        if whole > 0, rest < 0 {
            whole -= 1
            rest += 1_000_000_000
        } else if whole < 0, rest > 0 {
            whole += 1
            rest -= 1_000_000_000
        }
        self.init(seconds: whole, nanos: Int32(rest))
    }

    /// The sum, or nil beyond 292 years, where 64 bits of nanoseconds end.
    public func adding(_ other: TimeSpan) -> TimeSpan? {
        TimeSpan(normalisingSeconds: seconds + other.seconds, nanos: Int64(nanos) + Int64(other.nanos))?
            .inNanosecondRange
    }

    /// Published arithmetic ends where 64 bits of nanoseconds do.
    fileprivate var inNanosecondRange: TimeSpan? {
        let (nanoseconds, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return isTooLong || nanoseconds.addingReportingOverflow(Int64(nanos)).overflow ? nil : self
    }

    /// The same length the other way.
    public var negated: TimeSpan {
        TimeSpan(seconds: -seconds, nanos: -nanos) ?? self
    }

    /// Whether `a` is shorter, or further back where it is negative.
    public static func < (a: TimeSpan, b: TimeSpan) -> Bool {
        (a.seconds, a.nanos) < (b.seconds, b.nanos)
    }
}
