// The part of a path that an emission which resumes later needs back (G-138a).
//
// It may meet a node again only over a ring, so what it needs are those nodes of its path that lie
// on rings. Nodes outside of rings are not kept, however long the way to a ring is, and where the
// path touches no ring nothing is.

/// What is known about which nodes lie on rings.
///
/// A node's `ring` is of use while its generation is this one. Number 0 is a node that was met and
/// lies on no ring.
struct RingKnowledge {
    /// 0 while no search was made.
    var generation: UInt32 = 0
    /// An edge may have closed or opened a ring since the search.
    var isStale = true
    /// How many nodes the last search has met, and for how many ids of whole paths it was put off.
    var size = 0
    var putOff = 0
    /// Ids kept, and nodes met in searches, in all: for tests that count.
    var keptIDs = 0
    var searchedNodes = 0
}

/// The number of a component, and of which search it is.
struct RingMark: Equatable {
    var generation: UInt32 = 0
    var number: UInt32 = 0
}

extension Graph {
    /// How many ids of paths have been kept since the graph began: for tests of what rings cost.
    package var keptPathIDs: Int { ringMarks.keptIDs }

    /// How many nodes were met in searches for ranks and rings since the graph began.
    package var searchedNodes: Int { ringMarks.searchedNodes }

    /// What the current emission needs of its path, if it has to wait: nothing unless there are
    /// rings, or paths are asked for.
    @usableFromInline
    func captureTrail() -> Trail? {
        guard keepsPaths else { return nil }
        guard pathWishes == 0, ringsAreKnown() else {
            let trail = Trail(currentPath())
            ringMarks.putOff += trail.ids.count
            ringMarks.keptIDs += trail.ids.count
            return trail
        }
        var ids: [UInt64] = []
        var before: Crossing?
        if let restored {
            restored._withUnsafeGuaranteedRef {
                ids = $0.ids
                before = $0.before
            }
        }
        var index = base
        while index < depth {
            if let node = frames[index].node, isOnRing(node) { ids.append(node.id) }
            index += 1
        }
        for extra in extras.reversed() {
            guard extra.frame >= base else { break }
            if extra.node.map(isOnRing) ?? true { ids.append(extra.id) }
        }
        if inner != 0 { ids.append(inner) }
        ringMarks.keptIDs += ids.count
        return ids.isEmpty && before == nil ? nil : Trail(Path(ids: ids, before: before))
    }

    private func isOnRing(_ node: NodeRef) -> Bool {
        let mark = ringMark(of: node)
        return mark.generation == ringMarks.generation && mark.number != 0
    }

    private func ringMark(of node: NodeRef) -> RingMark {
        node._withUnsafeGuaranteedRef { $0.side?._withUnsafeGuaranteedRef { $0.ring } ?? RingMark() }
    }

    // MARK: - What changes them

    /// An edge between two nodes has come, while there are rings: it may have made one longer.
    func noteForRings(from source: NodeRef, to target: NodeRef) {
        guard !rings.isEmpty, !ringMarks.isStale else { return }
        // Only what can be reached from a ring can be on one.
        guard ringMark(of: source).generation == ringMarks.generation else { return }
        if hasDownstream(target) {
            ringMarks.isStale = true
        } else if ringMark(of: target).generation != ringMarks.generation {
            target._withUnsafeGuaranteedRef {
                $0.needSide().ring = RingMark(generation: ringMarks.generation)
            }
        }
    }

    /// An edge goes: says whether its ring may be open now.
    func noteForRings(without edge: Edge) -> Bool {
        guard !ringMarks.isStale, let source = edge.source, let target = edge.target else { return true }
        let mark = ringMark(of: source)
        guard mark.generation == ringMarks.generation, mark.number != 0, mark == ringMark(of: target) else {
            return false
        }
        ringMarks.isStale = true
        return true
    }

    // MARK: - The search

    /// Whether every node's mark is right.
    ///
    /// Where edges come and go on rings all the time, a search for each emission would cost more
    /// than whole paths do: then it waits until as many ids have been kept as it has nodes to meet.
    private func ringsAreKnown() -> Bool {
        guard ringMarks.isStale else { return true }
        guard ringMarks.putOff >= ringMarks.size else { return false }
        findRings()
        return true
    }

    /// One search in depth from the edges that close rings: linear in what can be reached from them
    /// (Tarjan).
    private func findRings() {
        ringMarks.generation &+= 1
        ringMarks.isStale = false
        ringMarks.putOff = 0
        var search = RingSearch(generation: ringMarks.generation)
        for ring in rings {
            if let target = ring.target { search.visit(from: target) }
        }
        ringMarks.size = search.count
        ringMarks.searchedNodes += search.count
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
    private var nodes: ContiguousArray<Unmanaged<NodeSide>> = []
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
        node._withUnsafeGuaranteedRef { node in
            node.side?._withUnsafeGuaranteedRef { side in
                side.ring.generation == generation ? Int(side.place) : nil
            }
        }
    }

    private mutating func enter(_ node: NodeRef) {
        let index = nodes.count
        let side = node._withUnsafeGuaranteedRef { $0.needSide() }
        side.ring = RingMark(generation: generation)
        side.place = UInt32(truncatingIfNeeded: index)
        nodes.append(.passUnretained(side))
        lowest.append(index)
        isOpen.append(true)
        open.append(index)
        // The list of listeners matters for the followings of a flatten.
        var step = Step(index: index, next: node.outs, transforms: true)
        node._withUnsafeGuaranteedRef { $0.forEachInner(counted: false) { step.inners.append($0) } }
        steps.append(step)
        if let listens = node.listens { steps.append(Step(index: index, next: listens, transforms: false)) }
    }

    private mutating func leave(_ index: Int) {
        let step = steps.removeLast()
        guard step.transforms else { return }
        if lowest[index] == index {
            let isRing = open.last != index
            while let member = open.popLast() {
                isOpen[member] = false
                if isRing {
                    nodes[member]._withUnsafeGuaranteedRef { $0.ring.number = UInt32(index + 1) }
                }
                if member == index { break }
            }
        }
        if let parent = steps.last?.index { lowest[parent] = min(lowest[parent], lowest[index]) }
    }
}
