/// A clock that the caller moves.
///
/// Due actions run in order of deadline, ties in order of creation.
public final class ManualClock: LoopClock {
    private struct Entry {
        let deadline: Duration
        let number: Int
        let action: () -> Void
    }

    /// The time since the clock was made.
    public private(set) var now: Duration = .zero
    private var entries: [Entry] = []
    private var lastNumber = 0

    /// A clock that shows zero.
    public init() {}

    /// How many actions wait.
    public var pendingCount: Int { entries.count }

    /// The earliest deadline of an action that waits.
    public var nextDeadline: Duration? { entries.map(\.deadline).min() }

    /// See ``LoopClock/schedule(at:_:)``.
    public func schedule(at deadline: Duration, _ action: @escaping () -> Void) -> any Cancellable {
        lastNumber += 1
        let number = lastNumber
        entries.append(Entry(deadline: deadline, number: number, action: action))
        return CancelToken { [weak self] in self?.entries.removeAll { $0.number == number } }
    }

    /// Moves the clock on by `duration`, and runs what gets due on the way, each at its own time.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "ManualClock: time does not go back")
        advance(to: now + duration)
    }

    /// Moves the clock on to `time`, and runs what gets due on the way, each at its own time.
    public func advance(to time: Duration) {
        while let index = nextIndex, entries[index].deadline <= time {
            let entry = entries.remove(at: index)
            now = max(now, entry.deadline)
            entry.action()
        }
        now = max(now, time)
    }

    private var nextIndex: Int? {
        entries.indices.min { left, right in
            let (a, b) = (entries[left], entries[right])
            return a.deadline < b.deadline || (a.deadline == b.deadline && a.number < b.number)
        }
    }
}
