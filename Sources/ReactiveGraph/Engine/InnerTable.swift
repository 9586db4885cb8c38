/// The inner nodes of a switch, in order of use.
///
/// It belongs to the edge of the switch and lives with it. The inner nodes have no edge coming in;
/// that they are downstream of the switched node stands here.
@usableFromInline
class InnerTable: EdgeState {
    @usableFromInline let limit: KeyLimit
    @usableFromInline let releasesUnused: Bool
    /// An inner node leads back to the switched node: for the order of joins the way from there
    /// does not count.
    @safe @exclusivity(unchecked) final var closesRing = false
    /// What the latest pair names.
    @safe @exclusivity(unchecked) @usableFromInline final var current: InnerEntry?
    /// Rises when the edge loses an end: what was on its way then is dropped.
    @safe @exclusivity(unchecked) @usableFromInline final var generation = 0
    @safe @exclusivity(unchecked) @usableFromInline final var count = 0
    @safe @exclusivity(unchecked) @usableFromInline final var oldest: Ref<InnerEntry>?
    @safe @exclusivity(unchecked) private final var newest: Ref<InnerEntry>?

    @usableFromInline
    init(_ limit: KeyLimit, releasesUnused: Bool) {
        self.limit = limit
        self.releasesUnused = releasesUnused
        super.init()
    }

    deinit {
        while let entry = oldest { unlink(entry.object) }
    }

    /// Drops `entry` from the table; its node lives on if something else holds it.
    @usableFromInline func forget(_ entry: InnerEntry) {}

    /// Empties the table; what was in it is released with the result.
    func leave() -> AnyObject { self }

    /// Calls `body` with every inner node.
    final func forEachInner(_ body: (NodeRef) -> Void) {
        forEachEntry { body($0.node.ref) }
    }

    /// Calls `body` with every entry, in order of use.
    @inline(__always)
    final func forEachEntry(_ body: (InnerEntry) -> Void) {
        var next = oldest
        while let entry = next {
            next = entry.with { $0.newer }
            entry.with { body($0) }
        }
    }

    /// A pair that names `entry` is being emitted.
    final func makeCurrent(_ entry: InnerEntry) {
        guard current !== entry else { return }
        let previous = exchange(&current, with: entry)
        if let previous, releasesUnused, !previous.node.hasEdges { forget(previous) }
    }

    // MARK: - Order of use

    /// Appends a fresh entry.
    @usableFromInline
    final func link(_ entry: InnerEntry) {
        entry.table = .to(self)
        count += 1
        append(entry)
    }

    /// `entry` is used: it is the last to be evicted.
    @usableFromInline
    final func touch(_ entry: InnerEntry) {
        guard case .evictOldest = limit, entry.newer != nil else { return }
        remove(entry)
        append(entry)
    }

    /// Takes an entry out of the list for good.
    @usableFromInline
    final func unlink(_ entry: InnerEntry) {
        guard entry.table != nil else { return }
        entry.table = nil
        count -= 1
        remove(entry)
    }

    private func append(_ entry: InnerEntry) {
        let ref = Ref.to(entry)
        entry.older = newest
        entry.newer = nil
        if let newest { newest.with { $0.newer = ref } } else { oldest = ref }
        newest = ref
    }

    private func remove(_ entry: InnerEntry) {
        let (older, newer) = (entry.older, entry.newer)
        if let older { older.with { $0.newer = newer } } else { oldest = newer }
        if let newer { newer.with { $0.older = older } } else { newest = older }
    }
}

/// An inner node of a switch and its place in the order of use.
@usableFromInline
class InnerEntry {
    @usableFromInline final let node: AnyNode
    /// `nil` once the table has dropped it.
    @safe @exclusivity(unchecked) final var table: Ref<InnerTable>?
    @safe @exclusivity(unchecked) final var older: Ref<InnerEntry>?
    @safe @exclusivity(unchecked) final var newer: Ref<InnerEntry>?

    @usableFromInline
    init(_ node: AnyNode) {
        self.node = node
    }

    /// The node has no edge any more: it goes, unless it is the current one (G-143).
    final func becameIdle() {
        guard let table = table?.object else { return }
        if table.releasesUnused, table.current !== self, !node.hasEdges { table.forget(self) }
    }
}

/// What the graph knows of an inner node: its place in the table too.
@usableFromInline
final class InnerCore<Value>: Core<Value> {
    @safe @exclusivity(unchecked) weak var entry: InnerEntry?

    override var innerEntry: InnerEntry? { entry }

    @usableFromInline
    init(behind switched: NodeCore) {
        super.init(graph: switched.graph, .empty)
        marks.insert(.isInner)
        rank = switched.rank + 1
        graph.engine.ranks.noteRings(from: .to(switched), to: .to(self))
    }
}

extension NodeCore {
    /// The inner nodes of the switches that lead into this node.
    final func forEachInner(counted: Bool, _ body: (NodeRef) -> Void) {
        guard marks.contains(.hasInners) else { return }
        forEachHeld { edge in
            guard edge.stamp != .max, let table = edge.side?.inners else { return }
            if !counted || !table.closesRing { table.forEachInner(body) }
        }
    }
}
