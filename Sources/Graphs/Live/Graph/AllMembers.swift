internal import Definitions
package import ReactiveGraph
package import Values

/// A node that gathers members, whatever it computes from them.
package protocol Gathering: AnyObject {
    var memberCount: Int { get }
    func contains(_ node: Node<Datum>) -> Bool
    func insert(_ node: Node<Datum>, as key: String)
    func dismiss(_ node: Node<Datum>)
    func remove(_ node: Node<Datum>)
    func fill(_ changes: () -> Void)
    func beginUpdate()
    func endUpdate()
}

extension GatheringNode: Gathering where Figure.Value == Datum {}

/// Keeps the members of one `all` in step with the names of its graph (F-3, F-5).
///
/// In a definition it lasts as long as its name, even while there is no living node; in a client's
/// pipeline, as long as its node. Changing the definition handles declared nodes that appear or go
/// with it.
package final class AllMembers: NameWatcher {
    package let glob: String
    /// The rights of the clients that share the pipeline: each of them must be able to read every
    /// member.
    ///
    /// Empty for a node of the definition, which may use every node.
    private var accesses: [Access] = []
    private weak var graph: LiveGraph?
    /// The node of the definition that it belongs to; nil in a client's pipeline.
    let named: NamedNode?
    /// In a client's pipeline, what counts the members.
    private let meter: StageMeter?
    private weak var gathering: (any Gathering)?
    /// Whether the graph is being redefined; until that is done nothing is emitted.
    private var isWaiting = false

    /// Bytes that one member takes in a client's pipeline: its edge and its entry.
    static let memberBytes = 320
    /// The cost of a new member, in the units of expressions.
    private static let memberUnits = 40

    /// The members of a node of the definition.
    init(of named: NamedNode, _ glob: String) {
        self.named = named
        meter = nil
        self.glob = glob
        graph = named.graph
        named.graph.members.watchers.add(self, to: glob)
    }

    /// The members of a client's pipeline.
    init(_ glob: String, in graph: LiveGraph, for access: Access, counting meter: StageMeter?) {
        named = nil
        self.glob = glob
        self.graph = graph
        accesses = [access]
        self.meter = meter
        graph.members.watchers.add(self, to: glob)
    }

    deinit {
        graph?.members.watchers.remove(self, from: glob)
    }

    /// The nodes that the glob matches now.
    var nodes: [NamedNode] {
        guard let graph else { return [] }
        let nodes = graph.visibleNodes(matching: glob)
        guard !accesses.isEmpty else { return nodes }
        graph.host.work += Access.work(looking: nodes.count)
        return nodes.filter(means)
    }

    private static func mayUse(_ node: NamedNode, _ access: Access) -> Bool {
        access.rights(on: node).isSuperset(of: [.read, .pipe])
    }

    /// How many members the living node has; 0 without one.
    package var count: Int { gathering?.memberCount ?? 0 }

    private func means(_ node: NamedNode) -> Bool {
        accesses.allSatisfy { Self.mayUse(node, $0) }
    }

    /// Gives a node that was just made its members.
    func fill(_ gathering: any Gathering) {
        guard let graph else { return }
        self.gathering = gathering
        let nodes = nodes
        gathering.fill {
            for node in nodes { gathering.insert(graph.builder.materialise(node), as: node.name) }
        }
        if isWaiting { gathering.beginUpdate() }
        charge(nodes.count)
    }

    /// The node is about to be rebuilt: it has no members until then.
    func release() { gathering = nil }

    private func charge(_ new: Int) {
        guard let meter, let graph, let gathering else { return }
        graph.host.work += UInt64(new)
        meter.spend(new * Self.memberUnits)
        meter.keeps(gathering.memberCount * Self.memberBytes)
    }

    // MARK: - Members of families

    package func appeared(_ node: NamedNode) {
        guard let graph, let gathering, node.family != nil, means(node) else { return }
        gathering.insert(graph.builder.materialise(node), as: node.name)
        charge(1)
    }

    package func vanishing(_ node: NamedNode) {
        if node.family != nil, let living = node.living { gathering?.dismiss(living) }
    }

    package func vanished(_ node: NamedNode) {
        guard let graph, node.family != nil else { return }
        named?.changed = graph.stamp
        named?.ownCause = graph.present.cause()
        guard let gathering, let living = node.living else { return }
        gathering.remove(living)
        charge(0)
    }

    // MARK: - Changes of the definition and of rights

    /// The graph is being redefined and loses these nodes: nothing is emitted until ``join(_:)``.
    func leave(_ gone: [NamedNode]) {
        isWaiting = true
        guard let gathering else { return }
        gathering.beginUpdate()
        for node in gone { if let living = node.living { gathering.remove(living) } }
    }

    /// The graph has these new declared nodes.
    func join(_ added: [NamedNode]) {
        isWaiting = false
        guard let graph, let gathering else { return }
        for node in added where NodeSelection.matches(glob, node.name) && means(node) {
            gathering.insert(graph.builder.materialise(node), as: node.name)
        }
        charge(added.count)
        gathering.endUpdate()
    }

    /// The most clients with different rights that may have used one pipeline.
    private static let mostAccesses = 16

    /// The rights of one of the clients have changed.
    ///
    /// - Returns: false if the new rights select other nodes than the present members.
    package func admits(_ new: Access) -> Bool {
        guard let graph, let gathering, !accesses.isEmpty else { return true }
        let nodes = graph.visibleNodes(matching: glob).filter { Self.mayUse($0, new) }
        guard nodes.count == gathering.memberCount,
            nodes.allSatisfy({ $0.living.map(gathering.contains) ?? false })
        else { return false }
        if accesses.contains(where: { $0.principal === new.principal }) { return true }
        guard accesses.count < Self.mostAccesses else { return false }
        accesses.append(new)
        return true
    }
}

extension NamedNode {
    /// The members of a node that joins all matches of a glob.
    package var members: AllMembers? {
        graph.declared.joining.isEmpty ? nil : graph.declared.joining[ObjectIdentifier(self)]
    }

    /// The new definition may join other nodes than before.
    func noteMembers() {
        // A member of a family joins none.
        let glob = family == nil ? definition.glob : nil
        let former = members
        guard glob != nil || former != nil, former?.glob != glob else { return }
        former?.release()
        graph.declared.joining[ObjectIdentifier(self)] = glob.map { AllMembers(of: self, $0) }
    }
}
