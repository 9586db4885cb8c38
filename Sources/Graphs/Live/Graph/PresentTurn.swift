package import Commits
internal import ReactiveGraph
package import Values

/// What holds while a graph computes something.
///
/// A commit computes with the values of `Turn()`. What is built or passed on beside that has a turn
/// of its own (``PresentTurn/during(_:_:)``).
package struct Turn {
    /// The commit to which emissions belong; nil: the newest one.
    ///
    /// A client's pipeline may handle those of an older commit.
    var commit: CommitInfo?
    /// Whether they are delivered in a later turn of the loop than that commit.
    var isLate = false
    /// The rev that the graph had when that happened which a client's pipeline handles; nil: the
    /// present one.
    var rev: UInt64?
    /// How many emissions were replaced by the one that a client's pipeline is handling.
    var replaced: UInt64 = 0
    /// What expressions see as `time`, that of the newest commit among their inputs; nil: the time
    /// of the graph's newest commit.
    var time: UInt64?
    /// Nodes are being built: what they emit are first values, not changes.
    var building: Building?
    /// What is charged for family members that are created; nil: nothing.
    var payer: MemberAccount?

    /// What caused the emission that a client's pipeline is handling; nil: the newest commit.
    var cause: Cause?

    /// Whether nothing beside a commit is computed.
    var isPlain: Bool { commit == nil && cause == nil && time == nil && building == nil && payer == nil }
}

/// What nodes that are built together have in common.
final class Building {
    /// The time of the newest commit among the inputs of each of them.
    var inputTimes: [ObjectIdentifier: UInt64] = [:]
    /// While the graph is being restored: the names whose living nodes follow the nodes that their
    /// definitions build, because they have outlived a change (``Rebuilding``).
    let followers: Set<String>

    init(followers: Set<String> = []) { self.followers = followers }
}

/// The turn that a graph is in.
///
/// It is kept here, and not passed from call to call, because the library's edges call stages and
/// listeners with nothing but themselves. Only ``during(_:_:)`` changes it, for the length of a
/// call.
package final class PresentTurn {
    private var now = Turn()
    private var facts: (stamp: LogStamp, context: Datum?, by: String?) = (LogStamp(rev: 0, time: 0), nil, nil)
    private var made: CommitInfo?
    /// What kind of cause the newest commit is.
    private(set) var origin = Cause.Origin.initial
    private var madeCause: Cause?
    private var madeWriter: Writer?
    /// Nodes that this commit sets by other means than its own: through ties, and because the time
    /// of their values is over.
    private(set) var detours: [UInt64: Cause.Origin] = [:]

    /// The newest commit, which all of the graph's own emissions belong to.
    ///
    /// Made on first use: most commits need none.
    package var newest: CommitInfo {
        if let made { return made }
        let info = CommitInfo(stamp: facts.stamp, context: facts.context, by: facts.by)
        made = info
        return info
    }

    /// The commit of the present emission.
    package var commit: CommitInfo { now.commit ?? newest }
    package var isLate: Bool { now.isLate }
    /// The rev of the commit that caused the present emission.
    package var rev: UInt64 { now.rev ?? facts.stamp.rev }
    package var replaced: UInt64 { now.replaced }
    var time: UInt64? { now.time }
    var building: Building? { now.building }
    var payer: MemberAccount? { now.payer }

    /// A new commit is being applied.
    func begin(_ stamp: LogStamp, context: Datum?, by: String?, _ origin: Cause.Origin) {
        assert(now.isPlain, "a commit is applied between turns")
        facts = (stamp, context, by)
        made = nil
        self.origin = origin
        if !detours.isEmpty { detours = [:] }
    }

    /// The commit sets a node by such means.
    func note(_ origin: Cause.Origin, of node: UInt64) { detours[node] = origin }

    /// Why the emission happens that the graph, which has this turn, delivers to a node.
    ///
    /// It is the same at every server, so it asks for no path: that is known only where a client
    /// wants it.
    func cause(at node: UInt64, in graph: LiveGraph) -> Cause {
        if graph.host.pipelines.isInTimer { return Cause.of(.tick, by: nil) }
        return cause(through: detours.isEmpty ? nil : detours[node])
    }

    /// The same for a client that asks for paths: also whether it has passed a detour.
    func causeOfPassed(at node: UInt64, in graph: LiveGraph) -> Cause {
        guard !detours.isEmpty, detours[node] == nil, !graph.host.pipelines.isInTimer,
            let passed = graph.core.deliveredPath.ids.last(where: { detours[$0] != nil })
        else { return cause(at: node, in: graph) }
        return cause(through: detours[passed])
    }

    /// The cause of the present emission, or of one that has come through a detour.
    func cause(through detour: Cause.Origin? = nil) -> Cause {
        if let cause = now.cause { return cause }
        let by = detour == .expiry ? nil : facts.by
        // One object for consecutive changes by the same principal: histories keep it.
        let cause = Cause.of(detour ?? origin, by: by, after: madeCause)
        if by != nil { madeCause = cause }
        return cause
    }

    /// The writer of what the newest commit sets; nil: nothing is known of it.
    ///
    /// `claimer` is the server of the session that the value represents. One object for consecutive
    /// changes by the same principal.
    func writer(claimer: String? = nil) -> Writer? {
        let (_, context, by) = facts
        guard by != nil || context != nil || claimer != nil else { return nil }
        if let made = madeWriter, made.by == by, made.context === context, made.claimer == claimer {
            return made
        }
        madeWriter = Writer(by: by, context: context, claimer: claimer)
        return madeWriter
    }

    /// Calls `body` in another turn: the present one with a change.
    package func during<Result>(_ change: (inout Turn) -> Void, _ body: () -> Result) -> Result {
        let outer = now
        change(&now)
        defer { now = outer }
        return body()
    }
}

/// What clients learn about one commit, besides its values; an object that queued emissions share.
package final class CommitInfo {
    package let stamp: LogStamp
    package let context: Datum?
    package let by: String?

    init(stamp: LogStamp, context: Datum?, by: String?) {
        self.stamp = stamp
        self.context = context
        self.by = by
    }
}
