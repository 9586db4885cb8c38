internal import ReactiveGraph

/// Builds anew what stands behind named nodes, in one turn in which no node shows half of the change.
///
/// Each node that is built anew gets a *gate*: a join behind the living nodes that it will be made from, and behind a
/// pulse common to all. The pulse is set once. A join settles when everything of lower rank has, so a gate's turn comes
/// when what its node is made from has its final value, and before anything that depends on the node. Then it
/// builds, ties the node to what it has built, and hands the value on if it has changed. Afterwards the
/// gates go.
///
/// In immediate mode the gates are served in the order of the definition.
struct Rebuilding {
    private let nodes: [NamedNode]
    private let members: Set<ObjectIdentifier>
    private let graph: LiveGraph

    /// `nodes` stand behind those that they are made from.
    init(_ nodes: [NamedNode], _ graph: LiveGraph) {
        self.nodes = nodes
        members = Set(nodes.map { ObjectIdentifier($0) })
        self.graph = graph
    }

    /// Whether there is none.
    var isEmpty: Bool { nodes.isEmpty }

    /// Whether the node is one of them.
    func contains(_ node: NamedNode) -> Bool { members.contains(ObjectIdentifier(node)) }

    /// Takes away what stood behind them, before anything new is tied: definitions may have turned an edge around.
    func cut() {
        for node in nodes { node.members?.release() }
        for node in nodes { node.living?.removeUpstreamNodes() }
    }

    /// Builds, together with these sets and clears.
    func run(setting values: [(node: NamedNode, value: Datum?)]) {
        guard !nodes.isEmpty || !values.isEmpty else { return }
        let core = graph.core
        let pulse = core.mutable(of: Datum.self)
        graph.chains.hide(pulse)
        var inputs = RebuildingInputs(graph, pulse)
        var gates: [(living: Node<Datum>?, gate: Node<Datum>)] = []
        for node in nodes {
            let gate = self.gate(for: node, behind: [pulse] + inputs.inputs(of: node))
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

    private func gate(for node: NamedNode, behind inputs: [Node<Datum>]) -> Node<Datum> {
        var isDone = false
        return Graph.join(inputs, named: "redefine") { [unowned graph] emissions, _ in
            guard !isDone, case .value = emissions[0] else { return nil }
            isDone = true
            return graph.rebuild(node)
        }
    }
}

/// What gates wait for: the nearest living nodes that a node is made from.
///
/// For an input that does not exist at the moment stands a join behind what that is made from. It says nothing, but its
/// rank is higher than theirs. Each is made once, so that many nodes after a long chain that is not needed
/// yet cost no more than the chain and themselves.
private struct RebuildingInputs {
    private let graph: LiveGraph
    private let pulse: Node<Datum>
    private var standIns: [ObjectIdentifier: Node<Datum>] = [:]

    init(_ graph: LiveGraph, _ pulse: Node<Datum>) {
        self.graph = graph
        self.pulse = pulse
    }

    mutating func inputs(of node: NamedNode) -> [Node<Datum>] {
        let inputs = named(node)
        for input in inputs { standIn(for: input) }
        return inputs.compactMap(known)
    }

    private func named(_ node: NamedNode) -> [NamedNode] {
        node.inputNames.compactMap { graph.node($0) }
    }

    private func known(_ node: NamedNode) -> Node<Datum>? { node.living ?? standIns[ObjectIdentifier(node)] }

    /// Makes what is missing for a node, by a list and not by recursion: definitions may be as deep as they are long.
    private mutating func standIn(for target: NamedNode) {
        var open = [target]
        while let node = open.last {
            guard known(node) == nil else {
                open.removeLast()
                continue
            }
            let inputs = named(node)
            let missing = inputs.filter { known($0) == nil }
            guard missing.isEmpty else {
                open += missing
                continue
            }
            let join: Node<Datum> = Graph.join([pulse] + inputs.compactMap(known), named: "redefine") {
                _,
                _ in nil
            }
            graph.chains.hide(join)
            standIns[ObjectIdentifier(node)] = join
        }
    }
}

extension LiveGraph {
    /// Builds what stands behind a node, whose inputs have their final values.
    ///
    /// - Returns: what the living node must emit; nil if it holds that already, or if there is no living node.
    fileprivate func rebuild(_ node: NamedNode) -> Emission<Datum>? {
        guard let living = node.living else {
            _ = materialise(node)
            return nil
        }
        materialising += 1
        evaluationTime = newestTime(of: node) { $0.lastChange.time }
        let (before, last) = construct(node)
        let made: Emission<Datum>
        if let last {
            made = last.connect(before, living)
        } else {
            living.link(to: before, replay: false)
            note(before, as: node.lastPart)
            made = before.emission
        }
        note(living, as: last == nil ? nil : node.lastPart)
        evaluationTime = time
        materialising -= 1
        host.work += 1
        return living.value == made.value ? nil : made
    }
}
