/// Which originating emissions have come to which nodes over identity-sync edges (G-137).
///
/// An origin is a number, given when an emission leaves a node over such an edge and has not come
/// over one. A node keeps the last origin that reached it; one of the same turn that was
/// overwritten by a later one stands in `earlier`.
struct SyncOrigins {
    struct Arrival: Hashable {
        let node: UInt64
        let origin: UInt64
    }

    private var last: UInt64 = 0
    /// The graph's turn in which the last origin was given, and the last one given before that
    /// turn.
    private var turn: UInt64 = 0
    private var lastBeforeTurn: UInt64 = 0
    private var earlier: Set<Arrival> = []

    mutating func next(inTurn number: UInt64) -> UInt64 {
        if turn != number {
            turn = number
            lastBeforeTurn = last
            if !earlier.isEmpty { earlier.removeAll() }
        }
        last += 1
        return last
    }

    mutating func note(_ origin: UInt64, at node: NodeRef) {
        let old = node.origin
        if old > lastBeforeTurn { earlier.insert(Arrival(node: node.id, origin: old)) }
        node.origin = origin
    }

    func hasReached(_ node: NodeRef, _ origin: UInt64) -> Bool {
        let newest = node.origin
        if newest <= origin { return newest == origin }
        return earlier.contains(Arrival(node: node.id, origin: origin))
    }
}

extension Engine {
    /// The origin of the emission that `edge` is about to hand on; 0 if it has reached the target
    /// already.
    @usableFromInline
    func origin(for edge: Edge) -> UInt64 {
        guard let source = edge.source, let target = edge.target else { return 0 }
        let frame = unsafe stack.frames + (stack.depth - 1)
        // The replay at connection has a frame without node: a new origin, which belongs to no
        // other node.
        guard let node = unsafe frame.pointee.node, node.isSame(as: source) else {
            return route.origins.next(inTurn: turnState.number)
        }
        if unsafe !frame.pointee.synced {
            unsafe frame.pointee.synced = true
            route.origins.note(route.origins.next(inTurn: turnState.number), at: source)
            return source.origin
        }
        return route.origins.hasReached(target, source.origin) ? 0 : source.origin
    }

    /// The target has stored the emission of this origin.
    @usableFromInline
    func enterSynced(_ edge: Edge, _ origin: UInt64) -> Outcome {
        guard let target = edge.target else { return .nothing }
        route.origins.note(origin, at: target)
        return .enterSynced
    }
}
