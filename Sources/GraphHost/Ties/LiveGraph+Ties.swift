internal import ReactiveGraph

// The `sync` and `links` of a definition in the living graph. Both lead only to nodes that are held as long as the graph,
// so that a circle of them keeps nothing alive that nobody wants; the graph takes them apart when it ends.

extension LiveGraph {
    /// Puts the two nodes of each sync into step: `a` takes from `b`, then `b` from `a` (G-88).
    func connectSyncs() {
        for (number, sync) in definition.syncs.enumerated() {
            guard let a = node(sync.a), let b = node(sync.b) else { continue }
            connect(sync.toA, from: b, to: a, at: "sync/\(number)/to_a")
            connect(sync.toB, from: a, to: b, at: "sync/\(number)/to_b")
        }
    }

    private func connect(_ way: Expression?, from: NamedNode, to: NamedNode, at place: String) {
        guard let source = from.source, let target = to.source else { return }
        let tie = Tie(.sync, from: from, to: to, label: way?.source ?? "", at: place)
        ties.append(tie)
        let evaluation = way.map { Evaluation($0, taking: 1, at: place, in: self) }
        tie.connect(source, to: target, in: self, through: evaluation)
    }

    /// Connects the links, in their order; every node they lead to exists.
    func connectLinks() {
        for (number, link) in definition.links.enumerated() {
            guard let from = node(link.from), let to = node(link.to) else { continue }
            let place = "links/\(number)"
            let builder = StageBuilder(graph: self, time: .commits, place: place)
            var end = materialise(from)
            for (position, stage) in link.pipe.enumerated() {
                end = builder.build(stage, at: position, behind: end).named(stage.label)
                chains.add(
                    InnerStage(
                        of: to,
                        stage: stage.name,
                        label: stage.label,
                        node: end,
                        born: host.clock.wall,
                        isOfLink: true
                    ),
                    number: end.id
                )
            }
            let label = link.pipe.map(\.label).joined(separator: " | ")
            let tie = Tie(.links, from: from, to: to, label: label, at: place)
            ties.append(tie)
            tie.connect(end, to: materialise(to), in: self)
        }
    }

    /// The mutable nodes that a commit may change by way of ties.
    func tiedNodes(behind commit: Commit) -> [NamedNode] {
        guard !ties.isEmpty, case .values = commit.kind else { return [] }
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

/// Which mutable nodes lie behind which by way of ties; found when first asked.
struct TieReach {
    private var downstream: [String: [NamedNode]] = [:]
    private var known: [String: [NamedNode]] = [:]

    init(_ graph: LiveGraph) {
        for node in graph.nodes {
            for input in node.definition.inputs { downstream[input, default: []].append(node) }
        }
        for tie in graph.ties { downstream[tie.from.name, default: []].append(tie.to) }
    }

    mutating func nodes(behind node: NamedNode) -> [NamedNode] {
        if let known = known[node.name] { return known }
        var open = [node]
        var seen: Set<String> = [node.name]
        var found: [NamedNode] = []
        while let next = open.popLast() {
            for target in downstream[next.name] ?? [] where seen.insert(target.name).inserted {
                open.append(target)
                if target.isMutable { found.append(target) }
            }
        }
        known[node.name] = found
        return found
    }
}
