/// What makes a node a join: how to put the latest values of its inputs together, and whether it
/// has to.
///
/// It lives as long as its node or one of its input edges. `node` is blank once the node has died.
@usableFromInline
final class Join {
    /// Puts the inputs together and stores the result in the node.
    @usableFromInline let emit: (Join) -> Outcome
    @safe @exclusivity(unchecked) @usableFromInline var node: NodeRef?
    /// The order among joins of equal rank: its node's creation number, until a restore gives it
    /// the place that it had.
    @safe @exclusivity(unchecked) var number: UInt64
    @safe @exclusivity(unchecked) var isMarked = false
    /// An input was removed: nothing is emitted any more (G-82).
    @safe @exclusivity(unchecked) @usableFromInline var isDead = false
    /// Whether it waits for the end of the turn: so with ``Graph/setPropagation(_:reaching:)``.
    @safe @exclusivity(unchecked) @usableFromInline var isSettled: Bool
    /// Whether it does so in a settled graph; a zip never does.
    let canSettle: Bool
    /// An input became empty, and that is to travel: the node becomes empty unless the input is
    /// refilled first (G-145).
    @safe @exclusivity(unchecked) @usableFromInline var emptyTravels = false
    @safe @exclusivity(unchecked) var trail: Trail?
    @safe @exclusivity(unchecked) var context: Context?
    /// Gives up what waits for an emission that will not come.
    @safe @exclusivity(unchecked) @usableFromInline var onEnd: (() -> AnyObject)?

    @usableFromInline
    init(of node: NodeCore, settled: Bool, canSettle: Bool, emit: @escaping (Join) -> Outcome) {
        self.node = .to(node)
        number = node.id
        isSettled = settled
        self.canSettle = canSettle
        self.emit = emit
    }

    /// An input has recorded its value: mark the join, or emit at once.
    @inlinable
    func delivered(by edge: Edge) -> Outcome {
        guard !isDead, let node, edge.target?.identity == node.identity else { return .nothing }
        return isSettled ? .mark : emit(self)
    }

    /// A passive input has recorded its value: no cause to emit, unless the node is empty and this
    /// completes it.
    @inlinable
    func delivered(passivelyBy edge: Edge, missing: Int) -> Outcome {
        guard missing == 0, let node, node.isEmpty else { return .nothing }
        return delivered(by: edge)
    }

    /// An input was removed: gives what is to be released when no list is being changed any more.
    func end() -> AnyObject? {
        isDead = true
        let leave = onEnd
        onEnd = nil
        return leave?()
    }

    /// The node this join stores into, as the typed node it is.
    @inlinable
    func node<Out>(as type: Out.Type) -> Ref<Core<Out>>? {
        guard let node else { return nil }
        return node.cast(to: Core<Out>.self)
    }
}

// Settled joins (G-50): marked while the turn goes on, emitted once, by rank, when nothing else is
// left.
extension Engine {
    @inline(never)
    func mark(_ node: NodeRef) {
        guard let join = node.join else { return }
        join.with { join in
            guard !join.isDead else { return }
            if keepsPaths || join.trail != nil { join.trail = captureTrail() }
            if route.context != nil || join.context != nil {
                destroy(exchange(&join.context, with: currentContext))
            }
            guard !join.isMarked else { return }
            join.isMarked = true
            marked.insert(MarkedJoin(rank: node.rank, number: join.number, join: .to(join)))
        }
    }

    /// Emits the joins that this turn marked, in rank order.
    func settle() {
        while !marked.isEmpty {
            // A ring that was opened since the last mark: its edges count again.
            if ranks.areStale { ranks.sortRings() }
            let top = marked.least
            top.join.with { join in
                marked.removeLeast()
                if let node = join.node, node.rank > top.rank {
                    // Ranks only rise, so sorting late is exact.
                    marked.insert(MarkedJoin(rank: node.rank, number: top.number, join: top.join))
                    return
                }
                join.isMarked = false
                settle(join)
            }
        }
        setPath(nil)
    }

    @inline(__always)
    private func settle(_ join: Join) {
        guard !join.isDead, let node = join.node, !turnState.isStopping else { return }
        onSettle?(node.id)
        if join.trail == nil && join.context == nil {
            setPath(nil)
            route.context = nil
            emit(join)
        } else {
            emitCarrying(join)
        }
    }

    @inline(never)
    private func emitCarrying(_ join: Join) {
        let trail = join.trail
        let carried = join.context
        join.trail = nil
        join.context = nil
        setPath(trail.map(Ref.to))
        route.context = carried.map(Ref.to)
        emit(join)
        withExtendedLifetime((trail, carried)) {}
    }

    @inline(__always)
    private func emit(_ join: Join) {
        // A join that propagation reaches although a batch sets it, or one busy outside, learns it
        // from its store.
        if join.emit(join) == .enter, let node = join.node, node.hasEdges, !turnState.isStopping {
            let floor = stack.depth
            push(node)
            run(to: floor)
        }
    }
}
