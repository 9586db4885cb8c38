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
        graph.charging(commit.by) { for node in created { show(node) } }
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

    /// From now on globs match these names, and those of the members made from them.
    private func add(
        _ names: [(name: String, family: NodeFamily)],
        _ announce: (_ name: String, _ family: NodeFamily) -> Void
    ) {
        var open = names
        while let (name, family) = open.popLast() {
            guard self.names.insert(name) else { continue }
            family.shown += 1
            open += follow(name, of: family, .comes(isMember: true))
            announce(name, family)
        }
    }

    private func show(_ member: NamedNode) {
        if let family = member.family { show([(member.name, family)]) }
    }

    private func show(_ names: [(name: String, family: NodeFamily)]) {
        add(names) { name, family in
            if !family.isMutable, let living = graph.existing(name), living.node != nil {
                family.hold(living, withValue: true)
            }
            announce(name, in: family, { graph.node(name) }) { $0.appeared($1) }
        }
    }

    /// Calls the groups that a name belongs to, and its watchers.
    private func announce(
        _ name: String,
        in family: NodeFamily?,
        _ node: () -> NamedNode?,
        _ tell: (any NameWatcher, NamedNode) -> Void
    ) {
        for join in joins(of: name, in: family) { if let node = node() { tell(join, node) } }
        watchers.call(name, node, tell)
    }

    /// The graph starts: globs match these members, which have values, and those made from them.
    func show(holding held: [NamedNode] = []) {
        guard !families.isEmpty else { return }
        for member in held where member.isMutable { show(member) }
        for (name, family) in standIns { show(follow(name, of: family, .comes(isMember: false))) }
    }

    /// The definition has changed: finds the names that globs match from now on, and the groups.
    ///
    /// `cleared` are nodes that the change will make empty.
    ///
    /// - Returns: for ``showAgain(_:_:)``.
    func rename(without cleared: [NamedNode]) -> NewNames {
        let former = names.matching("*")
        for name in former { names.remove(name) }
        for family in families {
            family.shown = 0
            family.groups = FamilyGroups(of: family.definition)
            if family.joinsGroups { family.emptied = graph.stamp }
        }
        var shown: Set<String> = []
        let ending = Set(cleared.map(ObjectIdentifier.init))
        for member in living where member.exists && member.isMutable && member.source?.isEmpty == false {
            guard let family = member.family, !ending.contains(ObjectIdentifier(member)) else { continue }
            add([(member.name, family)]) { name, _ in shown.insert(name) }
        }
        for (name, family) in standIns {
            add(follow(name, of: family, .comes(isMember: false))) { name, _ in shown.insert(name) }
        }
        return NewNames(former: Set(former), present: shown)
    }

    /// The definition has changed: calls the watchers of the names that have come or gone.
    ///
    /// `demoted` are nodes that were declared before, and are members now.
    func showAgain(_ new: NewNames, _ demoted: [NamedNode]) {
        let (known, shown) = (new.former, new.present)
        for name in known.union(demoted.map(\.name)).subtracting(shown).sorted() {
            // A declared node that replaced a member is matched as the member was.
            guard let node = graph.existing(name), node.family != nil else { continue }
            announce(name, in: node.family, { node }) { $0.vanishing($1) }
            announce(name, in: node.family, { node }) { $0.vanished($1) }
        }
        // This looks up no entry, so nodes that were released under memory pressure stay released.
        for member in living where member.override != member.memberRetention {
            member.override = member.memberRetention
            member.hold()
        }
        for name in shown.subtracting(known).sorted() {
            announce(name, in: family(of: name), { graph.node(name) }) { $0.appeared($1) }
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
        var open = nodes.reversed().compactMap { node in node.family.map { (name: node.name, family: $0) } }
        while let (name, family) = open.popLast() {
            guard names.remove(name) else { continue }
            family.shown -= 1
            open += follow(name, of: family, .goes)
            let node = graph.existing(name)
            gone.append(node)
            // Watchers may know a name without an entry, too: as one for which they have no room.
            announce(name, in: family, { node ?? graph.node(name) }) { $0.vanishing($1) }
        }
        return gone
    }

    /// The values of a commit are set: finishes announcing new members, and releases those that are
    /// gone.
    func settle(_ gone: [NamedNode?], _ stamp: LogStamp) {
        for case let node? in gone {
            announce(node.name, in: node.family, { node }) { $0.vanished($1) }
        }
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

/// The names that globs match, before and after a change of the definition.
struct NewNames {
    let former: Set<String>
    let present: Set<String>
}
