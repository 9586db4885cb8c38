/// Reads what a log has stored, on any thread: snapshots, and the entries between and after them.
///
/// It shows one moment of the log, except for parts that were trimmed.
public protocol LogReader: Sendable {
    /// The revs at which a graph can be rebuilt, from the oldest that was not trimmed to the last;
    /// nil if there are none.
    func revs(of graph: String) throws(StoreError) -> ClosedRange<UInt64>?

    /// The newest snapshot of a graph at or before `rev`; nil if there is none.
    func snapshot(of graph: String, notAfter rev: UInt64) throws(StoreError) -> GraphSnapshot?

    /// Calls `visit` with the graph's entries whose revs are in `revs`, in order, until it returns
    /// false.
    func entries(
        of graph: String,
        in revs: ClosedRange<UInt64>,
        _ visit: (LogEntry, LogStamp) throws(StoreError) -> Bool
    ) throws(StoreError)

    /// The idempotency keys of a graph whose commits were made at `time` or later, oldest first.
    func keys(of graph: String, since time: UInt64) throws(StoreError) -> [StoredKey]

    /// The stored chunks of a node's history whose steps may lie in `times` (milliseconds since
    /// 1970), oldest first; none in a log that does not keep histories.
    func history(
        of node: String,
        in graph: String,
        _ times: ClosedRange<UInt64>
    ) throws(StoreError) -> [HistoryChunk]
}

extension LogReader {
    public func history(
        of node: String,
        in graph: String,
        _ times: ClosedRange<UInt64>
    ) throws(StoreError) -> [HistoryChunk] { [] }

    /// When a commit was made, in milliseconds since 1970.
    ///
    /// - Throws: ``StoreError`` if it is not stored.
    public func time(of graph: String, at rev: UInt64) throws(StoreError) -> UInt64 {
        var found: UInt64?
        try entries(of: graph, in: rev...rev) { (_, stamp) in
            found = stamp.time
            return false
        }
        if let found { return found }
        // The entry may be trimmed where the oldest snapshot includes it.
        if let stamp = try snapshot(of: graph, notAfter: rev)?.stamp, stamp.rev == rev { return stamp.time }
        throw StoreError("rev \(rev) of graph \(graph) is missing")
    }
}

/// One graph's state at one rev (`SavedGraph`).
public struct GraphSnapshot: Hashable, Sendable {
    /// The last commit that it includes.
    public let stamp: LogStamp
    /// The state, in a format that only this version of the server reads.
    public let state: [UInt8]
    /// How the histories by time change with it; nil: not at all.
    public let history: HistoryChange?

    public init(_ stamp: LogStamp, _ state: [UInt8], history: HistoryChange? = nil) {
        self.stamp = stamp
        self.state = state
        self.history = history
    }
}

/// An idempotency key and the commit it was used for.
public struct StoredKey: Hashable, Sendable {
    /// The key, and the hash of the change.
    public let key: LogEntry.Key
    /// The principal that used it.
    public let by: String?
    /// The commit.
    public let stamp: LogStamp
    /// How many nodes the commit set or cleared.
    public let changed: Int

    /// `key`, used by `by` for the commit at `stamp`.
    public init(_ key: LogEntry.Key, by: String?, _ stamp: LogStamp, changed: Int) {
        self.key = key
        self.by = by
        self.stamp = stamp
        self.changed = changed
    }
}

/// Why a store cannot be opened or read, for the operator of the server.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, and where.
    public let message: String
    /// What to do about it.
    public let hint: String?

    public init(_ message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }

    public var description: String { hint.map { "\(message); \($0)" } ?? message }
}
