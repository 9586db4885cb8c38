// Joins of the reference model: G-50, G-51, G-81, G-82.
extension ReferenceGraph {
    /// An input has recorded an emission.
    func delivered(_ join: ReferenceJoin, _ journey: Journey) {
        guard !join.isOver, !join.node.isDead else { return }
        guard isSettled else {
            var onward = journey
            onward.origin = nil
            join.emit(onward)
            return
        }
        join.last = captured(journey)
        guard !join.isMarked else { return }
        join.isMarked = true
        marked.append(join)
    }

    /// Emits what this turn marked, least rank first, until nothing is marked.
    func settle() {
        while true {
            drop { $0.isOver || $0.node.isDead }
            guard let join = choose() else { return }
            drop { $0 === join }
            join.emit(join.last)
        }
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
    /// The edge that closes a ring does not count, and which one of the ring's that is depends on
    /// what was cut before; so none of them is relied on.
    private func isUpstream(_ node: ReferenceNode, of other: ReferenceNode) -> Bool {
        guard synchronousDownstream(of: node).contains(other.number) else { return false }
        var seen: Set<Int> = [node.number]
        var stack = [node]
        while let next = stack.popLast() {
            if next === other { return true }
            for consumer in consumers(of: next, synchronous: true)
            where !synchronousDownstream(of: consumer).contains(next.number) {
                if seen.insert(consumer.number).inserted { stack.append(consumer) }
            }
        }
        return false
    }

    /// The join that settles next: of several unrelated ones the one the engine chose, if the rule
    /// allows it.
    private func choose() -> ReferenceJoin? {
        guard !marked.isEmpty else { return nil }
        let least = marked.filter(isLeast)
        let number = nextSettled()
        if let join = least.first(where: { $0.node.number == number }) { return join }
        settledWrongly()
        return least.first
    }
}
