internal import ReactiveGraph

/// Builds anew what stands behind named nodes, in one turn in which no node shows half of the change.
///
/// Each node that is built anew gets a *gate*: a join behind the living nodes that it will be made from, and behind a
/// pulse common to all. The pulse is set once. A join settles when everything of lower rank has, so a gate's turn comes
/// when what its node is made from has its final value, and before anything that depends on the node. Then it
/// builds, ties the node to what it has built, and hands the value on where it is another one. Afterwards the gates
/// go.
///
/// In immediate mode the gates are served in the order of the definition.
struct Rebuilding {
    private let nodes: [NamedNode]
    private let graph: LiveGraph

    /// `nodes` stand behind those that they are made from.
    init(_ nodes: [NamedNode], _ graph: LiveGraph) {
        self.nodes = nodes
        self.graph = graph
    }

    /// Whether there is none.
    var isEmpty: Bool { nodes.isEmpty }

    /// Whether the node is one of them.
    func contains(_ node: NamedNode) -> Bool { nodes.contains { $0 === node } }

    /// Takes away what stood behind them, before anything new is tied: definitions may have turned an edge around.
    func cut() {
        for node in nodes { node.living?.removeUpstreamNodes() }
    }

    /// Builds, together with these sets and clears.
    func run(setting values: [(node: NamedNode, value: Datum?)]) {
        guard !nodes.isEmpty || !values.isEmpty else { return }
        let core = graph.core
        let pulse = core.mutable(of: Datum.self)
        graph.chains.hide(pulse)
        var gates: [(living: Node<Datum>?, gate: Node<Datum>)] = []
        for node in nodes {
            let gate = self.gate(for: node, behind: pulse)
            graph.chains.hide(gate)
            node.living?.link(to: gate, replay: false)
            gates.append((node.living, gate))
        }
        core.batch { batch in
            batch.set(pulse, Self.go)
            for (node, value) in values {
                guard let source = node.source else { continue }
                if let value { batch.set(source, value) } else { batch.clear(source) }
            }
        }
        for (living, gate) in gates { living?.removeUpstreamNode(gate) }
    }

    private static var go: Datum { Datum.fail("pulse", at: "", "") }

    private func gate(for node: NamedNode, behind pulse: Node<Datum>) -> Node<Datum> {
        var isDone = false
        return Graph.join([pulse] + frontier(of: node), named: "redefine") { [unowned graph] emissions, _ in
            guard !isDone, case .value = emissions[0] else { return nil }
            isDone = true
            return graph.rebuild(node)
        }
    }

    /// The nearest living nodes that a node is made from.
    private func frontier(of node: NamedNode) -> [Node<Datum>] {
        var open = node.definition.inputs
        var seen: Set<String> = []
        var found: [Node<Datum>] = []
        while let name = open.popLast() {
            guard seen.insert(name).inserted, let input = graph.node(name) else { continue }
            if let living = input.living {
                found.append(living)
            } else {
                open.append(contentsOf: input.definition.inputs)
            }
        }
        return found
    }
}

extension LiveGraph {
    /// Builds what stands behind a node, whose inputs have their final values.
    ///
    /// - Returns: what the living node shall emit; nil where it holds that already, or where there is none.
    fileprivate func rebuild(_ node: NamedNode) -> Emission<Datum>? {
        guard let living = node.living else {
            _ = materialise(node)
            return nil
        }
        materialising += 1
        evaluationTime = node.inputs.reduce(node.changed.time) { max($0, $1.lastChange.time) }
        let made = construct(node)
        evaluationTime = time
        materialising -= 1
        host.work += 1
        if node.definition.isStamped {
            let note = stamping(node)
            living.link(to: made, named: "fork", replay: false) { emission, _ in note(emission) }
        } else {
            living.link(to: made, replay: false)
        }
        guard living.value != made.value else { return nil }
        node.remember(made.value, LogStamp(rev: rev, time: time))
        return made.emission
    }
}
