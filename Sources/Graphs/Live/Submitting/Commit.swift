package import Commits
package import Definitions
public import Values

/// One atomic change of one graph: applied as a whole or not at all, as one rev and in one turn.
///
/// A client's set, the start and the end of a graph, and the ticks of timed operators are all
/// commits, and nothing else changes a graph.
public struct Commit {
    public let graph: LiveGraph
    public var set = Assignments()
    /// Parts that few commits have, stored apart to keep the others small.
    private var rare: Rare?

    public init(graph: LiveGraph) {
        self.graph = graph
    }

    package init(_ kind: Kind, of graph: LiveGraph) {
        self.graph = graph
        self.kind = kind
    }

    /// The nodes to clear, after the sets.
    public var clear: [NamedNode] {
        get { rare?.clear ?? [] }
        _modify { yield &own().clear }
    }

    package var reports: [FacetReport] {
        get { rare?.reports ?? [] }
        _modify { yield &own().reports }
    }

    /// The client's own data, passed on to the subscribers unchanged (`ctx`).
    public var context: Datum? {
        get { rare?.context }
        set { if newValue != nil || rare != nil { own().context = newValue } }
    }

    /// The authenticated principal, if there is one.
    public var by: String? {
        get { rare?.by }
        set { if newValue != nil || rare != nil { own().by = newValue } }
    }

    /// Conditions; if one does not hold, the commit is refused with `conflict`.
    public var conditions: [Condition] {
        get { rare?.conditions ?? [] }
        _modify { yield &own().conditions }
    }

    /// The epoch of the revs in `conditions`; if they are not in the graph's history, the commit is
    /// refused with `conflict`.
    public var epoch: String? {
        get { rare?.epoch }
        set { own().epoch = newValue }
    }

    /// The client's idempotency key: repeated commits with the same key and principal are applied
    /// once.
    public var key: String? {
        get { rare?.key }
        set { own().key = newValue }
    }

    /// Those of its set nodes that from then on represent the client's session
    /// (`"presence": true`).
    package var claimed: [NamedNode] {
        get { rare?.claimed ?? [] }
        set { if !newValue.isEmpty || rare != nil { own().claimed = newValue } }
    }

    /// The server that has the session; nil: this one.
    var claimer: String? {
        get { rare?.claimer }
        set { own().claimer = newValue }
    }

    /// Whether a person made it, not a program (`"hand": true`).
    package var isByHand: Bool {
        get { rare?.isByHand ?? false }
        set { if newValue != isByHand { own().isByHand = newValue } }
    }

    /// Whether it brings what upstreams have sent (S-3).
    package var isOfSource: Bool {
        get { rare?.isOfSource ?? false }
        set { if newValue != isOfSource { own().isOfSource = newValue } }
    }

    /// What depends on the state before it; nil: nothing.
    package var transaction: Transaction? {
        get { rare?.transaction }
        _modify { yield &own().transaction }
    }

    /// What its expressions have given, `{node: value}` as JSON text, when it was decided; empty:
    /// it has none.
    var results: [UInt8] {
        get { rare?.results ?? [] }
        set { if !newValue.isEmpty || rare != nil { own().results = newValue } }
    }

    /// Whether a link that a client has made leads its value on.
    package var isOfLink: Bool {
        get { rare?.isOfLink ?? false }
        set { if newValue != isOfLink { own().isOfLink = newValue } }
    }

    /// When the change was made that a `sync` leads on (``ClientLinks/birth(ofChangeAt:of:)``).
    ///
    /// 0: none leads it on.
    package var birth: UInt64 {
        get { rare?.birth ?? 0 }
        set { own().birth = newValue }
    }

    /// Where its value has been before.
    public var path: ValuePath? {
        get { rare?.path }
        set { if newValue != nil || rare != nil { own().path = newValue } }
    }

    /// The names of the nodes that it leaves alone, because its path has passed them.
    public internal(set) var skipped: [String] {
        get { rare?.skipped ?? [] }
        set { if !newValue.isEmpty || rare != nil { own().skipped = newValue } }
    }

    package var kind: Kind {
        get { rare?.kind ?? .values }
        set { own().kind = newValue }
    }

    /// The rare parts, for changing them.
    private mutating func own() -> Rare {
        if !isKnownUniquelyReferenced(&rare) { rare = Rare(rare) }
        return rare!
    }

    /// A commit that drops a member of a family (F-4).
    public init(dropping member: NamedNode) {
        self.init(.drop, of: member.graph)
        clear.append(member)
    }

    package var setNodes: [NamedNode] {
        var nodes: [NamedNode] = []
        set.forEachNode { nodes.append($0) }
        return nodes
    }

    /// The nodes that it sets, or will set when it is decided.
    package var comingNodes: [NamedNode] { setNodes + (transaction?.updates.map(\.node) ?? []) }

    /// Whether every member of a family in it still has its name; see ``renewMembers()``.
    @inline(__always)
    var isCurrent: Bool {
        var isCurrent = true
        set.forEachNode { isCurrent = isCurrent && $0.isCurrent }
        guard let rare, isCurrent else { return isCurrent }
        return rare.clear.allSatisfy(\.isCurrent) && rare.reports.allSatisfy(\.node.isCurrent)
            && rare.conditions.allSatisfy(\.node.isCurrent) && rare.transaction?.isCurrent != false
    }

    /// Looks up again the family members whose entries were removed while it waited.
    ///
    /// One whose name belongs to no family any more stays, and ``CommitCheck`` refuses it.
    mutating func renewMembers() {
        set = set.renewed
        guard rare != nil else { return }
        let rare = own()
        rare.clear = rare.clear.map(\.present)
        rare.reports = rare.reports.map { FacetReport(node: $0.node.present, change: $0.change) }
        rare.claimed = rare.claimed.map(\.present)
        rare.conditions = rare.conditions.map { Condition($0.node.present, $0.test) }
        rare.transaction?.renewMembers()
    }

    /// How many nodes it sets or clears; a node that it both sets and clears counts once.
    var changed: Int {
        guard !clear.isEmpty else { return set.count }
        var nodes = Set(clear.map(ObjectIdentifier.init))
        set.forEachNode { nodes.insert(ObjectIdentifier($0)) }
        return nodes.count
    }

    /// Whether it says nothing.
    package var isVoid: Bool { self.set.count == 0 && clear.isEmpty && reports.isEmpty }

    /// Whether it records neither a principal nor a context.
    var isAnonymous: Bool {
        guard let rare else { return true }
        return rare.by == nil && rare.context == nil && rare.claimed.isEmpty
    }

    /// Shared by copies of a commit until one of them is changed.
    private final class Rare {
        var clear: [NamedNode] = []
        var reports: [FacetReport] = []
        var kind = Kind.values
        var context: Datum?
        var by: String?
        var conditions: [Condition] = []
        var epoch: String?
        var key: String?
        var claimed: [NamedNode] = []
        var claimer: String?
        var isByHand = false
        var isOfSource = false
        var transaction: Transaction?
        var results: [UInt8] = []
        var isOfLink = false
        var birth: UInt64 = 0
        var path: ValuePath?
        var skipped: [String] = []

        init(_ other: Rare?) {
            guard let other else { return }
            clear = other.clear
            reports = other.reports
            kind = other.kind
            context = other.context
            by = other.by
            conditions = other.conditions
            epoch = other.epoch
            key = other.key
            claimed = other.claimed
            claimer = other.claimer
            isByHand = other.isByHand
            isOfSource = other.isOfSource
            transaction = other.transaction
            results = other.results
            isOfLink = other.isOfLink
            birth = other.birth
            path = other.path
            skipped = other.skipped
        }
    }

    /// The kind of its entry in the log.
    package enum Kind {
        /// Sets and clears.
        case values
        /// The graph starts; `set` has the initial values.
        case define
        /// The graph gets this definition. It is stored indirectly to keep other commits small.
        indirect case redefine(GraphDefinition, DefinitionOrigin)
        /// The graph ends.
        case remove
        /// Time has reached this many milliseconds since 1970, and timed operators of the
        /// definition emit.
        case tick(UInt64)
        /// The family members in `clear` are dropped.
        case drop
        /// The same, because they were not set for too long: their leases were over at this time,
        /// in milliseconds since 1970; 0: unknown.
        case expire(UInt64)
    }

    /// What kind of cause it is for the values that it makes.
    var origin: Cause.Origin {
        switch kind {
        case .values: isOfLink ? .link : isOfSource ? .source : .set
        case .define, .redefine: .initial
        case .tick: .tick
        case .expire: .expiry
        case .remove, .drop: .set
        }
    }

    /// The time that its stamp has at least.
    var earliest: UInt64 {
        switch kind {
        case .tick(let now): now
        case .expire(let now): now
        case .values, .define, .redefine, .remove, .drop: 0
        }
    }
}

/// A producer's report on one node, in a commit.
package struct FacetReport {
    package let node: NamedNode
    package let change: FacetChange

    package init(node: NamedNode, change: FacetChange) {
        self.node = node
        self.change = change
    }
}

/// A condition for applying a commit, checked against the applied and the pending state.
public struct Condition {
    public enum Test {
        /// The node's last change is not newer than this rev (`if.node.rev`).
        case unchangedSince(UInt64)
        /// The node's last change is exactly this rev (`If-Match`).
        case changedAt(UInt64)
        /// The node holds this value, compared by structure (`if.node.v`).
        case holds(Datum)
        /// The node is empty (`If-None-Match: *`).
        case isEmpty
    }

    public let node: NamedNode
    public let test: Test
    /// For `unchangedSince`, which changes do not count: those made before this that came over a
    /// `sync` (``ClientLinks/birth(ofChangeAt:of:)``).
    ///
    /// 0: all count.
    let birth: UInt64

    public init(_ node: NamedNode, _ test: Test) {
        self.node = node
        self.test = test
        birth = 0
    }

    /// The node's last change was made before what was made at `birth`, wherever that was.
    package init(_ node: NamedNode, olderThan birth: UInt64) {
        self.node = node
        test = .unchangedSince((birth - 1) / 2)
        self.birth = birth
    }
}

/// The result of a commit, as sent to its client.
public struct Applied {
    public let epoch: String
    /// The graph's rev that this commit made.
    public let rev: UInt64
    /// Milliseconds since 1970 of the commit.
    public let time: UInt64
    /// How many nodes were set or cleared.
    public let changed: Int
    /// What the expressions of the commit have given, `{node: value}` as JSON text; empty: it had
    /// none.
    public var values: [UInt8] = []
    /// The names of the nodes that were left alone, because the commit's path has passed them.
    public var skipped: [String] = []
    /// Whether this repeats the answer to an earlier commit with the same idempotency key; nothing
    /// was applied now.
    public var isReplay = false

    /// Whether the graph has changed: if every node was left alone, it has not, and ``rev`` says
    /// nothing.
    public var isChange: Bool { rev > 0 }

    /// The answer to a commit that has left every node alone.
    static func nothing(_ commit: Commit) -> Applied {
        Applied(epoch: commit.graph.epoch, rev: 0, time: 0, changed: 0, skipped: commit.skipped)
    }

    /// The same as the answer to a repeat.
    var replayed: Applied {
        var answer = self
        answer.isReplay = true
        return answer
    }
}
