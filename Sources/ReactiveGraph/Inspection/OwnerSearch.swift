/// The search of ``AnyNode/ownerPaths(limit:)``: upwards from a node over everything that holds it.
struct OwnerSearch {
    private struct Outsider {
        let holder: OwnerPath.Holder
        var places: [CodePlace] = []
        var listens: [EdgeRef] = []
    }

    private struct Found {
        let outsider: Outsider
        /// From the node asked about upwards.
        let nodes: [NodeRef]
        let links: [String]
    }

    private struct Hold {
        let node: NodeRef
        let link: String
    }

    private struct Key: Hashable {
        let holder: OwnerPath.Holder
        /// Two bags with the same description are two holders.
        let number: Int
        let nodes: [UInt64]
    }

    private let start: NodeRef
    private let limit: Int
    private let map: HoldMap
    private var found: [Found] = []
    private var known: Set<Key> = []
    private var rings: [Found] = []
    private var knownRings: Set<[UInt64]> = []

    init(of start: NodeRef, limit: Int) {
        self.start = start
        self.limit = limit
        map = HoldMap(around: [start])
    }

    mutating func run() -> [OwnerPath] {
        let reached = addShortest()
        addOthers(steps: 64 * (reached + limit))
        let all = (found + rings).prefix(limit)
        return all.map { path in
            OwnerPath(
                holder: path.outsider.holder,
                nodes: path.nodes.reversed().compactMap(\.node),
                links: path.links.reversed(),
                places: path.outsider.places,
                listens: path.outsider.listens.map { $0.object }
            )
        }
    }

    // MARK: - Shortest first

    /// Breadth first: one path from each holder.
    ///
    /// - Returns: how many nodes hold the start.
    private mutating func addShortest() -> Int {
        var below: [UInt64: (node: NodeRef, link: String)] = [:]
        var seen: Set<UInt64> = [start.id]
        var queue = [start]
        var index = 0
        while index < queue.count {
            let node = queue[index]
            index += 1
            let outside = outsiders(of: node)
            if !outside.isEmpty, found.count < limit {
                var nodes = [node]
                var links: [String] = []
                var top = node
                while let step = below[top.id] {
                    nodes.append(step.node)
                    links.append(step.link)
                    top = step.node
                }
                for (number, outsider) in outside.enumerated() where found.count < limit {
                    add(outsider, number, nodes.reversed(), links.reversed())
                }
            }
            for hold in holds(on: node) where seen.insert(hold.node.id).inserted {
                below[hold.node.id] = (node, hold.link)
                queue.append(hold.node)
            }
        }
        return queue.count
    }

    // MARK: - All others

    private struct Frame {
        let holds: [Hold]
        var next = 0
    }

    /// Depth first: every simple path, and the rings met on the way.
    ///
    /// A part of the graph that is densely tied into rings has more simple paths than can be
    /// searched: hence the number of steps is limited.
    private mutating func addOthers(steps: Int) {
        var nodes = [start]
        var links: [String] = []
        var places: [UInt64: Int] = [start.id: 0]
        var frames = [Frame(holds: holds(on: start))]
        var steps = steps
        while !frames.isEmpty, found.count < limit, steps > 0 {
            steps -= 1
            let top = frames.count - 1
            guard frames[top].next < frames[top].holds.count else {
                frames.removeLast()
                if let left = nodes.popLast() { places[left.id] = nil }
                _ = links.popLast()
                continue
            }
            let hold = frames[top].holds[frames[top].next]
            frames[top].next += 1
            if let place = places[hold.node.id] {
                addRing(hold, at: place, nodes, links)
                continue
            }
            places[hold.node.id] = nodes.count
            nodes.append(hold.node)
            links.append(hold.link)
            for (number, outsider) in outsiders(of: hold.node).enumerated() where found.count < limit {
                add(outsider, number, nodes, links)
            }
            frames.append(Frame(holds: holds(on: hold.node)))
        }
    }

    private mutating func add(
        _ outsider: Outsider,
        _ number: Int,
        _ nodes: [NodeRef],
        _ links: [String]
    ) {
        let key = Key(holder: outsider.holder, number: number, nodes: nodes.map(\.id))
        guard known.insert(key).inserted else { return }
        found.append(Found(outsider: outsider, nodes: nodes, links: links))
    }

    /// The path comes back to one of its nodes: the same nodes make one ring, wherever it is
    /// entered.
    private mutating func addRing(_ hold: Hold, at place: Int, _ nodes: [NodeRef], _ links: [String]) {
        guard rings.count < limit else { return }
        guard knownRings.insert(nodes[place...].map(\.id).sorted()).inserted else { return }
        rings.append(
            Found(outsider: Outsider(holder: .ring), nodes: nodes + [hold.node], links: links + [hold.link])
        )
    }

    // MARK: - Who holds a node

    /// The nodes that hold `node`, each once.
    private func holds(on node: NodeRef) -> [Hold] {
        var result: [Hold] = []
        var seen: Set<UInt64> = []
        map.forEachHolder(of: node) { holder, link in
            if seen.insert(holder.id).inserted { result.append(Hold(node: holder, link: link)) }
        }
        return result
    }

    private func outsiders(of node: NodeRef) -> [Outsider] {
        var kept: [Outsider] = []
        var bags: [(owner: String, listens: [EdgeRef], places: [CodePlace])] = []
        var places: [ObjectIdentifier: Int] = [:]
        node.with { node in
            node.forEachOutgoing { edge in
                if let (key, owner) = edge.listenerDescription() {
                    let index = places[key] ?? bags.count
                    if index == bags.count {
                        places[key] = index
                        bags.append((owner, [], []))
                    }
                    bags[index].listens.append(.to(edge))
                    if let place = edge.place { bags[index].places.append(place) }
                } else if edge.isHeldFromOutside {
                    kept.append(Outsider(holder: .edge(name: edge.name)))
                }
            }
        }
        let listeners = bags.map {
            Outsider(
                holder: .listener(of: $0.owner, listens: $0.listens.count),
                places: $0.places,
                listens: $0.listens
            )
        }
        let registries = node.with { $0.registrations }
            .map { Outsider(holder: .registry(name: $0)) }
        let isReferred = map.outsideReferences(to: node) > 0
        return listeners + registries + kept + (isReferred ? [Outsider(holder: .reference)] : [])
    }
}

extension Edge {
    /// Whose listen this is: what tells owners apart, and what to call it; `nil` if it is not a
    /// listen.
    fileprivate func listenerDescription() -> (ObjectIdentifier, String)? {
        guard let bag else { return nil }
        if let owned = owners {
            let owners = owned.livingOwners
            let key = owners.count == 1 ? ObjectIdentifier(owners[0]) : ObjectIdentifier(owned)
            return (key, owners.map { String(describing: type(of: $0)) }.joined(separator: ", "))
        }
        if let owner {
            return (ObjectIdentifier(owner), String(describing: type(of: owner)))
        }
        return bag.with { bag in
            let type = bag.ownerType.map { String(describing: $0) }
            return (ObjectIdentifier(bag), bag.name ?? type ?? "a bag")
        }
    }
}
