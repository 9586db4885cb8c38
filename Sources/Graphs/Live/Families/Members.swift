internal import Commits
internal import Definitions
internal import ReactiveGraph
package import Support
package import Values

/// The members of one graph's families: finding and making them (F-1, F-2, F-7).
///
/// A member's entry is made when it is first asked for, and stays while its node lives; an entry
/// without a node is removed at the end of the turn. The registry holds a mutable member while it
/// has a value. A member without a value lives only while something needs it, as derived members
/// do.
package final class Members {
    private unowned var owner: LiveGraph?
    /// The graph, which outlives its members.
    var graph: LiveGraph { owner! }
    package private(set) var families: [NodeFamily] = []
    /// The names that globs match: see ``NameWatcher``.
    package let names = SortedNames()
    package let watchers = NameWatchers()
    /// What gathers for the declared nodes that join all matches of a glob, and for living groups
    ///
    var joining: [ObjectIdentifier: AllMembers] = [:]
    package private(set) var livingCount = 0
    /// How many members pending commits will create.
    package internal(set) var comingCount = 0
    /// Members that were asked for or whose node has died since the last
    /// ``forgetLeftovers()``, which removes the entries of those without a node.
    private(set) var leftovers: [NamedNode] = []

    /// The graph has been made.
    func begin(in graph: LiveGraph) { owner = graph }

    // MARK: - Families

    /// Takes over the definition's families, and releases those that it no longer has.
    func takeFamilies(_ stamp: LogStamp) {
        let (definition, registry) = (graph.definition, graph.registry)
        guard !families.isEmpty || !definition.families.isEmpty else { return }
        let former = Dictionary(uniqueKeysWithValues: families.map { ($0.pattern.text, $0) })
        for family in families { registry.remove(family) }
        families = definition.families.compactMap { definition in
            guard let pattern = definition.pattern else { return nil }
            let family = former[pattern.text] ?? NodeFamily(definition, pattern, in: graph, at: stamp)
            family.take(definition)
            registry.declare(family)
            return family
        }
        connectFamilies()
    }

    package func family(of name: String) -> NodeFamily? {
        let family = name.withBorrowedBytes { graph.registry.family(of: $0) }
        return family.map { $0 as! NodeFamily }
    }

    // MARK: - Members

    /// The member with that name, if a family defines it; it had no entry yet.
    @inline(never)
    func make(_ name: String) -> NamedNode? {
        guard let family = family(of: name) else { return nil }
        let member = family.makeEntry(name) as! NamedNode
        graph.registry.enter(member)
        noteLeftover(member)
        graph.host.work += 1
        return member
    }

    /// The members that have a living node, in the order in which they were first asked for.
    package var living: [NamedNode] {
        livingCount > 0 ? listed : []
    }

    private var listed: [NamedNode] {
        graph.registry.declaredEntries.compactMap { entry in
            let node = entry as! NamedNode
            return node.family != nil && node.node != nil ? node : nil
        }
    }

    /// Whether ``livingCount`` is right; looks at all of them.
    ///
    /// One that was removed counts until its node dies.
    var areCounted: Bool { livingCount >= listed.count }

    func nodeMade(for member: NamedNode, of family: NodeFamily) {
        livingCount += 1
        family.living += 1
        graph.host.memory.members.created(member, for: graph.present.payer)
    }

    func nodeDied(_ member: NamedNode) {
        let host = graph.host
        livingCount -= 1
        member.family?.living -= 1
        host.memory.members.released(member)
        member.endExpiry()
        if !joining.isEmpty { joining[ObjectIdentifier(member)] = nil }
        if member.hasFacets { graph.facets.end(member) }
        // A member with a pending commit keeps its entry until the commit is answered.
        if member.isListed { noteLeftover(member) }
    }

    /// The graph is being redefined: a node that lives becomes a member of another family, or a
    /// declared node (nil).
    func move(_ node: NamedNode, to family: NodeFamily?) {
        livingCount += (family == nil ? 0 : 1) - (node.family == nil ? 0 : 1)
        node.family?.living -= 1
        family?.living += 1
        if family == nil { graph.host.memory.members.released(node) }
    }

    // MARK: - Leaving

    /// A member may have no node at the end of the turn.
    func noteLeftover(_ member: NamedNode) {
        if leftovers.isEmpty { graph.host.turn.leftovers.append(self) }
        leftovers.append(member)
    }

    /// Removes the entries that got no node.
    ///
    /// The graph may have been freed meanwhile.
    func forgetLeftovers() {
        let members = leftovers
        leftovers = []
        for member in members where member.pending == nil { member.forgetUnused() }
    }

    /// The graph ends: no name belongs to a family any more.
    ///
    /// - Returns: the members to remove.
    func end() -> [NamedNode] {
        for family in families { graph.registry.remove(family) }
        families = []
        leftovers = []
        let members = graph.registry.declaredEntries.map { $0 as! NamedNode }
            .filter { $0.family != nil }
        for member in members { member.isRemoved = true }
        return members
    }

    // MARK: - Limits

    func checkRoom(forMembersOf commit: Commit) throws(HostError) {
        guard !families.isEmpty else { return }
        var new = 0
        commit.set.forEach { assignment in
            let node = assignment.node
            if node.isUnsetMember, node.source == nil, node.pending?.account == nil { new += 1 }
        }
        try checkRoom(for: new, of: commit.by)
        try checkBytes(ofMembersIn: commit)
    }

    /// Throws if there is no room for the nodes with these names, to which a principal wants to
    /// listen, and for what they are made from.
    package func checkRoom(forMembersAmong names: [String], of principal: String?) throws(HostError) {
        guard !families.isEmpty else { return }
        try checkRoom(for: missing(under: names.compactMap { graph.node($0) }), of: principal)
    }

    /// Throws if there is no room for a node that a computed name means, and for what it is made
    /// from; without an access, as for a definition, only the graph's own limit counts.
    func checkRoom(for node: NamedNode, to access: Access?) throws(HostError) {
        let count = missing(under: [node])
        if let access { try checkRoom(for: count, of: access.name) } else { try checkRoom(for: count) }
    }

    /// How many members would be created with these nodes.
    private func missing(under nodes: [NamedNode]) -> Int {
        var open = nodes
        var seen: Set<ObjectIdentifier> = []
        var new = 0
        while let node = open.popLast() {
            guard node.node == nil, seen.insert(ObjectIdentifier(node)).inserted else { continue }
            if node.family != nil { new += 1 }
            open += node.inputs
            open += node.joinedNodes
        }
        return new
    }

    /// Throws if the graph may not have that many more members.
    private func checkRoom(for count: Int) throws(HostError) {
        let (members, most) = (livingCount + comingCount, graph.host.limits.members)
        guard count > 0, members + count > most else { return }
        let message = "the graph has \(members) members of families; \(most) are allowed (limits.members)"
        throw HostError(.tooLarge, message)
    }

    /// Throws if the principal may not create that many more members.
    private func checkRoom(for count: Int, of principal: String?) throws(HostError) {
        guard count > 0 else { return }
        try checkRoom(for: count)
        let host = graph.host
        let (own, mostOwn) = (host.memory.members.count(of: principal), host.limits.membersPerPrincipal)
        guard own + count <= mostOwn else {
            let message =
                "\(own) members of families count for this principal; \(mostOwn) are allowed (limits.members)"
            throw HostError(.subLimit, message)
        }
    }
}

extension NamedNode {
    /// Whether it has its name: a member's entry is removed with its node, or with its family, and
    /// another entry may have the name later.
    @inline(__always)
    var isCurrent: Bool { family == nil || isListed }

    /// The node that has the name now.
    @inline(__always)
    package var present: NamedNode { isCurrent ? self : graph.node(name) ?? self }

    /// Whether it is in the graph under its name; for an entry from an earlier turn ask that of
    /// ``present``.
    package var isThere: Bool { exists && isCurrent }
}

extension Host {
    /// Removes the entries of all members that were asked for in this turn and got no node.
    func forgetLeftovers() {
        guard !turn.leftovers.isEmpty else { return }
        let all = turn.leftovers
        turn.leftovers = []
        for members in all { members.forgetLeftovers() }
    }
}
