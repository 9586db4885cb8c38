/// The search of ``Graph/leakedRings()``: from nodes upwards over all that holds them, until
/// something outside is found.
///
/// One search in depth for all of them (Tarjan), which may be interrupted after each edge. What a
/// holder from outside is met from is held, and so is all that stands open then: it leads to the
/// path on which the holder was met. What closes by itself is lost, and a part of more than one
/// node is a ring.
///
/// It refers to nodes and edges without holding them. So no edge may leave its source between two
/// steps; a node that it knows does not die without that.
struct LeakSearch {
    private struct Frame {
        let place: Int
        /// The next edge to look at.
        var edge: EdgeRef?
        /// The list that comes after that of `edge`.
        var other: EdgeRef?
        /// How many of its keepers have been looked at.
        var kept = 0
        /// References to the node that are accounted for.
        var known: Int
    }

    private enum State {
        case open, held, lost
    }

    private let starts: [NodeRef]
    /// Nodes that hold others by a value, by the number of the node that is held.
    private let keepers: [UInt64: [NodeRef]]
    private let count = ReferenceCount()
    private var next = 0
    /// In the order in which they were met.
    private var nodes: [NodeRef] = []
    private var places: [UInt64: Int] = [:]
    private var low: [Int] = []
    private var states: [State] = []
    private var open: [Int] = []
    private var frames: [Frame] = []
    /// The rings that nothing outside leads to.
    private(set) var rings: [[NodeRef]] = []

    init(from starts: [NodeRef], keepers: [UInt64: [NodeRef]]) {
        self.starts = starts
        self.keepers = keepers
    }

    /// Whether there is nothing left to look at.
    var isDone: Bool { frames.isEmpty && next == starts.count }

    /// Takes so many steps, each of one edge or node.
    ///
    /// - Returns: how many are left.
    mutating func goOn(for steps: Int) -> Int {
        var left = steps
        while left > 0, !isDone {
            left -= 1
            guard let top = frames.indices.last else {
                enter(starts[next])
                next += 1
                continue
            }
            if let edge = frames[top].edge {
                frames[top].edge = edge.next
                look(at: edge, from: top)
            } else if let other = frames[top].other {
                (frames[top].edge, frames[top].other) = (other, nil)
            } else if let keeper = keeper(of: frames[top]) {
                frames[top].kept += 1
                meet(keeper, from: top)
            } else {
                leave(frames[top])
            }
        }
        return left
    }

    /// Begins to look at what holds a node that was not met before.
    private mutating func enter(_ node: NodeRef) {
        guard places[node.id] == nil else { return }
        let place = nodes.count
        places[node.id] = place
        nodes.append(node)
        low.append(place)
        states.append(.open)
        open.append(place)
        let (listens, outs, isNamed) = node.with { node in
            (node.listens.first, node.outs.first, !node.registrations.isEmpty)
        }
        if isNamed { return noteHolder() }
        frames.append(Frame(place: place, edge: listens, other: outs, known: keepers[node.id]?.count ?? 0))
    }

    /// An edge that has the node of the frame as its source: a listener, or the edge of a node that
    /// holds it.
    private mutating func look(at edge: EdgeRef, from frame: Int) {
        let (isOwn, isHeld, target) = edge.with { edge in
            (edge.traits.contains(.own), edge.bag != nil || edge.isHeldFromOutside, edge.target)
        }
        if !isOwn { frames[frame].known += 1 }
        if isHeld { return noteHolder() }
        if let target { meet(target, from: frame) }
    }

    private func keeper(of frame: Frame) -> NodeRef? {
        guard let all = keepers[nodes[frame.place].id], frame.kept < all.count else { return nil }
        return all[frame.kept]
    }

    private mutating func meet(_ holder: NodeRef, from frame: Int) {
        guard let place = places[holder.id] else { return enter(holder) }
        switch states[place] {
        case .open: low[frames[frame].place] = min(low[frames[frame].place], place)
        case .held: noteHolder()
        case .lost: break
        }
    }

    /// All that is open is held from outside.
    private mutating func noteHolder() {
        for place in open { states[place] = .held }
        open.removeAll(keepingCapacity: true)
        frames.removeAll(keepingCapacity: true)
    }

    /// All edges of a node have been looked at: what else refers to it stands outside.
    private mutating func leave(_ frame: Frame) {
        let place = frame.place
        if count.references(to: nodes[place]) > frame.known { return noteHolder() }
        frames.removeLast()
        if let below = frames.last { low[below.place] = min(low[below.place], low[place]) }
        guard low[place] == place, let first = open.lastIndex(of: place) else { return }
        let part = open[first...]
        for place in part { states[place] = .lost }
        if part.count > 1 { rings.append(part.map { nodes[$0] }) }
        open.removeSubrange(first...)
    }
}
