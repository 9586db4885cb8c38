// Joins of the reference model: G-50, G-51, G-81, G-82.
extension ReferenceGraph {
    /// An input has recorded an emission.
    func delivered(_ join: ReferenceJoin, _ journey: Journey) {
        guard !join.isOver, !join.node.isDead else { return }
        guard isSettled else {
            join.emit(journey)
            return
        }
        // Whether it had settled already is something that nothing can tell.
        if join.isVague { leaveOpen(.silentJoin) }
        join.last = captured(journey)
        guard !join.isMarked else { return }
        join.isMarked = true
        marked.append(join)
    }

    /// Emits what this turn marked, least rank first, until nothing is marked.
    func settle() {
        var vague: [ReferenceJoin] = []
        while !marked.isEmpty {
            drop { $0.isOver || $0.node.isDead }
            // Those that will not emit leave no trace of when their turn came.
            let silent = marked.filter { $0.isMarked && isSilent($0) && isLeast($0) }
            for join in silent where marked.count > 1 {
                join.isVague = true
                vague.append(join)
            }
            drop { join in silent.contains { $0 === join } }
            guard let join = choose() else { continue }
            drop { $0 === join }
            join.emit(join.last)
        }
        for join in vague { join.isVague = false }
    }

    private func drop(_ matches: (ReferenceJoin) -> Bool) {
        for join in marked where matches(join) { join.isMarked = false }
        marked.removeAll(where: matches)
    }

    /// No marked join is upstream of it.
    private func isLeast(_ join: ReferenceJoin) -> Bool {
        marked.count == 1 || marked.allSatisfy { $0 === join || !isUpstream($0.node, of: join.node) }
    }

    /// Whether one node is upstream of another for certain.
    ///
    /// The edge that closes a ring does not count, and which one of the ring's that is depends on what was
    /// cut before; so none of them is relied on.
    private func isUpstream(_ node: ReferenceNode, of other: ReferenceNode) -> Bool {
        guard downstream(of: node).contains(other.number) else { return false }
        var seen: Set<Int> = [node.number]
        var stack = [node]
        while let next = stack.popLast() {
            if next === other { return true }
            for consumer in consumers(of: next) where !downstream(of: consumer).contains(next.number) {
                if seen.insert(consumer.number).inserted { stack.append(consumer) }
            }
        }
        return false
    }

    private func isSilent(_ join: ReferenceJoin) -> Bool {
        if join.isEmissionLevel || join.isComplete { return false }
        return !join.propagatesEmpty || join.node.stored == nil
    }

    /// The join that settles next: the one the engine chose, if the rule allows it.
    private func choose() -> ReferenceJoin? {
        let least = marked.filter(isLeast)
        guard least.count > 1 else { return least.first }
        // An input's emptiness is not announced by a call of the join's function.
        if least.contains(where: { !$0.isEmissionLevel && !$0.isComplete }) { leaveOpen(.emptyJoins) }
        guard let site = nextSite() else { return least.first }
        return least.first { $0.site == site } ?? least.first
    }
}
