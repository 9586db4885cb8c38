// Rings hold themselves (G-56). What nobody reaches any more can be reported, to be cut by whoever made it.
extension Graph {
    /// The rings that nobody outside holds and no listener reaches, each as its nodes in order of creation.
    ///
    /// A ring is a set of nodes that all hold each other, by edges and the inner followings of flattens and cases. It
    /// is freed when one of its edges is disconnected, for instance by ``AnyNode/removeUpstreamNodes()``. Held from
    /// outside is what a listener, a variable, or an ``AnyEdge`` that somebody keeps leads to, over as many nodes
    /// as it may be. A node that a function given to an operator has captured counts as held, because nobody
    /// can look into a function; a ring that only values close, a node holding its owner, is not found (G-148).
    ///
    /// The time is in proportion to the parts of the graph that have rings, and nothing recurses. The result holds
    /// the nodes.
    public func leakedRings() -> [[AnyNode]] {
        guard !rings.isEmpty else { return [] }
        let map = HoldMap(around: rings.compactMap(\.source))
        let lost = lostNodes(map)
        guard !lost.isEmpty else { return [] }
        var components = Components(map: map, nodes: lost)
        return components.rings().map { ring in
            ring.sorted { $0.id < $1.id }.map { $0.takeUnretainedValue() }
        }
    }

    /// The nodes that nothing outside leads to.
    private func lostNodes(_ map: HoldMap) -> [NodeRef] {
        var reached: Set<UInt64> = []
        var open: [NodeRef] = []
        for node in map.nodes where map.isHeldFromOutside(node) {
            reached.insert(node.id)
            open.append(node)
        }
        while let node = open.popLast() {
            node._withUnsafeGuaranteedRef { holder in
                let reach = { (next: NodeRef) in
                    if reached.insert(next.id).inserted { open.append(next) }
                }
                holder.forEachProvider(reach)
                holder.forEachKept(reach)
            }
        }
        return map.nodes.filter { !reached.contains($0.id) }
    }
}

/// The strongly connected components among some nodes, by Tarjan's algorithm with a stack of its own.
private struct Components {
    private struct Frame {
        let place: Int
        var next = 0
    }

    private let nodes: [NodeRef]
    /// For each node the places of those that hold it.
    private var holders: [[Int32]]
    private var index: [Int]
    private var low: [Int]
    private var isOpen: [Bool]
    private var open: [Int] = []
    private var found: [[NodeRef]] = []
    private var counter = 0

    init(map: HoldMap, nodes: [NodeRef]) {
        self.nodes = nodes
        var places: [UInt64: Int32] = [:]
        for (place, node) in nodes.enumerated() { places[node.id] = Int32(place) }
        holders = nodes.map { node in
            var list: [Int32] = []
            map.forEachHolder(of: node) { holder, _ in
                if let place = places[holder.id] { list.append(place) }
            }
            return list
        }
        index = Array(repeating: -1, count: nodes.count)
        low = Array(repeating: 0, count: nodes.count)
        isOpen = Array(repeating: false, count: nodes.count)
    }

    /// The components of more than one node, in the order of their oldest node.
    mutating func rings() -> [[NodeRef]] {
        for start in nodes.indices where index[start] < 0 { search(from: start) }
        let oldest = found.map { ring in ring.reduce(UInt64.max) { min($0, $1.id) } }
        return found.indices.sorted { oldest[$0] < oldest[$1] }.map { found[$0] }
    }

    private mutating func search(from start: Int) {
        var frames = [enter(start)]
        while var frame = frames.popLast() {
            let place = frame.place
            if frame.next < holders[place].count {
                let next = Int(holders[place][frame.next])
                frame.next += 1
                frames.append(frame)
                if index[next] < 0 {
                    frames.append(enter(next))
                } else if isOpen[next] {
                    low[place] = min(low[place], index[next])
                }
                continue
            }
            if let below = frames.last { low[below.place] = min(low[below.place], low[place]) }
            if low[place] == index[place] { close(place) }
        }
    }

    private mutating func enter(_ place: Int) -> Frame {
        index[place] = counter
        low[place] = counter
        counter += 1
        isOpen[place] = true
        open.append(place)
        return Frame(place: place)
    }

    private mutating func close(_ root: Int) {
        var ring: [NodeRef] = []
        while let place = open.popLast() {
            isOpen[place] = false
            ring.append(nodes[place])
            if place == root { break }
        }
        if ring.count > 1 { found.append(ring) }
    }
}
