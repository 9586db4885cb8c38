internal import ReactiveGraph

/// A reference to a lease in the ``MemberLeases`` of a family.
struct MemberLease: Hashable {
    fileprivate let place: UInt32
}

/// The expiry times of a family's members, ordered by their last set: the member that was not set
/// for longest is first (F-4).
///
/// A linked list within an array: setting a member moves its lease to the end in constant time.
final class MemberLeases {
    private struct Row {
        unowned var node: NamedNode?
        /// 0: the lease is not running.
        var due: UInt64 = 0
        // Links of running leases in their order; of free rows, the next free one. 0: none.
        var previous: UInt32 = 0
        var next: UInt32 = 0
    }

    private unowned let graph: LiveGraph
    /// How long a member keeps its value, in milliseconds.
    private var lifetime: UInt64 = 0
    /// Row 0 is the end of the list and the head of the free rows.
    private var rows = Chunks<Row>()
    private var first: UInt32 = 0
    private var last: UInt32 = 0
    private var free: UInt32 = 0

    init(of graph: LiveGraph) {
        self.graph = graph
        rows.append(Row(node: nil))
    }

    private subscript(place: UInt32) -> Row {
        @inline(__always) _read { yield rows[Int(place)] }
        @inline(__always) _modify { yield &rows[Int(place)] }
    }

    /// Changes the lifetime, in milliseconds; nil: members do not expire.
    ///
    /// Running leases end earlier or later by the difference.
    func take(_ lifetime: UInt64?) {
        let (former, lifetime) = (self.lifetime, lifetime ?? 0)
        self.lifetime = lifetime
        var next = former == lifetime ? 0 : first
        while next != 0 {
            self[next].due = self[next].due - former + lifetime
            next = self[next].next
        }
    }

    func isRunning(_ lease: MemberLease) -> Bool { self[lease.place].due != 0 }

    /// When the first of them expires, in milliseconds since 1970.
    var due: UInt64? { first == 0 ? nil : self[first].due }

    /// The members that have expired by `now`, limited to `most`.
    func those(dueBy now: UInt64, atMost most: Int) -> [(lease: MemberLease, node: NamedNode)] {
        var found: [(lease: MemberLease, node: NamedNode)] = []
        var next = first
        while next != 0, self[next].due <= now, found.count < most {
            if let node = self[next].node { found.append((MemberLease(place: next), node)) }
            next = self[next].next
        }
        return found
    }

    /// Adds a lease that is not running.
    func add(_ node: NamedNode) -> MemberLease {
        guard free == 0 else {
            let place = free
            free = self[place].next
            self[place] = Row(node: node)
            return MemberLease(place: place)
        }
        rows.append(Row(node: node))
        return MemberLease(place: UInt32(rows.count - 1))
    }

    func remove(_ lease: MemberLease) {
        stop(lease)
        self[lease.place] = Row(node: nil, next: free)
        free = lease.place
    }

    /// A member was set at `time`.
    func start(_ lease: MemberLease, at time: UInt64) {
        stop(lease)
        if first == 0 { graph.host.table.ticks.note(graph) }
        let due = time + lifetime
        // The clock rarely goes back.
        var before = last
        while before != 0, self[before].due > due { before = self[before].previous }
        let after = before == 0 ? first : self[before].next
        self[lease.place].due = due
        self[lease.place].previous = before
        self[lease.place].next = after
        if before == 0 { first = lease.place } else { self[before].next = lease.place }
        if after == 0 { last = lease.place } else { self[after].previous = lease.place }
    }

    func stop(_ lease: MemberLease) {
        let row = self[lease.place]
        guard row.due != 0 else { return }
        if row.previous == 0 { first = row.next } else { self[row.previous].next = row.next }
        if row.next == 0 { last = row.previous } else { self[row.next].previous = row.previous }
        self[lease.place].due = 0
    }
}
