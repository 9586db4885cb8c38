public import Graphs
internal import Commits
internal import Definitions
internal import ReactiveGraph
internal import Support
internal import Values

/// Follows the nodes that a glob matches for a sink: what changes waits here until it is sent.
///
/// It listens to any number of nodes, and to new ones as they come. So it begins page by page, a
/// page each time that ``listenOn()`` is called, and its end is spread over turns.
public final class Following {
    /// Its session owns it.
    private weak var subscription: FollowingSubscription?

    /// Begins to follow the nodes of a graph for a session, which ends it.
    public init(_ rules: FollowRules, in graph: LiveGraph, for session: Session) {
        let subscription = FollowingSubscription(for: session, rules, in: graph)
        session.add(subscription)
        subscription.watch()
        self.subscription = subscription
    }

    /// Called when changes wait, once until ``next()`` has been called; within a commit, so that it
    /// may only ask for another turn.
    public var onChange: (() -> Void)? {
        get { subscription?.onChange }
        set { subscription?.onChange = newValue }
    }

    /// Called when a change is dropped because too many wait.
    public var onDrop: (() -> Void)? {
        get { subscription?.onDrop }
        set { subscription?.onDrop = newValue }
    }

    /// How many changes wait, besides those of the list under way.
    public var waiting: Int { living?.changes.waiting ?? 0 }

    private var living: FollowingSubscription? {
        subscription.flatMap { $0.isEnded ? nil : $0 }
    }

    /// How many matching nodes it does not listen to, because the graph has no room for their
    /// nodes (`limits.members`).
    public var leftOut: Int { living?.left.count ?? 0 }

    /// Whether it does not listen to all matching nodes yet.
    public var isBeginning: Bool { living?.isBeginning ?? false }

    /// Listens to the next page of them.
    public func listenOn() { living?.listenOn() }

    /// The next list to send, after what became of the one before was settled.
    ///
    /// With nil there is nothing to send, or, if changes still wait, more to look at in another
    /// turn.
    public func next() -> FollowedList? {
        guard let living else { return nil }
        living.isNoted = false
        return living.changes.next(of: living.graph)
    }

    /// What became of the list.
    public func settle(_ outcome: FollowedOutcome) { living?.changes.settle(outcome) }

    /// Lets what the receiver refused wait again, in mode `latest`.
    ///
    /// - Returns: whether there is any.
    public func tryRefused() -> Bool { living?.changes.tryRefused() ?? false }
}

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
