internal import ReactiveGraph

// The `sync` and `links` of a definition in the living graph. Both lead only to nodes that are held
// as long as the graph lives, so cycles of them keep nothing else alive. The graph disconnects them
// when it ends.

extension LiveGraph {
    /// Synchronises the two nodes of each sync: `a` follows `b`, then `b` follows `a` (G-88).
    func connectSyncs() {
        for number in definition.syncs.indices {
            connectSync(number) {
                nil
            } toB: {
                nil
            }
        }
    }

    /// Connects one sync; an existing direction is reused.
    func connectSync(_ number: Int, toA: () -> Tie?, toB: () -> Tie?) {
        let sync = definition.syncs[number]
        guard let a = node(sync.a), let b = node(sync.b) else { return }
        if let tie = toA() {
            ties.append(tie)
        } else {
            connect(sync.toA, from: b, to: a, key: sync.keys.toA, at: "sync/\(number)/to_a")
        }
        if let tie = toB() {
            ties.append(tie)
        } else {
            connect(sync.toB, from: a, to: b, key: sync.keys.toB, at: "sync/\(number)/to_b")
        }
    }

    private func connect(_ way: Expression?, from: NamedNode, to: NamedNode, key: String, at place: String) {
        guard let source = from.source, let target = to.source else { return }
        let place = tiePlaces[key] ?? place
        let tie = Tie(.sync, from: from, to: to, label: way?.source ?? "", key: key, at: place)
        ties.append(tie)
        let evaluation = way.map { Evaluation($0, taking: 1, at: place, in: self) }
        tie.connect(source, to: target, in: self, through: evaluation)
    }

    /// Connects the links in order; all their targets exist.
    func connectLinks() {
        for number in definition.links.indices { connectLink(number) }
    }

    /// Connects one link.
    func connectLink(_ number: Int) {
        let link = definition.links[number]
        guard let from = node(link.from), let to = node(link.to) else { return }
        let place = tiePlaces[link.key] ?? "links/\(number)"
        var end = materialise(from)
        for (position, stage) in link.pipe.enumerated() {
            let site = StageSite(graph: self, timers: timers, place: "\(place)/\(position)")
            end = stage.make(site).derive(end).named(stage.label)
            note(end, as: InnerStage.Part(of: to, stage.name, label: stage.label, isOfLink: true))
        }
        let label = link.pipe.map(\.label).joined(separator: " | ")
        let tie = Tie(.links, from: from, to: to, label: label, key: link.key, at: place)
        ties.append(tie)
        tie.connect(end, to: to.source ?? materialise(to), in: self)
    }

    /// The mutable nodes that a commit may change through ties.
    func tiedNodes(behind commit: Commit) -> [NamedNode] {
        guard !ties.isEmpty, case .values = commit.kind else { return [] }
        if commit.set.isSingle, commit.clear.isEmpty, let only = commit.set.first {
            return tieReach.nodes(behind: only.node)
        }
        let own = commit.setNodes + commit.clear
        var seen = Set(own.map(ObjectIdentifier.init))
        return own.flatMap { tieReach.nodes(behind: $0) }.filter {
            seen.insert(ObjectIdentifier($0)).inserted
        }
    }

    /// The ties that lead to a node.
    func ties(to node: NamedNode) -> [Tie] {
        ties.filter { $0.to === node }
    }

    func disconnectTies() {
        for tie in ties { tie.disconnect() }
        ties = []
    }
}

/// The mutable nodes reachable from each mutable node through ties; computed on first use.
struct TieReach {
    private var downstream: [String: [NamedNode]] = [:]
    private var known: [ObjectIdentifier: [NamedNode]] = [:]

    init(_ graph: LiveGraph) {
        for node in graph.nodes {
            for input in node.inputNames { downstream[input, default: []].append(node) }
        }
        for tie in graph.ties { downstream[tie.from.name, default: []].append(tie.to) }
    }

    mutating func nodes(behind node: NamedNode) -> [NamedNode] {
        if let known = known[ObjectIdentifier(node)] { return known }
        var open = [node]
        var seen: Set<String> = [node.name]
        var found: [NamedNode] = []
        while let next = open.popLast() {
            for target in downstream[next.name] ?? [] where seen.insert(target.name).inserted {
                open.append(target)
                if target.isMutable { found.append(target) }
            }
        }
        known[ObjectIdentifier(node)] = found
        return found
    }
}
