internal import Commits
internal import Definitions
internal import ReactiveGraph
internal import Support
public import Values

/// A commit as its answer names it: a read can ask for a state that includes it (`after`).
public struct CommitStamp: Hashable, Sendable {
    let epoch: String
    let rev: UInt64

    /// A commit in the form `EPOCH:REV`; nil: the text has another form.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, let rev = UInt64(parts[1]) else { return nil }
        (epoch, self.rev) = (String(parts[0]), rev)
    }

    /// A commit as a field of a message, `{"epoch","rev"}`.
    package init?(_ field: JSONReader) {
        guard let epoch = field["epoch"]?.string, let rev = field["rev"]?.int, rev >= 0 else { return nil }
        (self.epoch, self.rev) = (epoch, UInt64(rev))
    }
}

/// A request that waits for a commit; dropping it ends the wait.
public final class CommitWait {
    fileprivate let rev: UInt64
    fileprivate let done: () -> Void
    private let list: AwaitedCommits
    fileprivate private(set) lazy var timer = Timer { [unowned self] in list.end(self) }

    fileprivate init(_ rev: UInt64, in list: AwaitedCommits, _ done: @escaping () -> Void) {
        (self.rev, self.list, self.done) = (rev, list, done)
    }

    deinit {
        list.remove(self)
    }
}

/// The requests that wait until a graph has a commit that another server has answered.
///
/// A commit that no request waits for costs one comparison.
final class AwaitedCommits {
    private unowned let host: Host
    /// A wait may end after its host.
    private let timers: TimerQueue
    private var waits: [ObjectIdentifier: Unowned<CommitWait>] = [:]
    /// No commit before this one ends a wait.
    private var first = UInt64.max

    init(in host: Host) {
        self.host = host
        timers = host.timers
    }

    /// How many requests wait.
    var count: Int { waits.count }

    func add(_ rev: UInt64, until deadline: UInt64, _ done: @escaping () -> Void) -> CommitWait {
        let wait = CommitWait(rev, in: self, done)
        waits[ObjectIdentifier(wait)] = Unowned(wait)
        first = min(first, rev)
        timers.set(wait.timer, due: deadline)
        return wait
    }

    /// The graph has all commits up to this one.
    @inline(__always)
    func reached(_ rev: UInt64) {
        if rev >= first { endAll(upTo: rev) }
    }

    /// Ends waits for commits up to `rev`: those requests go on in the next turns.
    @inline(never)
    func endAll(upTo rev: UInt64 = .max) {
        for wait in waits.values where wait.object.rev <= rev { end(wait.object) }
        first = waits.values.reduce(.max) { min($0, $1.object.rev) }
    }

    fileprivate func end(_ wait: CommitWait) {
        remove(wait)
        host.later(wait.done)
    }

    fileprivate func remove(_ wait: CommitWait) {
        if waits.removeValue(forKey: ObjectIdentifier(wait)) != nil { timers.cancel(wait.timer) }
    }
}

extension CommitStamp {
    /// Waits until a graph has the commit.
    ///
    /// - Parameters:
    ///   - graph: the graph.
    ///   - done: called in a later turn: when the graph has the commit, when clients do not find
    ///     the graph any more, or after a limited time (`times.behind`). ``require(in:)`` says
    ///     which.
    /// - Returns: the wait, for as long as it is held; nil if the graph has the commit.
    /// - Throws: `gone` if the commit is not in the graph's history and will not be.
    public func wait(in graph: LiveGraph, _ done: @escaping () -> Void) throws(HostError) -> CommitWait? {
        let host = graph.host
        let isKnown = graph.epochs.hold(rev, of: epoch)
        if isKnown, rev <= graph.rev { return nil }
        // Another server may have begun an epoch.
        guard isKnown || (host.isShared && graph.epochs.lastRev(of: epoch) == nil) else {
            throw .notInHistory(rev, of: epoch, graph)
        }
        let awaited = graph.course.awaited ?? AwaitedCommits(in: host)
        graph.course.awaited = awaited
        let deadline = host.clock.now + host.limits.behindMilliseconds
        return awaited.add(isKnown ? rev : .max, until: deadline, done)
    }

    /// Requires that a graph has the commit.
    ///
    /// - Throws: `not_ready` if it does not have it yet, `gone` if it will not.
    public func require(in graph: LiveGraph) throws(HostError) {
        guard graph.epochs.hold(rev, of: epoch) else { throw .notInHistory(rev, of: epoch, graph) }
        guard rev > graph.rev else { return }
        let sentence = "\(graph.name) is at rev \(graph.rev) here and has not come to rev \(rev) in time"
        throw HostError(.notReady, sentence, after: 1000)
    }
}

extension LiveGraph {
    /// How many requests wait for a commit of the graph.
    public var waitingReads: Int { course.awaited?.count ?? 0 }
}

extension HostError {
    /// The error for a rev that the present history of a graph does not have.
    package static func notInHistory(_ rev: UInt64, of epoch: String, _ graph: LiveGraph) -> HostError {
        let sentence = "rev \(rev) of epoch \(epoch) is not in the history of \(graph.name)"
        return HostError(.gone, "\(sentence), which continues in epoch \(graph.epoch)")
    }
}
