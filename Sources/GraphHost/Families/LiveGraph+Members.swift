internal import ReactiveGraph

// Members of families: finding, creating, announcing to globs, and releasing them (F-1 … F-4).
//
// A member's entry is made when it is first asked for, and stays while its node lives; an entry
// without a node is removed at the end of the turn. The registry holds a mutable member while it
// has a value. A member without a value lives only while something needs it, as derived members do.
extension LiveGraph {
    /// Takes over the definition's families, and releases those that it no longer has.
    func takeFamilies(_ stamp: LogStamp) {
        guard !families.isEmpty || !definition.families.isEmpty else { return }
        let former = Dictionary(uniqueKeysWithValues: families.map { ($0.pattern.text, $0) })
        for family in families { registry.remove(family) }
        families = definition.families.compactMap { definition in
            guard let pattern = definition.pattern else { return nil }
            let family = former[pattern.text] ?? NodeFamily(definition, pattern, in: self, at: stamp)
            family.take(definition)
            registry.declare(family)
            return family
        }
        connectFamilies()
    }

    /// The family that a node with that name belongs to.
    func family(of name: String) -> NodeFamily? {
        var name = name
        let family = name.withUTF8 { registry.family(of: UnsafeRawBufferPointer($0)) }
        return family.map { unsafeDowncast($0, to: NodeFamily.self) }
    }

    /// Determines which families are made from which.
    func connectFamilies() {
        for family in families { family.disconnect() }
        for family in families {
            for reference in family.definition.inputs where NamePattern.isPattern(reference) {
                guard let pattern = family.reference(reference) else { continue }
                let source = registry.family(covering: pattern)
                source.map { unsafeDowncast($0, to: NodeFamily.self) }?.connect(family, by: pattern)
            }
        }
    }

    // MARK: - Asking

    /// The member with that name, if a family defines it; it had no entry yet.
    @inline(never)
    func makeMember(_ name: String) -> NamedNode? {
        guard let family = family(of: name) else { return nil }
        let member = unsafeDowncast(family.makeEntry(name), to: NamedNode.self)
        registry.enter(member)
        host.leftovers.append(member)
        host.work += 1
        return member
    }

    /// The members that have a living node, in the order in which they were first asked for.
    var bornMembers: [NamedNode] {
        guard livingMembers > 0 else { return [] }
        return registry.declaredEntries.compactMap { entry in
            let node = unsafeDowncast(entry, to: NamedNode.self)
            return node.family != nil && node.node != nil ? node : nil
        }
    }

    /// Makes the node of a mutable member, without a value.
    func makeEmpty(_ member: NamedNode) -> Node<Datum> {
        let source = core.mutable(of: Datum.self)
        member.source = source
        member.born = host.clock.wall
        host.work += 1
        member.beginExpiry()
        if case .mutable(let rules) = member.definition.kind {
            facets.keepFresh(member, for: rules.fresh, isSet: false)
        }
        observe(member, on: source)
        member.beginHistory(holding: nil)
        return source
    }

    /// The node of a member is being freed.
    func memberDied(_ member: NamedNode) {
        livingMembers -= 1
        member.family?.living -= 1
        host.memberAccounts.died(member)
        member.endExpiry()
        if member.hasFacets { facets.end(member) }
        // A member with a pending commit keeps its entry until the commit is answered.
        if member.isListed { host.leftovers.append(member) }
    }

    /// The nodes that match a name or glob: declared ones in the order of the definition, then
    /// members by name.
    func visibleNodes(matching glob: String) -> [NamedNode] {
        var found = nodes.filter { NodeSelection.matches(glob, $0.name) }
        var names: [String] = []
        members.visit(prefix: Glob.prefix(of: glob)) { name in
            if NodeSelection.matches(glob, name) { names.append(name) }
            return true
        }
        for name in names { if let member = node(name) { found.append(member) } }
        return found
    }

    // MARK: - Coming

    /// Throws if there is no room for the members that a commit sets.
    func checkRoom(forMembersOf commit: Commit) throws(HostError) {
        guard !families.isEmpty else { return }
        var unborn = 0
        commit.set.forEach { if $0.node.isUnborn, $0.node.source == nil, !$0.node.isComing { unborn += 1 } }
        try checkRoom(forMembers: unborn, of: commit.by)
    }

    /// Throws if there is no room for the nodes with these names, to which a principal wants to
    /// listen, and for what they are made from.
    func checkRoom(forMembersAmong names: [String], of principal: String?) throws(HostError) {
        guard !families.isEmpty else { return }
        var open = names.compactMap { node($0) }
        var seen: Set<ObjectIdentifier> = []
        var unborn = 0
        while let node = open.popLast() {
            guard node.node == nil, seen.insert(ObjectIdentifier(node)).inserted else { continue }
            if node.family != nil { unborn += 1 }
            open += node.inputs
        }
        try checkRoom(forMembers: unborn, of: principal)
    }

    /// Throws if the principal may not create that many more members.
    private func checkRoom(forMembers count: Int, of principal: String?) throws(HostError) {
        guard count > 0 else { return }
        let (members, most) = (livingMembers + comingMembers, host.limits.members)
        guard members + count <= most else {
            let message = "the graph has \(members) members of families; \(most) are allowed (limits.members)"
            throw HostError(.tooLarge, message)
        }
        let (own, mostOwn) = (host.memberAccounts.count(of: principal), host.limits.membersPerPrincipal)
        guard own + count <= mostOwn else {
            let message =
                "\(own) members of families count for this principal; \(mostOwn) are allowed (limits.members)"
            throw HostError(.subLimit, message)
        }
    }

    /// Creates the members that a commit sets and that have no value yet, and calls the watchers of
    /// their names.
    ///
    /// - Returns: whether there are any.
    func bear(membersOf commit: Commit) -> Bool {
        guard !families.isEmpty else { return false }
        var born: [NamedNode] = []
        host.memberAccounts.bring(for: commit.by) {
            commit.set.forEach { if bear($0.node) { born.append($0.node) } }
        }
        guard !born.isEmpty else { return false }
        // Used to tell whether all inputs of a dependent member will have a value.
        let coming = families.contains { !$0.dependents.isEmpty } ? Set(born.map(\.name)) : []
        host.memberAccounts.bring(for: commit.by) { for node in born { show(node, coming) } }
        return true
    }

    /// - Returns: whether the node is a member that is created now.
    private func bear(_ node: NamedNode) -> Bool {
        // It is held from its creation on, and may occur in the commit twice.
        guard node.isUnborn, let family = node.family, node.override == .whileInUse else { return false }
        node.override = family.retention
        // A member without a value may already live for its listeners.
        if node.source == nil { registry.adopt(make(node), as: node) } else { node.hold() }
        return true
    }

    /// From now on globs match the member, and the members made from it.
    private func show(_ member: NamedNode, _ coming: Set<String>) {
        if let family = member.family { show(member.name, of: family) { member } }
        forEachDependent(of: member.name, in: member.family) { name, family in
            guard isMade(name, family, coming) else { return }
            if let living = existing(name), living.node != nil { living.retain(as: family.retention) }
            show(name, of: family) { self.node(name) }
        }
    }

    /// The definition has changed: matches every glob again.
    ///
    /// - Parameters:
    ///   - stamp: the commit of the change.
    ///   - demoted: nodes that were declared before, and are members now.
    func showMembersAgain(_ stamp: LogStamp, _ demoted: [NamedNode]) {
        var former: [String] = []
        members.visit { name in
            former.append(name)
            return true
        }
        for name in former { members.remove(name) }
        let valued = bornMembers.filter { $0.isMutable && $0.source?.isEmpty == false }
        let names = Set(valued.map(\.name))
        var shown: Set<String> = []
        for member in valued { shown.insert(member.name) }
        for (name, family) in valued.map({ ($0.name, $0.family) }) + standIns {
            forEachDependent(of: name, in: family) { name, family in
                if isMade(name, family, names) { shown.insert(name) }
            }
        }
        for family in families { family.shown = 0 }
        for name in shown where members.insert(name) { family(of: name)?.shown += 1 }
        let known = Set(former)
        for name in known.union(demoted.map(\.name)).subtracting(shown).sorted() {
            // A declared node that replaced a member is matched as the member was.
            guard let node = existing(name), node.family != nil else { continue }
            watchers.call(name, { node }) { $0.vanishing($1) }
            watchers.call(name, { node }) { $0.vanished($1) }
        }
        // This looks up no entry, so nodes that were released under memory pressure stay released.
        for member in bornMembers where member.override != member.memberRetention {
            member.override = member.memberRetention
            member.hold()
        }
        for name in shown.subtracting(known).sorted() {
            watchers.call(name, { self.node(name) }) { $0.appeared($1) }
        }
        watchers.settle()
    }

    /// The graph starts: globs match these members, which have values, and those made from them.
    func showMembers(holding held: [NamedNode] = []) {
        guard !families.isEmpty else { return }
        let valued = held.filter { $0.family != nil && $0.isMutable }
        let names = Set(valued.map(\.name))
        for member in valued { show(member, names) }
        for (name, family) in standIns {
            forEachDependent(of: name, in: family) { name, family in
                if isMade(name, family, names) { show(name, of: family) { self.node(name) } }
            }
        }
    }

    /// Declared nodes that replace members of families that other families are made from (F-2).
    private var standIns: [(name: String, family: NodeFamily?)] {
        guard families.contains(where: { !$0.dependents.isEmpty }) else { return [] }
        return nodes.compactMap { node in family(of: node.name).map { (node.name, $0) } }
    }

    /// Members that have values but no running lease count as set at the time of their last change.
    func startLeases(of members: [NamedNode]) {
        let valued = members.filter { $0.family != nil && $0.isMutable && $0.isHeld && !$0.isLeased }
        for member in valued.sorted(by: { $0.changed.time < $1.changed.time }) {
            member.startExpiry(at: member.changed.time)
        }
    }

    private func show(_ name: String, of family: NodeFamily, _ node: () -> NamedNode?) {
        guard members.insert(name) else { return }
        family.shown += 1
        watchers.call(name, node) { $0.appeared($1) }
    }

    /// Visits the members made from a member, directly or indirectly, except those that a declared
    /// node replaces.
    private func forEachDependent(
        of name: String,
        in family: NodeFamily?,
        _ visit: (_ name: String, _ family: NodeFamily) -> Void
    ) {
        guard let family, !family.dependents.isEmpty else { return }
        var open = [(name: name, family: family)]
        var seen: Set<String> = []
        while let (name, family) = open.popLast() {
            for dependent in family.dependents {
                guard let made = dependent.member(madeFrom: name), seen.insert(made).inserted else {
                    continue
                }
                if let node = existing(made), node.family == nil { continue }
                visit(made, dependent.family)
                open.append((made, dependent.family))
            }
        }
    }

    /// Whether all mutable members that a member is made from have a value, or will have one after
    /// this commit (F-3).
    private func isMade(_ name: String, _ family: NodeFamily, _ coming: Set<String>) -> Bool {
        var open = [(name: name, family: family)]
        var seen: Set<String> = [name]
        while let (name, family) = open.popLast() {
            for reference in family.definition.inputs where NamePattern.isPattern(reference) {
                let input = family.resolve(reference, for: name)
                guard seen.insert(input).inserted else { continue }
                if let node = existing(input), node.family == nil { continue }
                guard let source = family.source(of: reference) else { continue }
                if !source.isMutable {
                    open.append((input, source))
                } else if !coming.contains(input), existing(input)?.source?.isEmpty != false {
                    return false
                }
            }
        }
        return true
    }

    // MARK: - Going

    /// A name that globs no longer match.
    struct Going {
        let name: String
        let node: NamedNode?
    }

    /// Members are about to lose their values: calls the watchers of their names.
    ///
    /// - Returns: what globs matched until now, including these members.
    func leave(_ nodes: [NamedNode]) -> [Going] {
        guard !families.isEmpty else { return [] }
        var going: [Going] = []
        func hide(_ name: String, of family: NodeFamily) {
            guard members.remove(name) else { return }
            family.shown -= 1
            let node = existing(name)
            going.append(Going(name: name, node: node))
            guard let node else { return }
            watchers.call(name, { node }) { $0.vanishing($1) }
        }
        for node in nodes {
            guard let family = node.family else { continue }
            hide(node.name, of: family)
            forEachDependent(of: node.name, in: family) { name, family in hide(name, of: family) }
        }
        return going
    }

    /// The values of a commit are set: finishes announcing new members, and releases those that are
    /// gone.
    func settle(_ going: [Going], _ stamp: LogStamp) {
        for gone in going {
            guard let node = gone.node else { continue }
            watchers.call(gone.name, { node }) { $0.vanished($1) }
        }
        watchers.settle()
        // A client that resumes a glob with an older cursor does not know which nodes the glob no
        // longer matches.
        if !going.isEmpty { narrowedAt = stamp.rev }
        for gone in going {
            guard let node = gone.node, let family = node.family else { continue }
            if node.isMutable { family.emptied = stamp }
            node.retain(as: .whileInUse)
        }
    }

    /// Drops members: they are gone, or empty if something still needs them (F-4).
    func drop(_ commit: Commit, _ stamp: LogStamp) {
        let nodes = commit.clear.map(\.present).filter { $0.source != nil }
        var reason = ReleaseReason.dropped
        if case .expire = commit.kind { reason = .expired }
        let going = leave(nodes)
        let ended = endSubscriptions(to: nodes)
        releasing(because: reason) {
            core.batch { batch in
                for node in nodes {
                    guard let source = node.source else { continue }
                    node.changed = stamp
                    node.writer = nil
                    node.stopExpiry()
                    if node.hasFacets { facets.clear(of: node, at: stamp.time, isSet: false) }
                    batch.clear(source)
                }
            }
            settle(going, stamp)
        }
        audit()
        // Clients may send a request as soon as they receive the end.
        for subscription in ended { subscription.tell() }
    }
}

extension NamedNode {
    /// The node that has the name now: the member's entry may have been removed and made again
    /// since.
    @inline(__always)
    var present: NamedNode { family == nil || isListed ? self : graph.node(name) ?? self }

    /// Whether a pending commit will create it.
    fileprivate var isComing: Bool { pending?.account != nil }

    /// From now on the registry retains the living node like this.
    fileprivate func retain(as retention: Retention) {
        override = retention
        hold()
    }
}

extension Host {
    /// Removes the entries that were made in this turn and got no node.
    func forgetLeftovers() {
        guard !leftovers.isEmpty else { return }
        let members = leftovers
        leftovers = []
        for member in members where member.pending == nil { member.graph.registry.forget(unused: member) }
    }
}
