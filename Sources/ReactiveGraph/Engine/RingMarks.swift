/// Which nodes lie on rings.
///
/// A path may meet a node again only over a ring, so what an emission that resumes later needs back
/// are those nodes of its path that lie on rings (G-138a). Nodes outside of rings are not kept,
/// however long the way to a ring is, and where the path touches no ring nothing is.
///
/// A node's own mark is of use while its generation is this one. Number 0 is a node that was met
/// and lies on no ring.
struct RingMarks {
    /// 0 while no search was made.
    private var generation: UInt32 = 0
    /// An edge may have closed or opened a ring since the search.
    var isStale = true
    /// How many nodes the last search has met.
    private var size = 0
    /// For how many ids of whole paths the next search was put off.
    var putOff = 0

    /// Whether a node lies on a ring, as far as the last search knows.
    func isOnRing(_ node: NodeRef) -> Bool {
        let mark = node.ringMark
        return mark.generation == generation && mark.number != 0
    }

    /// One node follows another from now on: that may have made a ring longer.
    mutating func connected(from source: NodeRef, to target: NodeRef) {
        // Only what can be reached from a ring can be on one.
        guard !isStale, source.ringMark.generation == generation else { return }
        if target.hasDownstream {
            isStale = true
        } else if target.ringMark.generation != generation {
            target.with { $0.needSide().ring = RingMark(generation: generation) }
        }
    }

    /// An edge goes.
    ///
    /// - Returns: whether its ring may be open now.
    mutating func disconnected(_ edge: Edge) -> Bool {
        guard !isStale, let source = edge.source, let target = edge.target else { return true }
        let mark = source.ringMark
        guard mark.generation == generation, mark.number != 0, mark == target.ringMark else { return false }
        isStale = true
        return true
    }

    /// Whether to search now.
    ///
    /// Where edges come and go on rings all the time, a search for each emission would cost more
    /// than whole paths do: so it waits until as many ids have been kept as it has nodes to meet.
    var isWorthSearching: Bool { putOff >= size }

    /// Marks all nodes by one search in depth from the edges that close rings: linear in what can
    /// be reached from them (Tarjan).
    ///
    /// - Returns: how many nodes it met.
    mutating func search(from rings: ContiguousArray<EdgeRef>) -> Int {
        generation &+= 1
        isStale = false
        putOff = 0
        var search = RingSearch(generation: generation)
        for ring in rings {
            if let target = ring.target { search.visit(from: target) }
        }
        size = search.count
        return size
    }
}

/// The number of a component, and of which search it is.
struct RingMark: Equatable {
    var generation: UInt32 = 0
    var number: UInt32 = 0
}

extension NodeRef {
    fileprivate var ringMark: RingMark {
        with { $0.side?.with { $0.ring } ?? RingMark() }
    }
}

/// The strongly connected components that can be reached from some nodes, with a stack of its own.
private struct RingSearch {
    private struct Step {
        let index: Int
        var next: EdgeRef?
        let transforms: Bool
        /// The inner nodes of a switch, which no edge leads to.
        var inners: [NodeRef] = []
    }

    let generation: UInt32
    private var nodes: ContiguousArray<Ref<NodeSide>> = []
    private var lowest: ContiguousArray<Int> = []
    private var isOpen: ContiguousArray<Bool> = []
    /// Nodes whose component is not complete.
    private var open: ContiguousArray<Int> = []
    private var steps: ContiguousArray<Step> = []

    init(generation: UInt32) {
        self.generation = generation
    }

    var count: Int { nodes.count }

    mutating func visit(from start: NodeRef) {
        guard index(of: start) == nil else { return }
        enter(start)
        while let top = steps.indices.last {
            let index = steps[top].index
            guard let target = nextTarget(top) else {
                leave(index)
                continue
            }
            if let other = self.index(of: target) {
                if isOpen[other] { lowest[index] = min(lowest[index], other) }
            } else {
                enter(target)
            }
        }
    }

    private mutating func nextTarget(_ top: Int) -> NodeRef? {
        while let edge = steps[top].next {
            steps[top].next = edge.next
            if edge.stamp != .max, let target = edge.target { return target }
        }
        return steps[top].inners.popLast()
    }

    /// Its place in the search, if the search has met it.
    private func index(of node: NodeRef) -> Int? {
        node.with { node in
            node.side?.with { side in
                side.ring.generation == generation ? Int(side.place) : nil
            }
        }
    }

    private mutating func enter(_ node: NodeRef) {
        let index = nodes.count
        let side = node.with { $0.needSide() }
        side.ring = RingMark(generation: generation)
        side.place = UInt32(truncatingIfNeeded: index)
        nodes.append(.to(side))
        lowest.append(index)
        isOpen.append(true)
        open.append(index)
        // The list of listeners matters for the followings of a flatten.
        var step = Step(index: index, next: node.firstOut, transforms: true)
        node.with { $0.forEachInner(counted: false) { step.inners.append($0) } }
        steps.append(step)
        if let listen = node.firstListen {
            steps.append(Step(index: index, next: listen, transforms: false))
        }
    }

    private mutating func leave(_ index: Int) {
        let step = steps.removeLast()
        guard step.transforms else { return }
        if lowest[index] == index {
            let isRing = open.last != index
            while let member = open.popLast() {
                isOpen[member] = false
                if isRing {
                    nodes[member].with { $0.ring.number = UInt32(index + 1) }
                }
                if member == index { break }
            }
        }
        if let parent = steps.last?.index { lowest[parent] = min(lowest[parent], lowest[index]) }
    }
}
