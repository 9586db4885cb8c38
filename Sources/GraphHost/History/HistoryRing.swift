/// The newest emissions of one node, oldest first, as many as its definition asks for (`history: N`).
///
/// Invariant: every emission of the node with a rev above ``from`` is in the ring. What does not fit is let go of
/// from the old end, and ``from`` says so; a change from empty to empty is no emission.
struct HistoryRing {
    /// One emission.
    struct Entry {
        let stamp: LogStamp
        /// nil: empty.
        let value: Datum?
    }

    /// The rev after which nothing is missing.
    private(set) var from: UInt64
    private let capacity: Int
    private let byteLimit: Int
    private var entries: ContiguousArray<Entry> = []
    /// Where the oldest entry stands once the ring is full.
    private var start = 0
    private var bytes = 0
    private var isEmptyNow = true

    /// A ring that is complete after `from`; it keeps at most `capacity` emissions with `byteLimit` bytes of JSON.
    init(capacity: Int, byteLimit: Int, from: UInt64) {
        self.capacity = capacity
        self.byteLimit = byteLimit
        self.from = from
    }

    /// How many emissions it has.
    private(set) var count = 0

    /// The emission at `index`, 0 being the oldest.
    subscript(index: Int) -> Entry {
        entries[place(index)]
    }

    /// Notes an emission that is newer than all others.
    mutating func append(_ stamp: LogStamp, _ value: Datum?) {
        if value == nil, isEmptyNow { return }
        isEmptyNow = value == nil
        guard capacity > 0 else {
            from = stamp.rev
            return
        }
        bytes += Self.size(value)
        let entry = Entry(stamp: stamp, value: value)
        if count == capacity { dropOldest() }
        // The room of entries that were dropped for their bytes is used again.
        if count < entries.count {
            entries[place(count)] = entry
        } else {
            straighten()
            entries.append(entry)
        }
        count += 1
        while bytes > byteLimit, count > 0 { dropOldest() }
    }

    /// The index of the first emission with a rev above `rev`.
    func index(after rev: UInt64) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].stamp.rev > rev { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// The same emissions, as many of the newest as fit, in a ring of another size.
    func resized(to capacity: Int) -> HistoryRing {
        var ring = HistoryRing(capacity: capacity, byteLimit: byteLimit, from: from)
        for index in 0..<count { ring.append(self[index].stamp, self[index].value) }
        return ring
    }

    private func place(_ index: Int) -> Int {
        let place = start + index
        return place < entries.count ? place : place - entries.count
    }

    private mutating func dropOldest() {
        let oldest = self[0]
        from = oldest.stamp.rev
        bytes -= Self.size(oldest.value)
        entries[start] = Entry(stamp: oldest.stamp, value: nil)
        start = place(1)
        count -= 1
    }

    /// Brings the oldest entry to the front before the storage grows.
    private mutating func straighten() {
        guard start > 0 else { return }
        entries = ContiguousArray(entries[start...] + entries[..<start])
        start = 0
    }

    private static func size(_ value: Datum?) -> Int {
        value?.byteCount ?? 0
    }
}
