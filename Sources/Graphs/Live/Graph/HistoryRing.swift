package import Commits
internal import DequeModule
package import Values

/// The newest emissions of one node, oldest first, as many as its definition asks for
/// (`history: N`).
///
/// Invariant: every emission of the node with a rev above ``from`` is in the ring. Emissions that
/// do not fit are removed from the old end, and ``from`` is moved up. A change from empty to empty
/// is not an emission.
package struct HistoryRing {
    package struct Entry {
        package let stamp: LogStamp
        /// nil: empty.
        package let value: Datum?
        /// Why it happened, which entries share; nil: unknown.
        package let cause: Cause?

        package init(stamp: LogStamp, value: Datum?, cause: Cause? = nil) {
            (self.stamp, self.value, self.cause) = (stamp, value, cause)
        }
    }

    /// The ring is complete after this rev.
    package private(set) var from: UInt64
    private let capacity: Int
    private let byteLimit: Int
    private var entries: Deque<Entry> = []
    /// Bytes of JSON in it.
    package private(set) var bytes = 0
    /// Whether the newest emission was emptiness, even if it did not fit.
    private(set) var isEmptyNow = true

    /// An empty ring that is complete after `from`; it keeps at most `capacity` emissions with
    /// `byteLimit` bytes of JSON.
    init(capacity: Int, byteLimit: Int, from: UInt64) {
        self.capacity = capacity
        self.byteLimit = byteLimit
        self.from = from
    }

    /// A ring of existing emissions.
    package init(
        capacity: Int,
        byteLimit: Int,
        from: UInt64,
        _ entries: some Sequence<Entry>,
        isEmptyNow: Bool
    ) {
        self.init(capacity: capacity, byteLimit: byteLimit, from: from)
        // The first entry may be emptiness, because older ones were removed.
        self.isEmptyNow = false
        for entry in entries { append(entry.stamp, entry.value, entry.cause) }
        self.isEmptyNow = isEmptyNow
    }

    /// The number of emissions.
    package var count: Int { entries.count }

    /// The emission at `index`, 0 being the oldest.
    package subscript(index: Int) -> Entry {
        entries[index]
    }

    /// Adds an emission that is newer than all others.
    package mutating func append(_ stamp: LogStamp, _ value: Datum?, _ cause: Cause? = nil) {
        if value == nil, isEmptyNow { return }
        isEmptyNow = value == nil
        guard capacity > 0 else {
            from = stamp.rev
            return
        }
        bytes += Self.size(value)
        if count == capacity { dropOldest() }
        entries.append(Entry(stamp: stamp, value: value, cause: cause))
        shrink(to: byteLimit)
    }

    /// The index of the first emission with a rev above `rev`.
    package func index(after rev: UInt64) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].stamp.rev > rev { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// A ring of another capacity with as many of the newest emissions as fit.
    package func resized(to capacity: Int) -> HistoryRing {
        HistoryRing(capacity: capacity, byteLimit: byteLimit, from: from, entries, isEmptyNow: isEmptyNow)
    }

    /// Removes all emissions.
    package mutating func removeAll() {
        while count > 0 { dropOldest() }
    }

    /// Removes the oldest emissions, until the others have no more than so many bytes.
    mutating func shrink(to limit: Int) {
        while bytes > limit, count > 0 { dropOldest() }
    }

    private mutating func dropOldest() {
        let oldest = entries.removeFirst()
        from = oldest.stamp.rev
        bytes -= Self.size(oldest.value)
    }

    private static func size(_ value: Datum?) -> Int {
        value?.byteCount ?? 0
    }
}
