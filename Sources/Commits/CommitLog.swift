public import Values

/// Orders all commits and makes them durable before clients see them.
///
/// A commit is *pending* from ``append(_:tickets:wall:)`` until the log reports that it is as
/// durable as configured. Then the host applies it, delivers its changes and answers it, all in
/// that loop turn. A log guarantees:
/// - per graph, commits are answered in the order in which they were appended, with revs that rise
///   by one and times that never fall;
/// - each commit is answered exactly once, by one call of the follower, and only within
///   ``settle()`` and ``close()`` or outside of all calls;
/// - a refusal also refuses all commits of the same graph that were appended after the refused one
///   and before the refusal was reported;
/// - a commit that was answered as committed is in ``reader`` from then on;
/// - a change of ``health`` is reported to the follower, never within a call of the log.
///
/// Several servers may write one log (``instance``). Then the revs of each server have gaps, filled
/// by commits of others, which are reported as received. If another server has changed what a
/// commit depends on, the commit is answered as *moved* after all those changes were reported: this
/// concerns the definition of its graph or, for a conditional commit, any change of the graph
/// (``LogEntry/checkedAt``).
///
/// The message of an `internal` error is for the server's log; clients only receive a reference to
/// it.
public protocol CommitLog: AnyObject {
    /// Receives answers to pending commits and changes of the log's health. Held weakly.
    var follower: (any CommitLogFollower)? { get set }

    /// Whether the log accepts commits at the moment.
    ///
    /// While it is not ``LogHealth/ready``, the host appends only the first commits of graphs. The
    /// log itself finds out when it is ready again.
    var health: LogHealth { get }

    /// The graphs that exist as of the last answered commit, by name.
    var graphs: [StoredGraph] { get }

    /// Reads what is stored, for restoring graphs and reading the past.
    var reader: any LogReader { get }

    /// Counters since the start.
    var statistics: LogStatistics { get }

    /// An identifier of this start of this server, if other servers write the same log; empty: none
    /// do.
    var instance: String { get }

    /// Whether this server makes the ticks of the graphs; changes are reported like those of
    /// ``health``.
    var isLeading: Bool { get }

    /// The time of the clock that stamps commits, in milliseconds since 1970; nil: the log stamps
    /// with the `wall` that it is given.
    ///
    /// That clock never shows less, unless it was set back since it was last asked.
    var time: UInt64? { get }

    /// The graphs of which this server has files, which other servers that write the log learn.
    var files: Set<String> { get set }

    /// Whether another living server has a file of the graph, or has not said so yet.
    ///
    /// It is what they have said up to now; ``askForFiles(_:)`` gets the newest.
    func isFiledElsewhere(_ graph: String) -> Bool

    /// Asks the other servers of which graphs they have files, and calls `done` when they have
    /// answered or cannot be reached.
    func askForFiles(_ done: @escaping () -> Void)

    /// Whether it stores the histories by time that come with snapshots
    /// (``GraphSnapshot/history``), so that they can leave the server's memory.
    var keepsHistory: Bool { get }

    /// What the servers that write the log tell each other about demand; nil: only this one writes
    /// it.
    var demand: (any SharedDemand)? { get }

    /// The history position of the graph with that name before its next commit.
    func open(graph: String) throws(HostError) -> LogPosition

    /// Appends commits: all those of one loop turn, in order.
    ///
    /// The follower receives an entry's ticket with the answer. `wall` is the time in milliseconds
    /// since 1970. No commit is stamped earlier than its ``LogEntry/earliest``; one that would be
    /// is answered as moved.
    func append(_ entries: [LogEntry], tickets: Range<UInt64>, wall: UInt64)

    /// Checks that a commit whose conditions do not hold may be refused. The answer under the
    /// ticket is confirmed; moved, if others have changed the graph since ``LogEntry/checkedAt``;
    /// or repeated.
    ///
    /// Needed only if other servers write the log too.
    func confirm(_ entry: LogEntry, ticket: UInt64)

    /// Waits until everything that was appended is answered; the follower receives the answers
    /// before this returns.
    ///
    /// Used at the start, before there are clients, and at the end.
    func settle()

    /// Settles, and closes the store. Nothing may be appended afterwards.
    func close()
}

// Defaults for a log that only one server writes.
extension CommitLog {
    public var instance: String { "" }
    public var isLeading: Bool { true }
    public var time: UInt64? { nil }
    public var files: Set<String> {
        get { [] }
        set {}
    }
    public func isFiledElsewhere(_ graph: String) -> Bool { false }
    public func askForFiles(_ done: @escaping () -> Void) { done() }
    public var keepsHistory: Bool { false }
    public var demand: (any SharedDemand)? { nil }

    public func confirm(_ entry: LogEntry, ticket: UInt64) {
        preconditionFailure("only a shared log is asked")
    }
}

extension CommitLog {
    /// Whether other servers write the log too.
    public var isShared: Bool { !instance.isEmpty }
}

/// A graph whose state is in the log.
public struct StoredGraph: Hashable, Sendable {
    public let name: String
    public let origin: DefinitionOrigin

    public init(_ name: String, _ origin: DefinitionOrigin) {
        self.name = name
        self.origin = origin
    }
}

public struct LogStatistics: Hashable, Sendable {
    /// Commits that were answered as committed.
    public var commits: UInt64 = 0
    /// Writes that made them durable, each for one or several commits.
    public var writes: UInt64 = 0
    /// Writes that failed.
    public var failures: UInt64 = 0
    /// Total time of all writes, from the loop to the store and back.
    public var writeTime = Duration.zero
    /// Stored commits that were not applied here yet when the log last looked; only if servers
    /// share the log.
    public var behind: UInt64 = 0
    public var snapshots: UInt64 = 0
    /// The present size of the store in bytes.
    public var bytes: UInt64 = 0

    /// All zero.
    public init() {}
}

/// The state of a log.
///
/// `docs/operations.md` says what each state means for clients.
public enum LogHealth: Hashable, Sendable {
    /// It accepts commits.
    case ready
    /// It has not read everything that is stored, so the state of the graphs is unknown: reads and
    /// sets fail with `not_ready`.
    case catchingUp
    /// The store cannot be reached: reads and subscriptions continue with the last known values,
    /// marked `stale`; sets fail with `engine_down`.
    case outOfReach
    /// The store is full: reads and subscriptions continue, sets fail with `no_space`.
    case full

    /// The error for changes of a graph in this state; nil if the log accepts them.
    public var refusal: HostError? {
        switch self {
        case .ready: nil
        case .catchingUp: HostError(.notReady, "the server is still reading its stored data", after: 1000)
        case .outOfReach: HostError(.engineDown, "the store cannot be reached at the moment", after: 1000)
        case .full: HostError(.noSpace, "the store is full at the moment", after: 1000)
        }
    }
}

/// A position in the history of one graph.
public struct LogPosition: Hashable, Sendable {
    /// The epochs that the revs belong to; a name has at most 32 characters.
    public var epochs: Epochs
    /// The rev of the last commit; 0 before the first.
    public var rev: UInt64
    /// Milliseconds since 1970 of the last commit.
    public var time: UInt64

    /// A position.
    public init(_ epochs: Epochs, rev: UInt64, time: UInt64) {
        self.epochs = epochs
        self.rev = rev
        self.time = time
    }

    /// The present epoch.
    public var epoch: String { epochs.present }

    /// The stamp of the next commit, made at `wall`: revs rise by one, times never fall.
    public func next(at wall: UInt64) -> LogStamp {
        LogStamp(rev: rev + 1, time: max(time, wall))
    }
}

/// The rev and time that the log assigned to a commit.
public struct LogStamp: Hashable, Sendable {
    public let rev: UInt64
    /// Milliseconds since 1970.
    public let time: UInt64

    /// The revs of commits: exact as a double, because clients and the scripts in Redis compute
    /// with doubles.
    public static let revs: ClosedRange<UInt64> = 1...9_007_199_254_740_991
    /// The times of commits: up to the end of the year 9999, the last that RFC 3339 can write.
    ///
    /// Every span of a definition can be added to one of them.
    public static let times: ClosedRange<UInt64> = 0...253_402_300_799_999

    /// A stamp.
    public init(rev: UInt64, time: UInt64) {
        self.rev = rev
        self.time = time
    }

    /// A stamp that was read from a store; nil: no commit can have it.
    ///
    /// What is read is checked here, so that computing with it needs no checks.
    public init?(storedRev rev: UInt64, time: UInt64) {
        guard Self.revs.contains(rev), Self.times.contains(time) else { return nil }
        self.init(rev: rev, time: time)
    }
}
