/// Where an edge stands in the order of service, and among the edges that close rings.
struct EdgePlace {
    /// When the edge got both ends; `UInt64.max` while it lacks one.
    let stamp: UInt64
    /// Its place in ``Ranks/rings``; negative if it is not there, and so counts for ranks.
    let ring: Int
}

extension StateWriter {
    mutating func write(placeOf edge: Edge) {
        write(edge.stamp == .max ? 0 : Int(edge.connectedAt))
        write(Int(edge.ringIndex) + 1)
    }
}

extension StateReader {
    mutating func place() throws(StateError) -> EdgePlace {
        let stamp = try integer(in: 0...(.max >> 1))
        let ring = try integer(in: 0...(.max >> 1)) - 1
        return EdgePlace(stamp: stamp == 0 ? .max : UInt64(stamp), ring: ring)
    }
}

/// What is put in force together, when all nodes have taken over their state: the order in which
/// edges are served and joins settle, and the paths of what was kept back.
///
/// A graph built anew has the same edges. But they may have come in another order, and ranks
/// reflect edges that are gone.
struct RestoredOrder {
    /// Ranks that leave room for what is connected later.
    static let ranks = -(1 << 30)...(1 << 30)

    /// The nodes by the creation numbers that they had when they were saved.
    private(set) var nodes: [Int: AnyNode] = [:]
    private var numbers: [ObjectIdentifier: Int] = [:]
    private var rankOf: [ObjectIdentifier: Int] = [:]
    var places: [(edge: Edge, place: EdgePlace)] = []
    var tables: [(table: InnerTable, switched: NodeCore, closesRing: Bool)] = []
    /// The joins, with the numbers that they had when they were saved.
    var joins: [(join: Ref<Join>, number: Int)] = []
    var trails: [Trail] = []

    /// The node had that number when it was saved.
    mutating func note(_ node: AnyNode, as number: Int) throws(StateError) {
        guard number > 0, nodes.updateValue(node, forKey: number) == nil else { throw .malformed }
        numbers[ObjectIdentifier(node)] = number
    }

    mutating func note(_ node: AnyNode, as number: Int, rank: Int) throws(StateError) {
        try note(node, as: number)
        note(rank: rank, of: node)
    }

    mutating func note(rank: Int, of node: AnyNode) {
        rankOf[ObjectIdentifier(node)] = rank
    }

    /// The number that a node had, 0 if it was not saved.
    func number(of node: AnyNode?) -> Int {
        node.flatMap { numbers[ObjectIdentifier($0)] } ?? 0
    }

    // MARK: - Putting in force

    /// Throws before it changes anything.
    func apply(to engine: Engine) throws(StateError) {
        guard places.allSatisfy(isInOrder), tables.allSatisfy(isInOrder) else { throw .malformed }
        for node in nodes.values { node.core.rank = rank(of: node) }
        sortJoins()
        for table in tables { table.table.closesRing = table.closesRing }
        for (edge, place) in places {
            edge.stamp = place.stamp
            if place.stamp != .max { engine.connections = max(engine.connections, place.stamp) }
        }
        engine.ranks.setRings(places)
        let restored = Set(places.map { ObjectIdentifier($0.edge) })
        for node in nodes.values.map(\.core) {
            node.listens.sort()
            node.outs.sort()
            engine.ranks.placeEdges(of: node) { !restored.contains(ObjectIdentifier($0)) }
        }
        for trail in trails { trail.translate { nodes[Int($0)]?.id } }
    }

    /// Lets joins of equal rank settle in the order in which they did.
    ///
    /// The graph built anew may have made them in another one: their numbers are dealt out among
    /// them again.
    private func sortJoins() {
        let numbers = joins.map { $0.join.with { $0.number } }.sorted()
        for (saved, number) in zip(joins.sorted { $0.number < $1.number }, numbers) {
            saved.join.with { $0.number = number }
        }
    }

    private func rank(of node: AnyNode) -> Int { rankOf[ObjectIdentifier(node)] ?? node.rank }

    /// Ranks rise along every counted edge between saved nodes.
    private func isInOrder(_ edge: Edge, _ place: EdgePlace) -> Bool {
        guard edge.isConnected == (place.stamp != .max), edge.isConnected || place.ring < 0 else {
            return false
        }
        guard place.ring < 0, let source = edge.source?.heldNode, number(of: source) > 0,
            let target = edge.target?.node, number(of: target) > 0
        else { return true }
        return rank(of: source) < rank(of: target)
    }

    private func isInOrder(_ table: InnerTable, _ switched: NodeCore, _ closesRing: Bool) -> Bool {
        var isInOrder = true
        table.forEachInner { inner in
            isInOrder = isInOrder && rank(of: inner.heldNode) > (switched.node.map(rank) ?? switched.rank)
        }
        return closesRing || isInOrder
    }
}
