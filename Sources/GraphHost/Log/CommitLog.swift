/// The order of all commits, and how safe they are before anybody sees them.
///
/// A commit is *pending* from ``append(_:tickets:wall:)`` until the log says that it is as durable as configured. Then the host applies,
/// delivers and answers it, in that loop turn. The promises of a log:
/// - per graph, commits are answered in the order in which they were appended, with revs that rise by one and
///   times that never fall;
/// - each commit is answered exactly once, by one call of the follower, never from within a call other than ``settle()`` and
///   ``close()``;
/// - when a commit is refused, so are those of the same graph that were appended behind it before the refusal
///   was told;
/// - what was answered as committed is in ``reader`` from then on;
/// - a change of ``health`` is told to the follower, never from within a call of the log's own.
///
/// Several servers may write one log (``instance``). Then the revs have gaps for each of them, which commits of others fill, told as
/// received; and a commit whose premises others have changed is answered as *moved* once everything up to there was told: the definition
/// of its graph, or anything of the graph where the commit is conditional (``LogEntry/checkedAt``).
///
/// An error `internal` says in its message what went wrong, for the server's log: clients are told no more than where it stands
/// there.
public protocol CommitLog: AnyObject {
    /// Who hears about pending commits and about the log's health. The log does not keep it alive.
    var follower: (any CommitLogFollower)? { get set }

    /// Whether commits can be had at the moment.
    ///
    /// While it is not ``LogHealth/ready`` the host appends nothing but the first commits of graphs: when it is well again is
    /// the log's own business to find out.
    var health: LogHealth { get }

    /// The graphs that have begun and not ended, by name, as of the last commit that was answered.
    var graphs: [StoredGraph] { get }

    /// What is stored, for restoring graphs and for looking back.
    var reader: any LogReader { get }

    /// What it has done since the start.
    var statistics: LogStatistics { get }

    /// The word for this start of this server where other servers write the log too; empty: nobody else does.
    var instance: String { get }

    /// Whether this server is the one that makes the ticks of the graphs; changes are told like those of ``health``.
    var isLeading: Bool { get }

    /// The place in history at which a graph of that name stands before its next commit.
    func open(graph: String) throws(HostError) -> LogPosition

    /// Appends commits: all that came in one turn of the loop, in order.
    ///
    /// - Parameters:
    ///   - entries: the commits.
    ///   - tickets: a number for each entry; the follower receives it with the answer.
    ///   - wall: the present, in milliseconds since 1970.
    func append(_ entries: [LogEntry], tickets: Range<UInt64>, wall: UInt64)

    /// Asks whether a commit whose conditions do not hold is rightly refused: answered under the ticket as confirmed; as moved, if others
    /// have changed the graph since ``LogEntry/checkedAt``; or as repeated.
    ///
    /// Only a log that others write too is asked.
    func confirm(_ entry: LogEntry, ticket: UInt64)

    /// Waits until all that was appended is answered: the follower hears of it before this returns.
    ///
    /// For the start, before there are clients, and for the end.
    func settle()

    /// Settles, and lets go of what is stored. Nothing is appended afterwards.
    func close()
}

// A log that one server writes.
extension CommitLog {
    public var instance: String { "" }
    public var isLeading: Bool { true }

    public func confirm(_ entry: LogEntry, ticket: UInt64) {
        preconditionFailure("only a shared log is asked")
    }
}

extension CommitLog {
    /// Whether other servers write it too.
    public var isShared: Bool { !instance.isEmpty }
}

/// A graph of which a log has the state.
public struct StoredGraph: Hashable, Sendable {
    /// Its name.
    public let name: String
    /// Where its definition comes from.
    public let origin: DefinitionOrigin

    /// The graph `name`.
    public init(_ name: String, _ origin: DefinitionOrigin) {
        self.name = name
        self.origin = origin
    }
}

/// Counters of a log.
public struct LogStatistics: Hashable, Sendable {
    /// Commits that were answered as committed.
    public var commits: UInt64 = 0
    /// Writes that made them durable, each for one commit or many.
    public var writes: UInt64 = 0
    /// Writes that failed.
    public var failures: UInt64 = 0
    /// How long all writes have taken, from the loop to the store and back.
    public var writeTime = Duration.zero
    /// Commits that are stored and were not applied here when the log looked last; only where servers share it.
    public var behind: UInt64 = 0
    /// Snapshots that were stored.
    public var snapshots: UInt64 = 0
    /// Bytes that the store takes at the moment.
    public var bytes: UInt64 = 0

    /// All zero.
    public init() {}
}

/// The state of a log.
///
/// `docs/operations.md` says what each state means for clients.
public enum LogHealth: Hashable, Sendable {
    /// It takes commits.
    case ready
    /// It has not read all that is stored yet, so no graph has a present: reads and sets are `not_ready`.
    case catchingUp
    /// The store cannot be reached: reads and subscriptions go on with what was last known and say so (`stale`), sets are
    /// `engine_down`.
    case outOfReach
    /// The store has no room: reads and subscriptions go on, sets are `no_space`.
    case full

    /// What a change of a graph is answered in this state; nil where the log takes it.
    public var refusal: HostError? {
        switch self {
        case .ready: nil
        case .catchingUp: HostError(.notReady, "the server is still reading what is stored", after: 1000)
        case .outOfReach: HostError(.engineDown, "the store cannot be reached at the moment", after: 1000)
        case .full: HostError(.noSpace, "the store has no room at the moment", after: 1000)
        }
    }
}

/// Where one graph's history stands.
public struct LogPosition: Hashable, Sendable {
    /// The unbroken history to which the revs belong; at most 32 characters.
    public var epoch: String
    /// The rev of the last commit; 0 before the first.
    public var rev: UInt64
    /// Milliseconds since 1970 of the last commit.
    public var time: UInt64

    /// A position.
    public init(epoch: String, rev: UInt64, time: UInt64) {
        self.epoch = epoch
        self.rev = rev
        self.time = time
    }

    /// The number and time of the next commit, made at `wall`: revs rise by one, times never fall.
    public func next(at wall: UInt64) -> LogStamp {
        LogStamp(rev: rev + 1, time: max(time, wall))
    }
}

/// The number and the time that the log gave to one commit.
public struct LogStamp: Hashable, Sendable {
    public let rev: UInt64
    /// Milliseconds since 1970.
    public let time: UInt64

    /// A stamp.
    public init(rev: UInt64, time: UInt64) {
        self.rev = rev
        self.time = time
    }
}

/// The host, as a log sees it.
public protocol CommitLogFollower: AnyObject {
    /// The pending commit of that ticket is durable now.
    func log(committed ticket: UInt64, at stamp: LogStamp)
    /// The pending commit of that ticket will never be.
    func log(refused ticket: UInt64, because error: HostError)
    /// Others have changed what the pending commit of that ticket was checked against; all of that was told.
    func log(moved ticket: UInt64)
    /// The graph is what it was when the log was asked under that ticket: the commit is refused.
    func log(confirmed ticket: UInt64)
    /// The idempotency key of the pending commit of that ticket was used before, by the same principal, for a commit at this stamp.
    func log(repeated ticket: UInt64, of key: StoredKey)
    /// A commit that was appended elsewhere is durable now: it is applied as it is, in its place.
    ///
    /// False: it cannot be applied, so the graph is not what the log says until it is read again.
    func log(received entry: LogEntry, at stamp: LogStamp) -> Bool
    /// The log's ``CommitLog/health`` is another one now.
    func logHealthChanged()
    /// What was told of this graph is not how its history goes on: it is in another epoch, or commits in between are gone. The graph
    /// is to be built anew from what `reader` has.
    ///
    /// Commits of the graph that are pending then are refused. A graph that has ended at that position is no more.
    ///
    /// False: it cannot be built, and is not served here.
    func log(reload graph: String, at position: LogPosition, from reader: any LogReader) -> Bool
    /// Servers are lost that have written the log; said to one of those that are left.
    func log(lost instances: [String])
    /// A digest of the graph as it is now, where one is due among these revs, the last of which is the present one: the same revs on
    /// every server.
    func digest(of graph: String, passing revs: ClosedRange<UInt64>) -> String?
    /// The graph as it is now, for the log to store; nil: there is no such graph, or it cannot be saved.
    func snapshot(of graph: String) -> GraphSnapshot?
}
