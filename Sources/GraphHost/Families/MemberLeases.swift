internal import ReactiveGraph

/// The place of a member among the ``MemberLeases`` of its family.
struct MemberLease: Hashable {
    fileprivate let place: UInt32
}

/// Until when the members of a family keep their values, unless they are set again or somebody needs them: the one that was not set
/// for longest comes first (F-4).
///
/// A list within a table: setting a member moves its lease to the end, whatever their number.
final class MemberLeases {
    private struct Row {
        unowned(unsafe) var node: NamedNode?
        /// 0: it has not begun.
        var due: UInt64 = 0
        // Of those that have begun, in their order; of free rows the next free one. 0: none.
        var previous: UInt32 = 0
        var next: UInt32 = 0
    }

    private unowned let graph: LiveGraph
    /// How long a member keeps its value, in milliseconds.
    @exclusivity(unchecked) private var lifetime: UInt64 = 0
    /// Row 0 is the end of the list and the beginning of the free ones.
    @exclusivity(unchecked) private var rows = Chunks<Row>()
    @exclusivity(unchecked) private var first: UInt32 = 0
    @exclusivity(unchecked) private var last: UInt32 = 0
    @exclusivity(unchecked) private var free: UInt32 = 0

    init(of graph: LiveGraph) {
        self.graph = graph
        rows.append(Row(node: nil))
    }

    private subscript(place: UInt32) -> Row {
        @inline(__always) _read { yield rows[Int(place)] }
        @inline(__always) _modify { yield &rows[Int(place)] }
    }

    /// Leases begin for so many milliseconds from here on; nil: there are none.
    ///
    /// Those that have begun end so much sooner or later.
    func take(_ lifetime: UInt64?) {
        let (former, lifetime) = (self.lifetime, lifetime ?? 0)
        self.lifetime = lifetime
        var next = former == lifetime ? 0 : first
        while next != 0 {
            self[next].due = self[next].due - former + lifetime
            next = self[next].next
        }
    }

    /// Whether a lease has begun.
    func isRunning(_ lease: MemberLease) -> Bool { self[lease.place].due != 0 }

    /// When the first of them ends, in milliseconds since 1970.
    var due: UInt64? { first == 0 ? nil : self[first].due }

    /// The members whose time has come by `now`, at most so many.
    func those(dueBy now: UInt64, atMost most: Int) -> [(lease: MemberLease, node: NamedNode)] {
        var found: [(lease: MemberLease, node: NamedNode)] = []
        var next = first
        while next != 0, self[next].due <= now, found.count < most {
            if let node = self[next].node { found.append((MemberLease(place: next), node)) }
            next = self[next].next
        }
        return found
    }

    /// A lease that has not begun.
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

    /// The lease is no more.
    func remove(_ lease: MemberLease) {
        stop(lease)
        self[lease.place] = Row(node: nil, next: free)
        free = lease.place
    }

    /// A member was set at `time`.
    func start(_ lease: MemberLease, at time: UInt64) {
        stop(lease)
        if first == 0 { graph.host.noteTimer(of: graph) }
        let due = time + lifetime
        // Time that goes back is rare.
        var before = last
        while before != 0, self[before].due > due { before = self[before].previous }
        let after = before == 0 ? first : self[before].next
        self[lease.place].due = due
        self[lease.place].previous = before
        self[lease.place].next = after
        if before == 0 { first = lease.place } else { self[before].next = lease.place }
        if after == 0 { last = lease.place } else { self[after].previous = lease.place }
    }

    /// A member holds no value any more.
    func stop(_ lease: MemberLease) {
        let row = self[lease.place]
        guard row.due != 0 else { return }
        if row.previous == 0 { first = row.next } else { self[row.previous].next = row.next }
        if row.next == 0 { last = row.previous } else { self[row.next].previous = row.previous }
        self[lease.place].due = 0
    }
}
