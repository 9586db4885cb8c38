/// The edges that leave a node, in order of service, and then those that are parked: a list through
/// ``Edge/next``.
///
/// It holds none of them. The edge that a walk has given last may end meanwhile, but no other.
@usableFromInline
struct ServiceList: Sequence {
    @usableFromInline private(set) var first: EdgeRef?
    private(set) var last: EdgeRef?
    private(set) var firstParked: EdgeRef?

    @usableFromInline init() {}

    @inlinable var isEmpty: Bool { first == nil }

    mutating func append(_ edge: EdgeRef) {
        if edge.with({ $0.isParked }) {
            if firstParked == nil { firstParked = edge }
        } else if let firstParked {
            return insert(edge, before: firstParked)
        }
        edge.previous = last
        if let last { last.next = edge } else { first = edge }
        last = edge
    }

    private mutating func insert(_ edge: EdgeRef, before following: EdgeRef) {
        edge.next = following
        edge.previous = following.previous
        if let previous = following.previous { previous.next = edge } else { first = edge }
        following.previous = edge
    }

    mutating func prepend(_ edge: EdgeRef) {
        edge.next = first
        if let first { first.previous = edge } else { last = edge }
        first = edge
    }

    mutating func remove(_ edge: EdgeRef) {
        let (next, previous) = (edge.next, edge.previous)
        if let previous { previous.next = next } else { first = next }
        if let next { next.previous = previous } else { last = previous }
        if edge.isSame(as: firstParked) { firstParked = next }
        edge.next = nil
        edge.previous = nil
    }

    /// Brings the edges in the order in which they were connected, what belongs to the node first.
    mutating func sort() {
        func key(_ edge: EdgeRef) -> UInt64 { edge.traits.contains(.own) ? 0 : edge.stamp }
        let edges = Array(self)
        guard zip(edges, edges.dropFirst()).contains(where: { key($0) > key($1) }) else { return }
        for edge in edges { remove(edge) }
        for edge in edges.sorted(by: { key($0) < key($1) }) { append(edge) }
    }

    @usableFromInline
    func makeIterator() -> UnfoldSequence<EdgeRef, EdgeRef?> {
        sequence(state: first) { upcoming in
            defer { upcoming = upcoming?.next }
            return upcoming
        }
    }
}

/// The edges that a node or a bag holds, oldest first: a list through ``Edge/nextHeld``.
///
/// It owns a reference to each: who removes one gets that. A walk as for ``ServiceList``.
@usableFromInline
struct HeldList: Sequence {
    @usableFromInline private(set) var first: EdgeRef?
    @usableFromInline private(set) var last: EdgeRef?

    @usableFromInline init() {}

    mutating func append(_ edge: EdgeRef) {
        edge.previousHeld = last
        if let last { last.nextHeld = edge } else { first = edge }
        last = edge
    }

    mutating func remove(_ edge: EdgeRef) {
        let (next, previous) = (edge.nextHeld, edge.previousHeld)
        if let previous { previous.nextHeld = next } else { first = next }
        if let next { next.previousHeld = previous } else { last = previous }
        edge.nextHeld = nil
        edge.previousHeld = nil
    }

    @usableFromInline
    func makeIterator() -> UnfoldSequence<EdgeRef, EdgeRef?> {
        sequence(state: first) { upcoming in
            defer { upcoming = upcoming?.nextHeld }
            return upcoming
        }
    }
}
