internal import DequeModule

/// Remembers for ten minutes how commits with a client's own key were answered, so that a repeat after a lost
/// reply is applied once.
///
/// At most `limit` in all, of which each principal has its share: what there is, divided by those who have keys. When all are
/// taken, whoever has more than its share, and first the one who adds, loses its oldest. Where nobody has to show a token
/// there is one principal: a repeat comes on another connection.
struct IdempotencyKeys {
    /// What is known about a commit's key.
    enum Finding {
        case new(Record)
        case known(Result<Applied, HostError>)
        case inFlight(PendingCommit)
    }

    final class Record {
        fileprivate let name: Name
        fileprivate let digest: UInt128
        fileprivate let expires: UInt64
        fileprivate var result: Result<Applied, HostError>?
        fileprivate var pending: PendingCommit?
        /// Not in the table any more.
        fileprivate var isGone = false

        fileprivate init(name: Name, digest: UInt128, expires: UInt64) {
            self.name = name
            self.digest = digest
            self.expires = expires
        }
    }

    fileprivate struct Name: Hashable {
        let graph: String
        let by: String?
        let key: String
    }

    /// One principal's records, oldest first; some may be gone.
    private final class Share {
        let by: String?
        var count = 0
        private var order: Deque<Record> = []

        init(by: String?) {
            self.by = by
        }

        func append(_ record: Record) {
            order.append(record)
            count += 1
        }

        /// The oldest that is not gone.
        var oldest: Record? {
            while let first = order.first, first.isGone { order.removeFirst() }
            return order.first
        }

        /// A record is gone; the newest ones need not be kept until their time.
        func leave(_ record: Record) {
            count -= 1
            while let last = order.last, last.isGone { order.removeLast() }
        }
    }

    static let lifetime: UInt64 = 600_000
    private let limit: Int
    private var records: [Name: Record] = [:]
    private var shares: [String?: Share] = [:]
    /// Whoever had most keys when that was last asked.
    private var largest: Share?
    private var sweptAt: UInt64 = 0

    init(limit: Int = 100_000) {
        self.limit = limit
    }

    /// How many there are; how many of one principal.
    var count: Int { records.count }
    func count(of by: String?) -> Int { shares[by]?.count ?? 0 }

    /// Looks the commit's key up.
    ///
    /// A key that is new is remembered; the caller settles, follows or forgets it.
    mutating func find(_ commit: Commit, now: UInt64) -> Finding {
        sweep(now)
        let name = Name(graph: commit.graph.name, by: commit.by, key: commit.key ?? "")
        let digest = commit.digest
        if let record = records[name], record.expires > now {
            guard record.digest == digest else {
                return .known(.failure(HostError(.keyReused, "this key was used for another change")))
            }
            if case .success(var applied)? = record.result {
                applied.isReplay = true
                return .known(.success(applied))
            }
            if let result = record.result { return .known(result) }
            if let pending = record.pending { return .inFlight(pending) }
        }
        return .new(add(name, digest, expires: now + Self.lifetime))
    }

    /// Remembers a key from before the start, which a commit of that graph and epoch was made with.
    mutating func restore(_ stored: StoredKey, of graph: LiveGraph, now: UInt64, wall: UInt64) {
        let age = wall > stored.stamp.time ? wall - stored.stamp.time : 0
        guard age < Self.lifetime else { return }
        let name = Name(graph: graph.name, by: stored.by, key: stored.key.text)
        guard records[name] == nil else { return }
        add(name, stored.key.digest, expires: now + Self.lifetime - age).result = .success(
            Applied(
                epoch: graph.epoch,
                rev: stored.stamp.rev,
                time: stored.stamp.time,
                changed: stored.changed
            )
        )
    }

    @discardableResult
    private mutating func add(_ name: Name, _ digest: UInt128, expires: UInt64) -> Record {
        if let former = records[name] { forget(former) }
        let record = Record(name: name, digest: digest, expires: expires)
        let share = shares[name.by] ?? Share(by: name.by)
        shares[name.by] = share
        if records.count >= limit { makeRoom(for: share) }
        records[name] = record
        share.append(record)
        return record
    }

    /// The commit was applied.
    func settle(_ record: Record, _ result: Result<Applied, HostError>) {
        record.result = result
    }

    /// A refusal wrote nothing: the key is free again.
    mutating func forget(_ record: Record) {
        guard !record.isGone else { return }
        record.isGone = true
        records[record.name] = nil
        guard let share = shares[record.name.by] else { return }
        share.leave(record)
        if share.count == 0 {
            shares[record.name.by] = nil
            if largest === share { largest = nil }
        }
    }

    /// What was answered for the graph may be gone: its keys are free again.
    mutating func forget(graph: String) {
        for record in Array(records.values) where record.name.graph == graph { forget(record) }
    }

    /// The commit is pending; repeats wait for the same answer.
    ///
    /// A refusal by the log may be tried again.
    func follow(_ record: Record, _ pending: PendingCommit) {
        record.pending = pending
        pending.onAnswer { result in
            record.pending = nil
            if case .success = result { record.result = result }
        }
    }

    /// Lets go of one key, so that `share` may have one more.
    private mutating func makeRoom(for share: Share) {
        let fair = max(1, limit / shares.count)
        var loser = share
        if share.count < fair {
            // Asked again only when the one who had most has come down to its share.
            if largest.map({ $0.count <= fair }) ?? true {
                largest = shares.values.max { $0.count < $1.count }
            }
            loser = largest ?? share
        }
        if let oldest = loser.oldest { forget(oldest) }
        // Whoever adds stays known, also when that was its only one.
        shares[share.by] = share
    }

    /// Forgets what is over, every ten seconds: principals that went away have no use for their shares.
    private mutating func sweep(_ now: UInt64) {
        guard now >= sweptAt + 10_000 else { return }
        sweptAt = now
        for share in Array(shares.values) {
            while let oldest = share.oldest, oldest.expires <= now { forget(oldest) }
        }
    }
}
