/// The order in which joins settle (G-50), kept incrementally: ranks rise along every counted edge.
///
/// Connecting u → v with rank(v) ≤ rank(u): a v without edges is raised above u; a u without
/// incoming edges sinks below v; else everything reachable from v at or below rank(u) is searched.
/// Meeting u means that the edge closes a ring, and it does not count; otherwise what was found is
/// raised. Ranks are never lowered otherwise.
///
/// An edge that delivers later counts too, because emptiness passes it at once (G-75). Where it
/// lies on a ring it is the one that does not count, so that it does not stand in the way of edges
/// that deliver at once.
package struct Ranks {
    /// The edges that closed a ring when they were connected; those over synchronous edges do not
    /// count for ranks.
    private(set) var rings: ContiguousArray<EdgeRef> = []
    /// A ring may have been opened: then its edges count again.
    var areStale = false
    /// Which nodes lie on rings.
    private(set) var marks = RingMarks()
    /// How many nodes were met in searches, in all: for tests of what they cost.
    package private(set) var searchedNodes = 0
    private var search: ContiguousArray<NodeRef> = []

    /// Brings the ranks in order for an edge that has just got both ends.
    mutating func connected(_ edge: Edge, from source: NodeRef, to target: NodeRef) {
        place(edge, from: source, to: target)
        noteRings(from: source, to: target)
        if let table = edge.side?.inners { placeInners(of: table, behind: target) }
    }

    /// The inner nodes of a switch are downstream of the switched node, over no edge of its (G-50).
    private mutating func placeInners(of table: InnerTable, behind target: NodeRef) {
        target.marks.insert(.hasInners)
        table.closesRing = false
        table.forEachInner { inner in
            guard inner.rank <= target.rank, !table.closesRing else { return }
            if reaches(target, from: inner, upTo: .max) {
                table.closesRing = true
            } else {
                raise(inner, above: target.rank)
            }
        }
    }

    /// An edge loses an end: it does not count any more, and a ring may be open now.
    @inline(__always)
    mutating func disconnected(_ edge: Edge) {
        if !rings.isEmpty { disconnectedAmongRings(edge) }
    }

    private mutating func disconnectedAmongRings(_ edge: Edge) {
        let counted = !edge.traits.contains(.ring)
        let opens = marks.disconnected(edge)
        if edge.ringIndex >= 0 { removeRing(edge) }
        if counted, opens, !rings.isEmpty { areStale = true }
    }

    /// Looks again at the edges that closed rings: some may count now.
    mutating func sortRings() {
        areStale = false
        let edges = rings
        for ref in edges {
            ref.with { edge in
                removeRing(edge)
                if let source = edge.source, let target = edge.target {
                    place(edge, from: source, to: target)
                }
            }
        }
    }

    private mutating func place(_ edge: Edge, from source: NodeRef, to target: NodeRef) {
        let limit = source.rank
        if target.rank > limit { return }
        if !target.hasDownstream {
            target.rank = limit + 1
        } else if !source.hasUpstream {
            source.rank = target.rank - 1
        } else if !reaches(source, from: target, upTo: limit) {
            raise(target, above: limit)
        } else if edge.traits.contains(.asynchronous)
            || reaches(source, from: target, upTo: limit, atOnce: true)
        {
            addRing(edge)
        } else {
            loosen(from: target, to: source)
            raise(target, above: limit)
        }
    }

    /// Counts no edge any more that delivers later and lies on a way from `start` to `goal`.
    private mutating func loosen(from start: NodeRef, to goal: NodeRef) {
        var met: [NodeRef] = [start]
        start.seen = true
        var index = 0
        while index < met.count {
            met[index].forEachTarget(counted: true) { target in
                guard !target.seen, target.rank <= goal.rank else { return }
                target.seen = true
                met.append(target)
            }
            index += 1
        }
        for node in met { node.seen = false }
        // Ranks rise along the edges, so the targets of a node come before it.
        met.sort { $0.rank > $1.rank }
        var onWay: Set<UInt> = [goal.identity]
        var late: [EdgeRef] = []
        for node in met {
            node.forEachTarget(counted: true) { target in
                if onWay.contains(target.identity) { onWay.insert(node.identity) }
            }
            guard onWay.contains(node.identity) else { continue }
            node.forEachEdge { edge in
                guard edge.traits.contains(.asynchronous), !edge.traits.contains(.ring),
                    let target = edge.target,
                    onWay.contains(target.identity)
                else { return }
                late.append(edge)
            }
        }
        for edge in late { edge.with { addRing($0) } }
    }

    /// The edge lies on a ring and does not count.
    private mutating func addRing(_ edge: Edge) {
        edge.traits.insert(.ring)
        edge.ringIndex = Int32(rings.count)
        rings.append(.to(edge))
        marks.isStale = true
    }

    private mutating func removeRing(_ edge: Edge) {
        let index = Int(edge.ringIndex)
        edge.traits.remove(.ring)
        edge.ringIndex = -1
        let last = rings.removeLast()
        guard index < rings.count else { return }
        rings[index] = last
        last.with { $0.ringIndex = Int32(index) }
    }

    // MARK: - Restoring

    /// The edges of a graph built anew close the rings that they closed when they were saved.
    mutating func setRings(_ places: [(edge: Edge, place: EdgePlace)]) {
        for (edge, _) in places where edge.ringIndex >= 0 { removeRing(edge) }
        let closing = places.filter { $0.place.ring >= 0 }
        for (edge, _) in closing.sorted(by: { $0.place.ring < $1.place.ring }) { addRing(edge) }
        marks.isStale = true
    }

    /// Ranks that were saved are in force again: those below edges that were not saved follow.
    mutating func placeEdges(of node: NodeCore, _ isNew: (Edge) -> Bool) {
        func place(_ edge: Edge) {
            guard edge.isConnected, !edge.traits.contains(.ring), isNew(edge),
                let source = edge.source, let target = edge.target
            else { return }
            self.place(edge, from: source, to: target)
        }
        node.forEachOutgoing(place)
        node.forEachHeld(place)
    }

    // MARK: - Searches

    /// Whether `goal` can be reached from `start` over counted edges and nodes of rank ≤ `limit`;
    /// only over those that deliver at once, if asked.
    ///
    /// With a limit of `.max` every edge counts.
    private mutating func reaches(
        _ goal: NodeRef,
        from start: NodeRef,
        upTo limit: Int,
        atOnce: Bool = false
    ) -> Bool {
        search.removeAll(keepingCapacity: true)
        search.append(start)
        start.seen = true
        var found = false
        var index = 0
        while index < search.count, !found {
            search[index].forEachTarget(counted: limit != .max, atOnce: atOnce) { target in
                if target.isSame(as: goal) { found = true }
                guard !target.seen, target.rank <= limit else { return }
                target.seen = true
                search.append(target)
            }
            index += 1
        }
        for node in search { node.seen = false }
        searchedNodes += search.count
        return found
    }

    /// Raises `start` above `limit`, and what follows above it.
    private mutating func raise(_ start: NodeRef, above limit: Int) {
        start.rank = limit + 1
        search.removeAll(keepingCapacity: true)
        search.append(start)
        while let node = search.popLast() {
            searchedNodes += 1
            let rank = node.rank
            node.forEachTarget(counted: true) { target in
                guard target.rank <= rank else { return }
                target.rank = rank + 1
                search.append(target)
            }
        }
    }

    // MARK: - Rings

    /// An inner node is downstream of its switched node no longer: a ring may be open now.
    mutating func innersChanged() {
        guard !rings.isEmpty else { return }
        areStale = true
        marks.isStale = true
    }

    /// One node follows another from now on: that may have made a ring longer.
    mutating func noteRings(from source: NodeRef, to target: NodeRef) {
        if !rings.isEmpty { marks.connected(from: source, to: target) }
    }

    /// Whether ``marks`` are right: they are searched for if that is worth it.
    mutating func knowsRings() -> Bool {
        guard marks.isStale else { return true }
        guard marks.isWorthSearching else { return false }
        searchedNodes += marks.search(from: rings)
        return true
    }

    /// Ids of a path were kept that knowing the rings might have saved.
    mutating func kept(_ ids: Int) {
        marks.putOff += ids
    }
}

extension NodeRef {
    var hasDownstream: Bool { hasEdges || marks.contains(.hasInners) }

    fileprivate var hasUpstream: Bool {
        with { $0.held.first != nil } || marks.contains(.isInner)
    }

    fileprivate func forEachTarget(counted: Bool, atOnce: Bool = false, _ visit: (NodeRef) -> Void) {
        let uncounted: EdgeTraits = counted ? (atOnce ? [.ring, .asynchronous] : .ring) : []
        forEachEdge { edge in
            if edge.traits.isDisjoint(with: uncounted), let target = edge.target { visit(target) }
        }
        if marks.contains(.hasInners) {
            with { $0.forEachInner(counted: counted, visit) }
        }
    }

    /// The complete edges that go out of a node.
    fileprivate func forEachEdge(_ visit: (EdgeRef) -> Void) {
        with { node in
            for edge in node.listens where edge.stamp != .max { visit(edge) }
            for edge in node.outs where edge.stamp != .max { visit(edge) }
        }
    }
}
