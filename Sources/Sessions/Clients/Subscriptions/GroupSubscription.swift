internal import Graphs
internal import Commits
internal import Definitions
internal import ReactiveGraph
internal import Support
internal import Values

/// A subscription to several named nodes under one id: `snap` has all of them, `upd` those that
/// changed.
final class GroupSubscription: WideSubscription {
    private var memberCount = 0
    private var changed: [GroupMember] = []
    /// Members added by the commit that is being applied.
    private var newcomers: [GroupMember] = []
    /// Mode `all`: the emission that was queued last, and its number.
    private var newest: GroupEmission?
    private var frames: UInt64 = 0
    /// The names of the matching nodes for which `limits.matches` leaves no room.
    private var left = LeftNames()
    private var isLeftChanged = false
    /// Whether existing nodes may match now, because the client's rights have changed.
    var isOutdated = false

    /// Starts listening to all of them, and to later matches; there is no room for those left.
    func listen(to nodes: [(name: String, node: Node<Datum>)], leaving left: SortedNames) {
        self.left.take(left)
        self.left.charge(session)
        watch()
        for (name, node) in nodes { _ = GroupMember(of: self, name: name, node: node) }
        memberCount = nodes.count
    }

    /// The next delivery includes the member.
    override func include(_ member: GroupMember) {
        member.isNew = false
        if options.isAll { return queue(member) }
        member.hasNewValue = true
        list(member)
        folded += 1
    }

    /// The next delivery includes the member's facets.
    override func includeState(of member: GroupMember) {
        guard !isEnded else { return }
        if options.isAll { return queueState(of: member) }
        member.hasNewState = true
        hasNewState = true
        list(member)
    }

    private func list(_ member: GroupMember) {
        if !member.isChanged {
            member.isChanged = true
            changed.append(member)
        }
        if !isMarked { mark() }
    }

    // MARK: - Mode all

    /// A member has emitted, was added or is gone.
    private func queue(_ member: GroupMember) {
        guard !session.isClosed else { return }
        let value = member.node?.value
        let isGone = member.node == nil
        let provenance = isGone ? nil : takeProvenance(of: member)
        emission(where: member.frame != frames).append(member.name, value, provenance, isGone: isGone)
        member.frame = frames
        session.count(self, bytes: (value?.byteCount ?? 12) + (provenance?.count ?? 0))
    }

    private func queueState(of member: GroupMember) {
        guard !session.isClosed else { return }
        var state = ByteBuffer()
        appendFacets(of: member, to: &state)
        let more = emission(where: true).append(member.name, state: Array(state.bytes))
        if let more {
            session.outbox.queue.bytes += more
        } else {
            session.count(self, bytes: state.count)
        }
    }

    private func appendFacets(of member: GroupMember, to buffer: inout ByteBuffer) {
        guard let node = member.node, let merged = graph.facets.merged(of: node.id) else { return }
        merged.facets.append(stateOf: node, in: graph, to: &buffer)
    }

    /// The queued emission of the present commit, if it has room; otherwise a new one.
    private func emission(where hasRoom: Bool) -> GroupEmission {
        let commit = graph.present.commit
        if queued > 0, hasRoom, let newest, newest.commit === commit { return newest }
        let emission = GroupEmission(commit)
        session.outbox.queue.append(QueuedEmission(subscription: self, commit: commit, content: emission))
        newest = emission
        frames += 1
        return emission
    }

    /// The emissions of its nodes since a cursor; nil if they are no longer known.
    func missed(since resume: Resume?, of nodes: [NamedNode]) -> GroupMissed? {
        guard let resume, goesOn(after: resume) else { return nil }
        return GroupMissed(since: resume.rev, of: nodes, atMost: session.host.limits.hardBytes / 2)
    }

    /// Whether the changes since a cursor are everything that the client does not know.
    func goesOn(after resume: Resume) -> Bool {
        // A missing name is an error, but a glob leaves missing nodes out.
        // Of the nodes that match, those left out may have been others.
        resume.isResumed && left.count == 0
            && (resume.rev >= graph.narrowedAt || !patterns.contains(where: Glob.isGlob))
    }

    // MARK: - A definition that changes

    /// Removes members that are about to be removed from the graph: the client receives
    /// `"gone": true`.
    ///
    /// - Returns: whether nothing is left, and nothing can be added because the client used no
    ///   glob.
    override func leave(_ names: Set<String>, _ nodes: Set<UInt64>) -> Bool {
        for member in Array(members) {
            guard let node = member.node, nodes.contains(node.id) else { continue }
            remove(member)
        }
        return bag.isEmpty && !patterns.contains(where: Glob.isGlob)
    }

    /// The client receives that the node is gone.
    private func remove(_ member: GroupMember) {
        memberCount -= 1
        member.leave()
        include(member)
    }

    /// Adds new nodes, in the order of the definition, and earlier ones for which there was no
    /// room; with nil, all nodes.
    ///
    /// Nodes for which there is no room stay out; the client receives their number, and again when
    /// it changes.
    override func join(_ added: [NamedNode]?, for access: Access) {
        watch()
        let former = left.count
        let added = isOutdated ? nil : added
        isOutdated = false
        if added == nil { left.take(SortedNames()) } else { forgetRemovedLeft() }
        let before = newcomers.count
        admitLeft(to: access)
        let known = Set(members.map(\.name))
        for node in candidates(added, for: access) where !known.contains(node.name) { admit(node) }
        let came = Set(newcomers[before...].map(\.name))
        includeNewcomers()
        // A node that was removed and added with the same change is reported once, as it is now.
        changed.removeAll { $0.node == nil && came.contains($0.name) }
        if left.count != former { tellLeft() }
    }

    private var hasRoom: Bool { memberCount < session.host.limits.matches }

    /// Adds a node that it does not have, or its name to those that are left out.
    private func admit(_ node: NamedNode) {
        guard hasRoom else {
            left.names.insert(node.name)
            return
        }
        left.names.remove(node.name)
        let living = charging { graph.builder.materialise(node) }
        let member = GroupMember(of: self, name: node.name, node: living)
        memberCount += 1
        member.isNew = true
        newcomers.append(member)
    }

    /// Nodes have gone: adds those that were left out, in the order of their names.
    private func admitLeft(to access: Access) {
        while hasRoom, let name = left.names.first {
            left.names.remove(name)
            guard let node = graph.node(name), access.rights(on: node).contains(.read) else { continue }
            admit(node)
        }
    }

    /// The definition no longer has some of the nodes that were left out.
    private func forgetRemovedLeft() {
        for name in left.names.matching("*")
        where graph.existing(name) == nil && !graph.members.names.contains(name) {
            left.names.remove(name)
        }
    }

    private func includeNewcomers() {
        let came = newcomers
        newcomers = []
        for member in came {
            if member.isNew { include(member) }
            if options.hasFacets { includeState(of: member) }
        }
    }

    /// Sends the client the number of nodes for which there was no room.
    private func tellLeft() {
        left.charge(session)
        if isOverHeld { session.overflow() }
        if options.isAll {
            guard !session.isClosed else { return }
            emission(where: true).more = left.count
            session.count(self, bytes: 12)
            return
        }
        isLeftChanged = true
        if !isMarked { mark() }
    }

    /// The nodes that match and that the client may read, from the added ones; with nil, from all.
    private func candidates(_ added: [NamedNode]?, for access: Access) -> [NamedNode] {
        guard let added else {
            var seen: Set<ObjectIdentifier> = []
            return patterns.flatMap { graph.visibleNodes(matching: $0) }.filter { node in
                seen.insert(ObjectIdentifier(node)).inserted && access.rights(on: node).contains(.read)
            }
        }
        return added.filter { node in
            patterns.contains { NodeSelection.matches($0, node.name) }
                && access.rights(on: node).contains(.read)
        }
    }

    override var entryBytes: Int {
        changed.reduce(0) { $0 + ($1.hasNewValue ? $1.node?.value?.knownByteCount ?? 0 : 0) }
    }

    override func appendEntry(to buffer: inout ByteBuffer) {
        buffer.append("{\"id\":")
        buffer.append(decimal: id)
        buffer.append(",")
        append(changed, all: false, to: &buffer)
        let values = UInt64(changed.count { $0.hasNewValue })
        if folded > values {
            buffer.append(",\"n\":")
            buffer.append(decimal: folded)
        }
        // Values of several members are one delivery, not folded emissions.
        if values > 1, folded >= values { folded -= values - 1 }
        if isLeftChanged {
            isLeftChanged = false
            buffer.append(",\"more\":")
            buffer.append(decimal: left.count)
        }
        buffer.append("}")
        for member in changed {
            member.isChanged = false
            member.hasNewValue = false
            member.hasNewState = false
        }
        hasNewState = false
        changed.removeAll(keepingCapacity: true)
    }

    override var isOverHeld: Bool { left.isOver(in: session.host) }

    override func size(of content: AnyObject?) -> (count: Int, bytes: Int) { Self.emission(content).size }

    override func append(_ content: AnyObject?, to buffer: inout ByteBuffer) {
        Self.emission(content).append(id: id, to: &buffer)
    }

    private static func emission(_ content: AnyObject?) -> GroupEmission {
        content! as! GroupEmission
    }

    override func appendState(to buffer: inout ByteBuffer) {
        append(members, to: &buffer)
    }

    /// Appends the present values of some of the nodes, which go on from the client's cursor; with
    /// facets, also the facets of the others.
    func appendState(of names: Set<String>, to buffer: inout ByteBuffer) {
        guard options.hasFacets else {
            return append(members.lazy.filter { names.contains($0.name) }, provenance: false, to: &buffer)
        }
        buffer.append("\"m\":{")
        buffer.append(separated: members) { member, buffer in
            append(member, value: names.contains(member.name), provenance: false, state: true, to: &buffer)
        }
        buffer.append("}")
    }

    /// Appends the present state of its nodes, or what changed since the client's cursor.
    func appendSnap(of nodes: [NamedNode], _ request: SnapRequest, to buffer: inout ByteBuffer) {
        let resume = request.resume
        let missed = options.isAll ? missed(since: resume, of: nodes) : nil
        let isResumed = options.isAll ? missed != nil : resume.map(goesOn) == true
        if resume != nil { buffer.append(isResumed ? ",\"resumed\":true" : ",\"resumed\":false") }
        if isResumed, let missed {
            missed.append(to: &buffer)
            guard request.initial, options.hasFacets else { return }
            buffer.append(",")
            return appendState(of: [], to: &buffer)
        }
        guard request.initial else { return }
        buffer.append(",")
        guard let resume, isResumed else { return appendState(to: &buffer) }
        let newer = nodes.filter { $0.lastChange.rev > resume.rev }.map(\.name)
        appendState(of: Set(newer), to: &buffer)
    }

    override func release() {
        super.release()
        newcomers = []
        changed = []
        newest = nil
        left.end(in: session.host)
    }

    /// Appends members: those with changes, or all of them.
    private func append(
        _ members: some Sequence<GroupMember>,
        all: Bool = true,
        provenance: Bool = true,
        to buffer: inout ByteBuffer
    ) {
        buffer.append("\"m\":{")
        buffer.append(separated: members) { member, buffer in
            let state = all ? options.hasFacets : member.hasNewState
            append(
                member,
                value: all || member.hasNewValue,
                provenance: provenance,
                state: state,
                to: &buffer
            )
        }
        buffer.append("}")
    }

    private func append(
        _ member: GroupMember,
        value: Bool,
        provenance: Bool,
        state: Bool,
        to buffer: inout ByteBuffer
    ) {
        let isGone = member.node == nil
        buffer.append(json: member.name)
        buffer.append(":{")
        if isGone {
            buffer.append("\"gone\":true")
        } else if value {
            Self.append(member.node?.value, to: &buffer)
            if provenance, let provenance = takeProvenance(of: member) { buffer.append(provenance) }
        }
        if state, !isGone {
            if value { buffer.append(",") }
            appendFacets(of: member, to: &buffer)
        }
        buffer.append("}")
    }

    /// Appends `"name":{"v":…}`.
    static func append(
        _ name: String,
        _ value: Datum?,
        isGone: Bool = false,
        provenance: [UInt8]? = nil,
        state: [UInt8]? = nil,
        to buffer: inout ByteBuffer
    ) {
        buffer.append(json: name)
        buffer.append(":{")
        if isGone { buffer.append("\"gone\":true") } else { Self.append(value, to: &buffer) }
        if let provenance { buffer.append(provenance) }
        if let state {
            buffer.append(",")
            buffer.append(state)
        }
        buffer.append("}")
    }

    // MARK: - Members of families, which come and go with commits (F-6)

    override func appeared(_ node: NamedNode) {
        guard !isEnded, !session.isClosed, let access = session.access,
            access.rights(on: node).contains(.read), !members.contains(where: { $0.name == node.name })
        else { return }
        let former = left.count
        admit(node)
        guard left.count == former else { return tellLeft() }
        session.revise(claimOf: self)
    }

    override func settled() {
        if hasRoom, left.count > 0, !session.isClosed, let access = session.access {
            admitLeft(to: access)
            session.revise(claimOf: self)
            tellLeft()
        }
        includeNewcomers()
    }

    override func vanishing(_ node: NamedNode) {
        if left.names.remove(node.name) { tellLeft() }
        guard let member = members.first(where: { $0.name == node.name && $0.isByGlob }) else { return }
        newcomers.removeAll { $0 === member }
        remove(member)
    }
}
