/// The newest emissions of a subscription in mode `all` that has a ticket, sent or not: what its client may have missed
/// (K-2).
///
/// A message that was sent may have been lost with the connection, so what counts is the cursor that the client shows.
struct KeptEmissions {
    private(set) var ring: HistoryRing
    /// The rev at which the ticket was given: the client may have seen it before what is noted with it.
    private let start: UInt64
    /// Revs with emissions that did not come with their commit, such as those of a `delay`, oldest first: a client that has
    /// seen the rev need not have seen them.
    private var ambiguous: [UInt64] = []

    /// None yet, at a rev at which the client knows whether there is a value; `capacity` may be kept, with `byteLimit` bytes of JSON.
    init(capacity: Int, byteLimit: Int, from rev: UInt64, isEmptyNow: Bool) {
        ring = HistoryRing(capacity: capacity, byteLimit: byteLimit, from: rev, [], isEmptyNow: isEmptyNow)
        start = rev
    }

    /// Bytes that it takes.
    var bytes: Int { ring.bytes + 64 * ring.count }

    /// Notes an emission.
    ///
    /// - Parameters:
    ///   - stamp: of the commit that is the newest.
    ///   - value: nil for emptiness.
    ///   - isOfCommit: whether the commit has caused it, in the same turn.
    mutating func note(_ stamp: LogStamp, _ value: Datum?, isOfCommit: Bool) {
        ring.append(stamp, value)
        if !isOfCommit || stamp.rev == start, ambiguous.last != stamp.rev { ambiguous.append(stamp.rev) }
        // A client may have seen the very rev up to which all is forgotten.
        let forgotten = ambiguous.prefix { $0 < ring.from }.count
        if forgotten > 0 { ambiguous.removeFirst(forgotten) }
    }

    /// Forgets all of them.
    mutating func removeAll() {
        ring.removeAll()
        ambiguous.removeAll { $0 < ring.from }
    }

    /// The same with room for more, or for fewer.
    mutating func resize(to capacity: Int) {
        ring = ring.resized(to: capacity)
    }

    /// Whether a client that has seen `rev` may have seen a part of what was emitted with it.
    func isAmbiguous(at rev: UInt64) -> Bool { ambiguous.contains(rev) }
}
