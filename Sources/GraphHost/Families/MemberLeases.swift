/// Members of a family in the order in which they expire: the one that was not set for longest comes first (F-4).
///
/// A list within the leases: setting a member moves its lease to the end, whatever their number.
final class MemberLeases {
    private unowned let graph: LiveGraph
    private unowned(unsafe) var first: MemberLease?
    private unowned(unsafe) var last: MemberLease?

    init(of graph: LiveGraph) {
        self.graph = graph
    }

    /// When the first of them expires, in milliseconds since 1970.
    var due: UInt64? { first?.due }

    /// Those whose time has come by `now`, at most so many.
    func those(dueBy now: UInt64, atMost most: Int) -> [MemberLease] {
        var found: [MemberLease] = []
        var next = first
        while let lease = next, lease.due <= now, found.count < most {
            found.append(lease)
            next = lease.next
        }
        return found
    }

    fileprivate func append(_ lease: MemberLease) {
        if first == nil { graph.host.noteTimer(of: graph) }
        var before = last
        while let other = before, other.due > lease.due { before = other.previous }
        lease.previous = before
        lease.next = before == nil ? first : before?.next
        lease.next?.previous = lease
        if let before { before.next = lease } else { first = lease }
        if lease.next == nil { last = lease }
    }

    fileprivate func remove(_ lease: MemberLease) {
        if let previous = lease.previous { previous.next = lease.next } else { first = lease.next }
        if let next = lease.next { next.previous = lease.previous } else { last = lease.previous }
        lease.previous = nil
        lease.next = nil
    }
}

/// Until when a member keeps its value, unless it is set again or somebody needs it.
final class MemberLease: Expiry {
    fileprivate unowned(unsafe) var previous: MemberLease?
    fileprivate unowned(unsafe) var next: MemberLease?
    private(set) var due: UInt64 = 0
    private(set) var isRunning = false
    private let leases: MemberLeases
    private let lifetime: UInt64

    /// A lease for `lifetime` milliseconds, which has not begun.
    init(_ node: NamedNode, lifetime: UInt64, among leases: MemberLeases) {
        self.lifetime = lifetime
        self.leases = leases
        super.init(node)
    }

    deinit {
        stop()
    }

    override func start(at time: UInt64) {
        stop()
        due = time + lifetime
        isRunning = true
        leases.append(self)
    }

    override func stop() {
        guard isRunning else { return }
        isRunning = false
        leases.remove(self)
    }
}
