/// What a switched node holds (G-90).
final class ReferencePair {
    let key: Int?
    let inner: ReferenceNode

    init(_ key: Int?, _ inner: ReferenceNode) {
        self.key = key
        self.inner = inner
    }
}

/// The inner node of a pair is set when the pass of the pair is over.
struct ReferenceStep {
    let table: ReferenceTable
    let inner: ReferenceNode
    let generation: Int
    let emission: Int?
}

/// The inner nodes of a switch, the one used longest ago first (G-90, G-143).
final class ReferenceTable {
    struct Entry {
        let key: Int?
        let inner: ReferenceNode
    }

    let keys: Keys
    let releasesUnused: Bool
    private(set) var entries: [Entry] = []
    private(set) var current: ReferenceNode?
    /// Rises when the edge loses an end: what was on its way then is dropped.
    var generation = 0

    init(_ keys: Keys, releasesUnused: Bool) {
        self.keys = keys
        self.releasesUnused = releasesUnused
    }

    var inners: [ReferenceNode] { entries.map(\.inner) }

    func pair(of inner: ReferenceNode) -> ReferencePair? {
        entries.first { $0.inner === inner }.map { ReferencePair($0.key, inner) }
    }

    /// The inner node of a key, made on first use; `nil` if there is no room.
    func inner(of key: Int?, _ graph: ReferenceGraph, _ fail: () -> Void) -> ReferenceNode? {
        if let index = entries.firstIndex(where: { $0.key == key }) {
            let entry = entries.remove(at: index)
            entries.append(entry)
            return entry.inner
        }
        switch keys {
        case .fail(let limit) where entries.count >= limit:
            fail()
            return nil
        case .evictOldest(let limit) where entries.count >= limit:
            forget(entries[0].inner, graph)
        default: break
        }
        let inner = graph.makeNode(nil)
        inner.table = self
        inner.pins += 1
        entries.append(Entry(key: key, inner: inner))
        graph.forgetDownstream()
        return inner
    }

    /// Drops an inner node, which lives on if it is held from outside.
    private func forget(_ inner: ReferenceNode, _ graph: ReferenceGraph) {
        guard let index = entries.firstIndex(where: { $0.inner === inner }) else { return }
        entries.remove(at: index)
        inner.pins -= 1
        if current === inner { current = nil }
        graph.forgetDownstream()
    }

    func leave(_ graph: ReferenceGraph) {
        for inner in inners { forget(inner, graph) }
    }

    func makeCurrent(_ inner: ReferenceNode, _ graph: ReferenceGraph) {
        guard current !== inner else { return }
        let previous = current
        current = inner
        if let previous { becameIdle(previous, graph) }
    }

    /// It has no followers, and another key is current: it is dropped under the option.
    func becameIdle(_ inner: ReferenceNode, _ graph: ReferenceGraph) {
        guard releasesUnused, current !== inner, inner.listens.isEmpty, inner.outs.isEmpty else { return }
        forget(inner, graph)
    }
}

// The last step of a pass: G-90.
extension ReferenceGraph {
    func begin(_ step: ReferenceStep) {
        guard step.generation == step.table.generation else { return }
        step.inner.isDue = true
        step.table.makeCurrent(step.inner, self)
        sweep()
    }

    func finish(_ step: ReferenceStep, _ journey: Journey) {
        step.inner.isDue = false
        if step.generation == step.table.generation, !isSkipped(step.inner, journey) {
            var onward = journey
            onward.emission = step.emission
            onward.pair = nil
            onward.step = nil
            onward.origin = nil
            deliver(onward, to: step.inner)
        }
        step.inner.pins -= 1
        sweep()
    }
}

// Switch and case: G-90 … G-93, G-143, G-145.
extension ReferenceWorld {
    func performSwitch(_ step: Step) -> Int {
        switch step {
        case .makeSwitch(let place, let from, let site, let keys, let releasesUnused):
            guard let source = nodes[from] else { return -1 }
            let node = switched(source, site, ReferenceTable(keys, releasesUnused: releasesUnused))
            node.isMade = true
            switches[place] = node
            node.pins -= 1
            graph.sweep()
        case .makeCase(let place, let from, let choice):
            guard let source = switches[from] else { return -1 }
            let node = followed(source, choice)
            put(node, place)
            node.pins -= 1
            graph.sweep()
        case .listenSwitch(let place, let index, let replay, let site, let ticket):
            guard let source = switches[place] else { return -1 }
            let owner = needOwner(.bag(index))
            owner.pins += 1
            let edge = ReferenceEdge(.listen)
            edge.hasFunction = true
            graph.liveFunctions += 1
            edge.receive = { [unowned self] journey in
                guard let pair = journey.pair else { return }
                // The caller that is given the pair holds its node until it returns.
                pair.inner.pins += 1
                player?.listener(site, pair.inner.number * 10 + (pair.key ?? 9), context: journey.context)
                pair.inner.pins -= 1
                graph.sweep()
            }
            graph.attach(edge, from: source)
            graph.attach(edge, to: owner)
            let made = ReferenceTicket(edge)
            if replay { graph.replay(edge) }
            tickets[ticket] = made
            owner.pins -= 1
            graph.ownerDied(owner)
        case .dropSwitch(let place):
            switches[place] = nil
        default: break
        }
        return 0
    }

    private func switched(_ source: ReferenceNode, _ site: Int, _ table: ReferenceTable) -> ReferenceNode {
        let target = graph.makeNode(nil)
        target.pins += 1
        let edge = ReferenceEdge(.transform)
        edge.isPlain = false
        edge.propagatesEmpty = graph.propagatesEmpty
        edge.hasFunction = true
        graph.liveFunctions += 1
        edge.table = table
        edge.onDetach = { table.generation += 1 }
        edge.reset = { [unowned self] in table.leave(graph) }
        edge.receive = { [unowned self, unowned edge] journey in
            guard let value = journey.emission else {
                guard edge.propagatesEmpty else { return }
                guard let current = table.current else { return graph.send(nil, edge, journey) }
                return send(nil, to: current, nil, edge, journey)
            }
            guard let (key, mapped) = player?.key(site, value), let target = edge.to else { return }
            guard let inner = table.inner(of: key, graph, { player?.failed(target.number) }) else { return }
            send(table.pair(of: inner), to: inner, mapped, edge, journey)
            graph.sweep()
        }
        graph.attach(edge, from: source)
        graph.attach(edge, to: target)
        graph.replay(edge)
        return target
    }

    /// Emits a pair, or emptiness; at the end of that pass its inner node is set.
    private func send(
        _ pair: ReferencePair?,
        to inner: ReferenceNode,
        _ mapped: Int?,
        _ edge: ReferenceEdge,
        _ journey: Journey
    ) {
        guard let target = edge.to, let table = edge.table else { return }
        inner.pins += 1
        var onward = journey
        onward.emission = pair?.inner.number
        onward.pair = pair
        onward.origin = nil
        onward.step = ReferenceStep(
            table: table,
            inner: inner,
            generation: table.generation,
            emission: mapped
        )
        graph.deliver(onward, to: target)
    }

    private func followed(_ source: ReferenceNode, _ choice: Choice) -> ReferenceNode {
        let target = graph.makeNode(nil)
        target.pins += 1
        let edge = ReferenceEdge(.transform)
        edge.isPlain = false
        edge.propagatesEmpty = graph.propagatesEmpty
        edge.receive = { [unowned self, unowned edge] journey in
            guard let pair = journey.pair else {
                if edge.propagatesEmpty {
                    graph.dropFollower(edge)
                    graph.sweep()
                    graph.send(nil, edge, journey)
                }
                return
            }
            guard choice.wants(pair.key), edge.follower?.from !== pair.inner else { return }
            follow(edge, pair.inner, journey, replaysEmpty: false)
        }
        graph.attach(edge, from: source)
        graph.attach(edge, to: target)
        graph.replay(edge)
        return target
    }
}
