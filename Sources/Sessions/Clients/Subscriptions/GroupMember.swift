internal import Graphs
internal import ReactiveGraph
internal import Values

/// The listen edge to one node of a group, with the node's name; without a source after the node
/// was removed.
class GroupMember: ClientListen, FacetListener {
    fileprivate unowned let group: WideSubscription
    /// Whether the client's last value is empty, or will be after the next delivery.
    var lastIsEmpty: Bool
    /// It is in the group's list of members to deliver.
    var isChanged = false
    /// Its value must be delivered, or its facets.
    var hasNewValue = false
    var hasNewState = false
    /// The last frame of mode `all` that includes it.
    var frame: UInt64 = 0
    /// Whether the client knows nothing about it yet.
    var isNew = false
    /// Whether only globs match the node.
    private let matchesOnly: Bool

    /// A member of `group`, which owns it.
    init(of group: WideSubscription, name: String, node: Node<Datum>) {
        self.group = group
        lastIsEmpty = node.isEmpty
        matchesOnly = !group.asks(for: name)
        super.init(name: name) { edge in
            (edge as! GroupMember).emitted()
            return .nothing
        }
        group.bag.insert(self)
        listen(to: node)
        if group.options.hasFacets { group.graph.facets.watch(node, by: self, in: group.graph) }
    }

    override var isKept: Bool { group.isKept }
    override var loads: Bool { group.options.loads }
    override var isByGlob: Bool { matchesOnly }

    /// Stops listening.
    func leave() {
        group.forgetProvenance(of: self)
        if group.options.hasFacets, let node { group.graph.facets.unwatch(node.id, by: self) }
        disconnect()
    }

    func facetsChanged() {
        group.includeState(of: self)
    }

    private func emitted() {
        let isEmpty = isSourceEmpty
        if isEmpty, lastIsEmpty { return }
        lastIsEmpty = isEmpty
        if group.options.hasPath {
            group.note(Provenance(ofDeliveredBy: sourceID, in: group.graph), of: self)
        }
        group.include(self)
    }
}

extension Subscription {
    /// The subscription that a listen edge of a graph belongs to; nil for other edges.
    static func of(_ edge: Edge) -> Subscription? {
        (edge as? Subscription) ?? (edge as? GroupMember)?.group
    }
}
