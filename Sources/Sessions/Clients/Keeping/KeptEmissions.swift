internal import Graphs
internal import Commits
internal import Values

/// The newest emissions of a subscription in mode `all` that has a ticket, sent or not: those that
/// its client may have missed (K-2).
///
/// A sent message may have been lost with the connection, so the client's cursor decides.
struct KeptEmissions {
    private(set) var ring: HistoryRing
    /// The rev at which the ticket was issued: the client may have seen this rev before the
    /// emissions noted with it.
    private let start: UInt64
    /// Revs with emissions that did not come with their commit, such as those of a `delay`, oldest
    /// first.
    ///
    /// A client that has seen such a rev may still have missed them.
    private var ambiguous: [UInt64] = []

    /// No emissions yet, at a rev at which the client knows the state; keeps at most `capacity`
    /// with `byteLimit` bytes of JSON.
    init(capacity: Int, byteLimit: Int, from rev: UInt64, isEmptyNow: Bool) {
        ring = HistoryRing(capacity: capacity, byteLimit: byteLimit, from: rev, [], isEmptyNow: isEmptyNow)
        start = rev
    }

    /// The memory it takes, in bytes.
    var bytes: Int { ring.bytes + 64 * ring.count }

    /// Adds an emission after the newest commit, which caused it in the same turn if `isOfCommit`.
    mutating func note(_ stamp: LogStamp, _ value: Datum?, isOfCommit: Bool) {
        ring.append(stamp, value)
        if !isOfCommit || stamp.rev == start, ambiguous.last != stamp.rev { ambiguous.append(stamp.rev) }
        // A client may have seen exactly the rev up to which emissions were removed.
        let forgotten = ambiguous.prefix { $0 < ring.from }.count
        if forgotten > 0 { ambiguous.removeFirst(forgotten) }
    }

    mutating func removeAll() {
        ring.removeAll()
        ambiguous.removeAll { $0 < ring.from }
    }

    mutating func resize(to capacity: Int) {
        ring = ring.resized(to: capacity)
    }

    /// Whether a client that has seen `rev` may have seen only a part of its emissions.
    func isAmbiguous(at rev: UInt64) -> Bool { ambiguous.contains(rev) }
}
