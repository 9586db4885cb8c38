public import Values

/// Receives the log's reports; implemented by the host.
public protocol CommitLogFollower: AnyObject {
    /// The pending commit with that ticket is durable.
    func log(committed ticket: UInt64, at stamp: LogStamp)
    func log(refused ticket: UInt64, because error: HostError)
    /// Others have changed what the pending commit with that ticket was checked against, and all
    /// those changes were reported; or it would have been stamped before its
    /// ``LogEntry/earliest``.
    func log(moved ticket: UInt64)
    /// The graph has not changed since the check of the commit with that ticket: the commit is
    /// refused.
    func log(confirmed ticket: UInt64)
    /// The pending commit with that ticket has an idempotency key that the same principal used
    /// before, for the commit in `key`.
    func log(repeated ticket: UInt64, of key: StoredKey)
    /// A commit that another server appended is durable: it must be applied unchanged and in order.
    ///
    /// - Returns: false if it cannot be applied; then the graph differs from the log until it is
    ///   read again.
    func log(received entry: LogEntry, at stamp: LogStamp) -> Bool
    func logHealthChanged()
    /// The log has asked the other servers again of which graphs they have files.
    func logFilesChanged()
    /// The reported commits are not the graph's history: it is in another epoch, or commits in
    /// between are lost. The graph must be rebuilt from `reader`.
    ///
    /// The graph's pending commits are refused. If the graph has ended at that position, it is
    /// removed.
    ///
    /// - Returns: false if it cannot be rebuilt; then this server does not serve it.
    func log(reload graph: String, at position: LogPosition, from reader: any LogReader) -> Bool
    /// These servers, which have written the log, are gone; reported to one of the remaining
    /// servers.
    func log(lost instances: [String])
    /// A digest of the graph's present state if one is due in these revs, the last of which is the
    /// present one. All servers make digests at the same revs.
    func digest(of graph: String, passing revs: ClosedRange<UInt64>) -> String?
    /// The graph's present state for the log to store; nil if there is no such graph, or it cannot
    /// be saved.
    func snapshot(of graph: String) -> GraphSnapshot?
    /// The graph's snapshot at `rev` is stored, with its histories by time.
    func log(saved graph: String, at rev: UInt64)
}

extension CommitLogFollower {
    public func log(saved graph: String, at rev: UInt64) {}
}
