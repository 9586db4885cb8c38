internal import Graphs
internal import ReactiveGraph
internal import Support
internal import Values

/// A subscription to the nodes that names and globs match, now and later.
class WideSubscription: Subscription {
    /// The names and globs.
    final let patterns: [String]
    /// Owns the members.
    final let bag = CancellableBag()
    /// With `path`: where the newest emissions of members have come from.
    private final var provenances: [ObjectIdentifier: Provenance] = [:]
    /// Whether it watches for new members.
    private final var isWatching = false

    init(
        id: UInt64,
        session: Session,
        graph: LiveGraph,
        options: SubscriptionOptions,
        patterns: [String]
    ) {
        self.patterns = patterns
        super.init(id: id, session: session, graph: graph, options: options)
    }

    /// Watches for members that appear and go: only families have them.
    final func watch() {
        guard !isWatching, !graph.members.families.isEmpty else { return }
        isWatching = true
        for pattern in patterns { graph.members.watchers.add(self, to: pattern) }
    }

    /// The members, in the order in which they were added; none of them may be removed meanwhile.
    final var members: HeldListens<GroupMember> { bag.listens(as: GroupMember.self) }

    final var names: [String] { members.map(\.name) }

    /// Whether the node is named, not only matched by a glob.
    final func asks(for name: String) -> Bool { patterns.contains(name) }

    override var listenedNodes: [Node<Datum>] { members.compactMap(\.node) }

    override var listens: [Edge] { Array(members) }

    override func release() {
        super.release()
        if options.hasFacets { for member in Array(members) { member.leave() } }
        provenances = [:]
        if isWatching { for pattern in patterns { graph.members.watchers.remove(self, from: pattern) } }
        bag.cancel()
    }

    final func note(_ provenance: Provenance, of member: GroupMember) {
        provenances[ObjectIdentifier(member)] = provenance
    }

    /// The member leaves; another one may get its identity.
    final func forgetProvenance(of member: GroupMember) {
        if !provenances.isEmpty { provenances[ObjectIdentifier(member)] = nil }
    }

    /// Where the value of a member has come from that is about to be sent, as its client may see
    /// it; nil: the client does not ask.
    final func takeProvenance(of member: GroupMember) -> [UInt8]? {
        guard options.hasPath else { return nil }
        let noted = provenances.removeValue(forKey: ObjectIdentifier(member))
        let provenance = noted ?? graph.existing(member.name).map { Provenance(ofValueOf: $0) }
        guard let provenance else { return nil }
        var buffer = ByteBuffer()
        provenance.append(for: session.access, to: &buffer)
        return Array(buffer.bytes)
    }

    // MARK: - For each form of it

    /// A member has emitted.
    func include(_ member: GroupMember) { preconditionFailure("said by each form of it") }

    /// The facets of a member have changed.
    func includeState(of member: GroupMember) { preconditionFailure("said by each form of it") }

    /// Removes the members that are about to be removed from the graph: their names and the numbers
    /// of their nodes.
    ///
    /// - Returns: whether nothing is left, and nothing can be added because no pattern is a glob.
    override func leave(_ names: Set<String>, _ nodes: Set<UInt64>) -> Bool {
        preconditionFailure("said by each form of it")
    }

    /// Adds new nodes, in the order of the definition; with nil, all nodes that match.
    func join(_ added: [NamedNode]?, for access: Access) { preconditionFailure("said by each form of it") }

    func appeared(_ node: NamedNode) { preconditionFailure("said by each form of it") }
    func settled() { preconditionFailure("said by each form of it") }
    func vanishing(_ node: NamedNode) { preconditionFailure("said by each form of it") }
}

// Members of families come and go with commits (F-6).
extension WideSubscription: NameWatcher {}
