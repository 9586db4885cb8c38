internal import Commits
internal import ReactiveGraph
internal import Support

// Members appear to globs when they are created, and go when they lose their values (F-3).
extension Members {
    /// Creates the members that a commit sets and that have no value yet, and calls the watchers of
    /// their names.
    ///
    /// - Returns: whether there are any.
    func create(for commit: Commit) -> Bool {
        guard !families.isEmpty else { return false }
        var created: [NamedNode] = []
        graph.charging(commit.by) {
            commit.set.forEachNode { if create($0) { created.append($0) } }
        }
        guard !created.isEmpty else { return false }
        // Used to tell whether all inputs of a dependent member will have a value.
        let coming = families.contains { !$0.dependents.isEmpty } ? Set(created.map(\.name)) : []
        graph.charging(commit.by) { for node in created { show(node, coming) } }
        return true
    }

    /// - Returns: whether the node is a member that is created now.
    private func create(_ node: NamedNode) -> Bool {
        // It is held from its creation on, and may occur in the commit twice.
        guard node.isUnsetMember, let family = node.family, node.override == .whileInUse
        else { return false }
        node.override = family.retention
        // A member without a value may already live for its listeners.
        if node.source == nil {
            graph.registry.adopt(graph.builder.make(node), as: node)
        } else {
            node.hold()
        }
        return true
    }

    // MARK: - Appearing

    /// From now on globs match the member, and the members made from it.
    private func show(_ member: NamedNode, _ coming: Set<String>) {
        if let family = member.family { show(member.name, of: family) { member } }
        forEachDependent(of: member.name, in: member.family) { name, family in
            guard isMade(name, family, coming) else { return }
            if let living = graph.existing(name), living.node != nil { family.hold(living, withValue: true) }
            show(name, of: family) { graph.node(name) }
        }
    }

    private func show(_ name: String, of family: NodeFamily, _ node: () -> NamedNode?) {
        guard names.insert(name) else { return }
        family.shown += 1
        watchers.call(name, node) { $0.appeared($1) }
    }

    /// The graph starts: globs match these members, which have values, and those made from them.
    func show(holding held: [NamedNode] = []) {
        guard !families.isEmpty else { return }
        let valued = held.filter { $0.family != nil && $0.isMutable }
        let names = Set(valued.map(\.name))
        for member in valued { show(member, names) }
        for (name, family) in standIns {
            forEachDependent(of: name, in: family) { name, family in
                if isMade(name, family, names) { show(name, of: family) { graph.node(name) } }
            }
        }
    }

    /// The definition has changed: matches every glob again.
    ///
    /// `demoted` are nodes that were declared before, and are members now.
    func showAgain(_ demoted: [NamedNode]) {
        let former = names.matching("*")
        for name in former { names.remove(name) }
        let valued = living.filter { $0.isMutable && $0.source?.isEmpty == false }
        let valuedNames = Set(valued.map(\.name))
        var shown = valuedNames
        for (name, family) in valued.map({ ($0.name, $0.family) }) + standIns {
            forEachDependent(of: name, in: family) { name, family in
                if isMade(name, family, valuedNames) { shown.insert(name) }
            }
        }
        for family in families { family.shown = 0 }
        for name in shown where names.insert(name) { family(of: name)?.shown += 1 }
        let known = Set(former)
        for name in known.union(demoted.map(\.name)).subtracting(shown).sorted() {
            // A declared node that replaced a member is matched as the member was.
            guard let node = graph.existing(name), node.family != nil else { continue }
            watchers.call(name, { node }) { $0.vanishing($1) }
            watchers.call(name, { node }) { $0.vanished($1) }
        }
        // This looks up no entry, so nodes that were released under memory pressure stay released.
        for member in living where member.override != member.memberRetention {
            member.override = member.memberRetention
            member.hold()
        }
        for name in shown.subtracting(known).sorted() {
            watchers.call(name, { graph.node(name) }) { $0.appeared($1) }
        }
        watchers.settle()
    }

    // MARK: - Going

    /// Members are about to lose their values: calls the watchers of their names.
    ///
    /// - Returns: what globs matched until now, including these members; nil: a name without entry.
    func hide(_ nodes: [NamedNode]) -> [NamedNode?] {
        guard !families.isEmpty else { return [] }
        var gone: [NamedNode?] = []
        func hide(_ name: String, of family: NodeFamily) {
            guard names.remove(name) else { return }
            family.shown -= 1
            let node = graph.existing(name)
            gone.append(node)
            // Watchers may know a name without an entry, too: as one for which they have no room.
            watchers.call(name, { node ?? graph.node(name) }) { $0.vanishing($1) }
        }
        for node in nodes {
            guard let family = node.family else { continue }
            hide(node.name, of: family)
            forEachDependent(of: node.name, in: family, hide)
        }
        return gone
    }

    /// The values of a commit are set: finishes announcing new members, and releases those that are
    /// gone.
    func settle(_ gone: [NamedNode?], _ stamp: LogStamp) {
        for case let node? in gone { watchers.call(node.name, { node }) { $0.vanished($1) } }
        watchers.settle()
        // A client that resumes a glob with an older cursor does not know which nodes the glob no
        // longer matches.
        if !gone.isEmpty { graph.course.narrowedAt = stamp.rev }
        for case let node? in gone {
            guard let family = node.family else { continue }
            if node.isMutable { family.emptied = stamp }
            family.hold(node, withValue: false)
        }
    }
}
