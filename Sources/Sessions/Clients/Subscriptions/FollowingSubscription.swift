internal import Graphs
internal import Commits
internal import Definitions
internal import ReactiveGraph
internal import Support
internal import Values

/// The listens of a ``Following``.
final class FollowingSubscription: WideSubscription {
    private let rules: FollowRules
    private(set) lazy var changes: any FollowedChanges =
        rules.isAll
        ? AllChanges(rules) { [unowned self] in onDrop?() }
        : LatestChanges(rules) { [unowned self] in if known[$0.name] === $0 { known[$0.name] = nil } }
    /// The members by name, those included that are gone while the receiver does not know it.
    private var known: [String: FollowedMember] = [:]
    /// Which of them are no members of a family.
    private var declared: Set<String> = []
    private var memberCount = 0
    /// Members added by the commit that is being applied.
    private var newcomers: [FollowedMember] = []
    /// The names for whose nodes the graph has no room.
    private(set) var left = SortedNames()
    private(set) var isBeginning = true
    /// The last name of the page before.
    private var cursor: String?
    /// Changes since then are news for mode `all`.
    private let began: UInt64
    var onChange: (() -> Void)?
    var onDrop: (() -> Void)?
    /// Whether ``onChange`` was called.
    var isNoted = false

    /// How many nodes one page has.
    private static let page = 250
    /// A picture shows no more of the members of families, but their families.
    private static let mostShown = 1_000

    init(for session: Session, _ rules: FollowRules, in graph: LiveGraph) {
        self.rules = rules
        began = graph.rev
        super.init(
            id: 1,
            session: session,
            graph: graph,
            options: SubscriptionOptions(),
            patterns: [rules.glob]
        )
    }

    private var isOver: Bool { isEnded || session.isClosed }

    /// Listens to the next page of the nodes that match.
    func listenOn() {
        guard isBeginning, !isOver, let view = try? GraphView(graph, for: .full) else { return }
        let (nodes, next) = view.names(matching: patterns[0], after: cursor, limit: Self.page)
        for node in nodes where known[node.name]?.isGone ?? true {
            let stamp = node.lastChange
            guard let member = admit(node, .unsure, at: stamp) else { continue }
            changes.begin(member, isNew: stamp.rev > began)
        }
        graph.host.work += UInt64(nodes.count)
        cursor = next
        isBeginning = next != nil
        if changes.waiting > 0 { tell() }
    }

    private func tell() {
        guard !isNoted else { return }
        isNoted = true
        onChange?()
    }

    private func note(_ member: FollowedMember) {
        member.stamp = graph.stamp
        changes.note(member)
        tell()
    }

    // MARK: - Members

    /// Listens to a node, unless the graph has no room for it.
    private func admit(
        _ node: NamedNode,
        _ state: FollowedMember.Known,
        at stamp: LogStamp
    ) -> FollowedMember? {
        let members = graph.members
        if node.family != nil, node.node == nil,
            members.livingCount + members.comingCount >= graph.host.limits.members
        {
            left.insert(node.name)
            return nil
        }
        left.remove(node.name)
        let former = known[node.name]
        let living = charging { graph.builder.materialise(node) }
        let isKnown = former?.mayBeKnown ?? false
        let member = FollowedMember(
            of: self,
            name: node.name,
            node: living,
            isKnown ? .unsure : state,
            at: stamp
        )
        if let former {
            former.isForgotten = true
            member.isBroken = true
        }
        known[node.name] = member
        if node.family == nil { declared.insert(node.name) }
        memberCount += 1
        return member
    }

    private func remove(_ member: FollowedMember) {
        memberCount -= 1
        declared.remove(member.name)
        newcomers.removeAll { $0 === member }
        member.leave()
        note(member)
    }

    override func include(_ member: GroupMember) {
        guard !isOver else { return }
        member.isNew = false
        note(member as! FollowedMember)
    }

    override func appeared(_ node: NamedNode) {
        guard !isOver, known[node.name]?.isGone ?? true else { return }
        guard let member = admit(node, .nothing, at: graph.stamp) else { return }
        member.isNew = true
        newcomers.append(member)
    }

    override func settled() {
        let came = newcomers
        newcomers = []
        for member in came where member.isNew { include(member) }
        takeLeft()
    }

    /// Others have gone: listens to some of those for which there was no room.
    private func takeLeft() {
        for _ in 0..<Self.page {
            guard !isOver, let name = left.first else { return }
            left.remove(name)
            guard let node = graph.node(name) else { continue }
            guard let member = admit(node, .unsure, at: graph.stamp) else { return }
            include(member)
        }
    }

    override func vanishing(_ node: NamedNode) {
        left.remove(node.name)
        guard !isOver, let member = known[node.name], !member.isGone else { return }
        remove(member)
    }

    override func leave(_ names: Set<String>, _ nodes: Set<UInt64>) -> Bool {
        for name in names {
            left.remove(name)
            guard let member = known[name], let node = member.node, nodes.contains(node.id) else { continue }
            remove(member)
        }
        return false
    }

    override func join(_ added: [NamedNode]?, for access: Access) {
        watch()
        guard let added else {
            (isBeginning, cursor) = (true, nil)
            return tell()
        }
        for node in added where NodeSelection.matches(patterns[0], node.name) { appeared(node) }
        settled()
    }

    // MARK: - Pictures

    override var listenedNodes: [Node<Datum>] {
        memberCount <= Self.mostShown ? super.listenedNodes : declared.compactMap { known[$0]?.node }
    }

    override var listenedFamilies: [NodeFamily] {
        guard memberCount > Self.mostShown else { return [] }
        return graph.members.families.filter { $0.shown > 0 && Glob.meet(patterns[0], $0.pattern.glob) }
    }

    // MARK: - The end

    override func shed(atMost room: UInt64) -> Bool {
        isBeginning = false
        var count: UInt64 = 0
        while count < room, let member = bag.lastListen {
            (member as! FollowedMember).leave()
            count += 1
        }
        graph.host.work += count
        return bag.isEmpty
    }

    override func release() {
        super.release()
        onChange = nil
        onDrop = nil
        known = [:]
        newcomers = []
        left = SortedNames()
    }
}
