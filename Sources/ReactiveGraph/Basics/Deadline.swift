/// A moment on a clock; of equal moments the one asked for first comes first (G-112).
public struct Deadline: Hashable, Sendable, Comparable {
    /// The time on the operator's clock.
    public let time: Duration
    @usableFromInline let number: UInt64

    /// Earlier, or asked for earlier.
    @inlinable
    public static func < (left: Deadline, right: Deadline) -> Bool {
        left.time < right.time || (left.time == right.time && left.number < right.number)
    }

    @usableFromInline
    init(time: Duration, number: UInt64) {
        self.time = time
        self.number = number
    }

    /// The same, or, if it is earlier than `other`, a moment of that time.
    @inlinable
    func moved(after other: Deadline?) -> Deadline {
        guard let other, self <= other else { return self }
        return Deadline(time: other.time, number: max(number, other.number))
    }
}
