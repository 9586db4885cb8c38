internal import ReactiveGraph
internal import Support

/// A subscription to several named nodes under one id: `snap` has all of them, `upd` those that changed.
final class GroupSubscription: Subscription {
    /// One of the nodes.
    private final class Member {
        let name: String
        /// nil: the node was removed.
        private(set) var node: Node<Datum>?
        var heardEmpty: Bool
        var isChanged = false
        private let bag = CancellableBag()

        init(name: String, node: Node<Datum>) {
            self.name = name
            self.node = node
            heardEmpty = node.isEmpty
        }

        func listen(_ hear: @escaping (Member, Bool) -> Void) {
            let me = Unmanaged.passUnretained(self)
            node?.listenEmissions(in: bag, replay: false) { emission, _ in
                me._withUnsafeGuaranteedRef { hear($0, emission.isEmpty) }
            }
        }

        /// Stops to listen, and lets go of the node.
        func leave() {
            bag.cancel()
            node = nil
        }
    }

    /// What the client asked for: names and globs.
    private let patterns: [String]

    private var members: [Member] = []
    private var changed: [Member] = []
    /// The nodes that the patterns mean besides its members, because `limits.matches` leaves no room for them.
    private var left: [NamedNode] = []
    private var isLeftChanged = false
    /// Whether nodes that were there before may be meant now, because the client's rights have changed.
    var isOutdated = false

    /// A subscription to the nodes that `patterns` mean, now and later.
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

    /// Starts to listen to all of them.
    func listen(to nodes: [(name: String, node: Node<Datum>)]) {
        for (name, node) in nodes { listen(to: node, named: name) }
    }

    @discardableResult
    private func listen(to node: Node<Datum>, named name: String) -> Member {
        let member = Member(name: name, node: node)
        members.append(member)
        let me = Unmanaged.passUnretained(self)
        member.listen { member, isEmpty in
            me._withUnsafeGuaranteedRef { $0.hear(member, isEmpty: isEmpty) }
        }
        return member
    }

    private func hear(_ member: Member, isEmpty: Bool) {
        if isEmpty, member.heardEmpty { return }
        member.heardEmpty = isEmpty
        tell(member)
    }

    /// The client is told about a member with the next delivery.
    private func tell(_ member: Member) {
        if !member.isChanged {
            member.isChanged = true
            changed.append(member)
        }
        folded += 1
        if !isMarked { mark() }
    }

    // MARK: - A definition that changes

    /// Lets go of members that are about to be removed: the client is told `"gone": true`.
    ///
    /// - Returns: whether nothing is left, and nothing can come because no glob was asked for.
    func leave(_ nodes: Set<UInt64>) -> Bool {
        for member in members {
            guard let node = member.node, nodes.contains(node.id) else { continue }
            member.leave()
            tell(member)
        }
        members.removeAll { $0.node == nil }
        return members.isEmpty && !patterns.contains(where: NodeSelection.isGlob)
    }

    /// Takes up nodes that were not there before, and those for which there was no room.
    ///
    /// Those for which there is none stay out; the client is told how many they are, and again when that changes.
    ///
    /// - Parameters:
    ///   - added: what the definition has now and had not before, in its order; nil: whatever it has.
    ///   - access: what the client may see.
    func join(_ added: [NamedNode]?, for access: Access) {
        let added = isOutdated ? nil : added
        isOutdated = false
        guard added?.isEmpty != true || !left.isEmpty else { return }
        let nodes = candidates(added, for: access)
        guard !nodes.isEmpty || !left.isEmpty else { return }
        var known = Set(members.map(\.name))
        var came: Set<String> = []
        for node in nodes where known.count < session.host.limits.matches {
            guard known.insert(node.name).inserted else { continue }
            tell(listen(to: graph.materialise(node), named: node.name))
            came.insert(node.name)
        }
        // One that went and came with the same change is told once, as it is now.
        changed.removeAll { $0.node == nil && came.contains($0.name) }
        let former = left.count
        left = nodes.filter { !known.contains($0.name) }
        guard left.count != former else { return }
        isLeftChanged = true
        if !isMarked { mark() }
    }

    /// The names of its nodes.
    var names: [String] { members.map(\.name) }

    /// The nodes that the patterns mean and the client may read: of those given and those left out, in the order of the definition.
    private func candidates(_ added: [NamedNode]?, for access: Access) -> [NamedNode] {
        let meant = (added ?? graph.nodes).filter { node in
            patterns.contains { NodeSelection.matches($0, node.name) }
                && access.rights(on: node).contains(.read)
        }
        guard added != nil, !left.isEmpty else { return meant }
        // Names and rights of what was there before are what they were.
        let all = Set((meant + left).map { ObjectIdentifier($0) })
        return graph.nodes.filter { all.contains(ObjectIdentifier($0)) }
    }

    override var listenedNodes: [Node<Datum>] { members.compactMap(\.node) }

    override func appendEntry(to buffer: inout ByteBuffer) {
        buffer.append("{\"id\":")
        buffer.append(decimal: id)
        buffer.append(",")
        append(changed, to: &buffer)
        if folded > UInt64(changed.count) {
            buffer.append(",\"n\":")
            buffer.append(decimal: folded)
        }
        if isLeftChanged {
            isLeftChanged = false
            buffer.append(",\"more\":")
            buffer.append(decimal: left.count)
        }
        buffer.append("}")
        for member in changed { member.isChanged = false }
        changed.removeAll(keepingCapacity: true)
    }

    override func appendState(to buffer: inout ByteBuffer) {
        append(members, to: &buffer)
    }

    /// Appends the present state of some of the nodes.
    func appendState(of names: Set<String>, to buffer: inout ByteBuffer) {
        append(members.filter { names.contains($0.name) }, to: &buffer)
    }

    override func release() {
        super.release()
        for member in members { member.leave() }
        members = []
        changed = []
        left = []
    }

    private func append(_ members: [Member], to buffer: inout ByteBuffer) {
        buffer.append("\"m\":{")
        buffer.append(separated: members) { member, buffer in
            buffer.append(json: member.name)
            buffer.append(":{")
            if let node = member.node {
                Self.append(node.value, to: &buffer)
            } else {
                buffer.append("\"gone\":true")
            }
            buffer.append("}")
        }
        buffer.append("}")
    }
}
