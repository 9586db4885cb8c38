internal import Commits
internal import Definitions
internal import ReactiveGraph
internal import Values

/// Rebuilds the upstream parts of named nodes in one turn, so that no node shows half of the
/// change.
///
/// Each node that is rebuilt gets a *gate*: a join whose inputs are the node's future living inputs
/// and a pulse that all gates share. The pulse is set once. A join settles after everything of
/// lower rank, so a gate settles when the inputs of its node have their final values, and before
/// anything that depends on the node. It then builds the new upstream part, connects the node to
/// it, and passes the value on if it has changed. Afterwards the gates are removed.
///
/// In immediate mode the gates are served in the order of the definition.
struct Rebuilding {
    private let nodes: [NamedNode]
    private let members: Set<ObjectIdentifier>
    /// What nodes with computed names follow before they are rebuilt.
    private let followed: [ObjectIdentifier: [NamedNode]]
    private let graph: LiveGraph

    /// `nodes` must be in an order in which each comes after those it is made from.
    init(_ nodes: [NamedNode], _ graph: LiveGraph) {
        self.nodes = nodes
        members = Set(nodes.map { ObjectIdentifier($0) })
        followed = Dictionary(
            uniqueKeysWithValues: nodes.filter { !$0.definition.followable.isEmpty }
                .map { (ObjectIdentifier($0), $0.followed) }
        )
        self.graph = graph
    }

    /// Whether there are none.
    var isEmpty: Bool { nodes.isEmpty }

    func contains(_ node: NamedNode) -> Bool { members.contains(ObjectIdentifier(node)) }

    /// Disconnects the old upstream parts before anything new is connected, because the definition
    /// may have reversed an edge.
    func cut() {
        for node in nodes { node.members?.release() }
        for node in nodes { node.living?.removeUpstreamNodes() }
    }

    /// Rebuilds the nodes, together with these sets and clears.
    func run(setting values: [(node: NamedNode, value: Datum?)]) {
        guard !nodes.isEmpty || !values.isEmpty else { return }
        let core = graph.core
        let pulse = core.mutable(of: Datum.self)
        graph.chains.hide(pulse)
        var inputs = RebuildingInputs(graph, pulse)
        var gates: [(living: Node<Datum>?, gate: Node<Datum>)] = []
        for node in nodes {
            let sources =
                inputs.inputs(of: node) + (followed[ObjectIdentifier(node)] ?? []).compactMap(\.living)
            let gate = self.gate(for: node, after: [pulse] + sources)
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

    private func gate(for node: NamedNode, after inputs: [Node<Datum>]) -> Node<Datum> {
        var isDone = false
        return Graph.join(inputs, named: "redefine") { [unowned graph] emissions, _ in
            guard !isDone, case .value = emissions[0] else { return nil }
            isDone = true
            return graph.builder.rebuild(node)
        }
    }
}

extension NamedNode {
    /// The named nodes that it, or a stage of its own, follows at the moment.
    fileprivate var followed: [NamedNode] {
        var open: [AnyNode] = living.map { [$0] } ?? []
        var found: [NamedNode] = []
        while let node = open.popLast() {
            found += node.followedNodes.compactMap(graph.name(of:))
            open += node.upstreamNodes.filter { graph.name(of: $0) == nil }
        }
        return found
    }
}

/// The inputs of gates: the nearest living nodes that a node is made from.
///
/// An input that does not live at the moment is represented by a join of the nodes that it is made
/// from. The join emits nothing, but its rank is higher than theirs. Each such join is made once,
/// so many nodes at the end of a long chain that does not live cost no more than the chain and
/// themselves.
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

    /// Makes the missing inputs of a node, iteratively: a chain may be as long as the definition.
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

extension NodeBuilder {
    /// Rebuilds the upstream part of a node whose inputs have their final values.
    ///
    /// - Returns: the emission for the living node; nil if its value is unchanged, or if there is
    ///   no living node.
    fileprivate func rebuild(_ node: NamedNode) -> Emission<Datum>? {
        guard let living = node.living else {
            _ = materialise(node)
            return nil
        }
        let time = newestTime(of: node) { $0.lastChange.time }
        let made = graph.present.during {
            ($0.time, $0.building) = (time, Building())
        } _: {
            rebuild(node, as: living)
        }
        graph.host.work += 1
        return living.value == made.value ? nil : made
    }

    private func rebuild(_ node: NamedNode, as living: Node<Datum>) -> Emission<Datum> {
        let (before, last) = construct(node)
        let made: Emission<Datum>
        if let last {
            made = last.connect(before, living)
        } else {
            living.link(to: before, replay: false)
            // After a bare `from` that is the node of another name.
            if let part = node.lastPart { note(before, as: part) }
            made = before.emission
        }
        note(living, as: last == nil ? nil : node.lastPart)
        return made
    }
}
