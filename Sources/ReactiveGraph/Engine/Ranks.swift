// The order in which joins settle (G-50), kept incrementally: ranks rise along every counted edge.
//
// Connecting u → v with rank(v) ≤ rank(u): a v without edges is raised above u; a u without incoming edges sinks below
// v; else everything reachable from v at or below rank(u) is searched. Meeting u means that the edge closes a ring, and
// it does not count; otherwise what was found is raised. Ranks are never lowered otherwise.
extension Graph {
    /// Brings the ranks in order for an edge that has just got both ends.
    func order(_ edge: Edge, from source: NodeRef, to target: NodeRef) {
        if edge.traits.contains(.asynchronous) { asynchronousEdges += 1 }
        place(edge, from: source, to: target)
        noteForRings(from: source, to: target)
        if let table = edge.side?.inners { placeInners(of: table, behind: target) }
    }

    /// The inner nodes of a switch are downstream of the switched node, over no edge of its (G-50).
    private func placeInners(of table: InnerTable, behind target: NodeRef) {
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
    func unorder(_ edge: Edge) {
        let counted = edge.traits.isDisjoint(with: [.asynchronous, .ring])
        if edge.traits.contains(.asynchronous) { asynchronousEdges -= 1 }
        let opens = !rings.isEmpty && noteForRings(without: edge)
        if edge.ringIndex >= 0 { removeRing(edge) }
        if counted, opens, !rings.isEmpty { ringsAreStale = true }
    }

    /// Looks again at the edges that closed rings: some may count now.
    func sortRings() {
        ringsAreStale = false
        let edges = rings
        for ref in edges {
            ref._withUnsafeGuaranteedRef { edge in
                removeRing(edge)
                if let source = edge.source, let target = edge.target {
                    place(edge, from: source, to: target)
                }
            }
        }
    }

    private func place(_ edge: Edge, from source: NodeRef, to target: NodeRef) {
        if !edge.traits.contains(.asynchronous) { rankUp(edge, from: source, to: target) }
        // A ring that goes over a delaying edge does not bind the joins, but its emissions need their paths.
        if edge.ringIndex < 0, asynchronousEdges > 0, hasDownstream(target), hasUpstream(source),
            reaches(source, from: target, upTo: .max)
        {
            addRing(edge)
        }
    }

    private func rankUp(_ edge: Edge, from source: NodeRef, to target: NodeRef) {
        let limit = source.rank
        if target.rank > limit { return }
        if !hasDownstream(target) {
            target.rank = limit + 1
        } else if !hasUpstream(source) {
            source.rank = target.rank - 1
        } else if reaches(source, from: target, upTo: limit) {
            edge.traits.insert(.ring)
            addRing(edge)
        } else {
            raise(target, above: limit)
        }
    }

    func hasDownstream(_ node: NodeRef) -> Bool {
        node.hasEdges || node.marks.contains(.hasInners)
    }

    private func hasUpstream(_ node: NodeRef) -> Bool {
        node._withUnsafeGuaranteedRef { $0.held != nil } || node.marks.contains(.isInner)
    }

    private func addRing(_ edge: Edge) {
        edge.ringIndex = Int32(rings.count)
        rings.append(.passUnretained(edge))
        ringMarks.isStale = true
    }

    private func removeRing(_ edge: Edge) {
        let index = Int(edge.ringIndex)
        edge.traits.remove(.ring)
        edge.ringIndex = -1
        let last = rings.removeLast()
        guard index < rings.count else { return }
        rings[index] = last
        last._withUnsafeGuaranteedRef { $0.ringIndex = Int32(index) }
    }

    // MARK: - Searches

    /// Whether `goal` can be reached from `start` over counted edges and nodes of rank ≤ `limit`.
    ///
    /// With a limit of `.max` every edge counts.
    private func reaches(_ goal: NodeRef, from start: NodeRef, upTo limit: Int) -> Bool {
        search.removeAll(keepingCapacity: true)
        search.append(start)
        start.seen = true
        var found = false
        var index = 0
        while index < search.count, !found {
            forEachTarget(of: search[index], counted: limit != .max) { target in
                if target.isSame(as: goal) { found = true }
                guard !target.seen, target.rank <= limit else { return }
                target.seen = true
                search.append(target)
            }
            index += 1
        }
        for node in search { node.seen = false }
        ringMarks.searchedNodes += search.count
        return found
    }

    /// Raises `start` above `limit`, and what follows above it.
    private func raise(_ start: NodeRef, above limit: Int) {
        start.rank = limit + 1
        search.removeAll(keepingCapacity: true)
        search.append(start)
        while let node = search.popLast() {
            ringMarks.searchedNodes += 1
            let rank = node.rank
            forEachTarget(of: node, counted: true) { target in
                guard target.rank <= rank else { return }
                target.rank = rank + 1
                search.append(target)
            }
        }
    }

    private func forEachTarget(of node: NodeRef, counted: Bool, _ visit: (NodeRef) -> Void) {
        forEachTarget(in: node.listens, counted: counted, visit)
        forEachTarget(in: node.outs, counted: counted, visit)
        if node.marks.contains(.hasInners) {
            node._withUnsafeGuaranteedRef { $0.forEachInner(counted: counted, visit) }
        }
    }

    private func forEachTarget(in list: EdgeRef?, counted: Bool, _ visit: (NodeRef) -> Void) {
        var next = list
        while let edge = next {
            next = edge.next
            guard edge.stamp != .max, let target = edge.target else { continue }
            if counted, !edge.traits.isDisjoint(with: [.ring, .asynchronous]) { continue }
            visit(target)
        }
    }
}
