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
    var inNanosecondRange: TimeSpan? {
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
