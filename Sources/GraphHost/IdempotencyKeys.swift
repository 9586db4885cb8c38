/// Remembers for ten minutes how commits with a client's own key were answered, so that a repeat after a lost
/// reply is applied once.
///
/// At most `limit` in all; then the oldest goes first.
struct IdempotencyKeys {
    /// What is known about a commit's key.
    enum Finding {
        case new(Record)
        case known(Result<Applied, HostError>)
        case inFlight(PendingCommit)
    }

    final class Record {
        fileprivate let name: Name
        fileprivate let digest: Int
        fileprivate let expires: UInt64
        fileprivate var result: Result<Applied, HostError>?
        fileprivate var pending: PendingCommit?

        fileprivate init(name: Name, digest: Int, expires: UInt64) {
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

    private static let lifetime: UInt64 = 600_000
    private let limit: Int
    private var records: [Name: Record] = [:]
    private var order: [Record] = []
    private var oldest = 0

    init(limit: Int = 100_000) {
        self.limit = limit
    }

    /// Looks the commit's key up.
    ///
    /// A key that is new is remembered; the caller settles, follows or forgets it.
    mutating func find(_ commit: Commit, now: UInt64) -> Finding {
        expire(now)
        let name = Name(graph: commit.graph.name, by: commit.by, key: commit.key ?? "")
        let digest = Self.digest(commit)
        if let record = records[name] {
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
        let record = Record(name: name, digest: digest, expires: now + Self.lifetime)
        records[name] = record
        order.append(record)
        return .new(record)
    }

    /// The commit was applied.
    func settle(_ record: Record, _ result: Result<Applied, HostError>) {
        record.result = result
    }

    /// A refusal wrote nothing: the key is free again.
    mutating func forget(_ record: Record) {
        if records[record.name] === record { records[record.name] = nil }
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

    private mutating func expire(_ now: UInt64) {
        while oldest < order.count, order[oldest].expires <= now || order.count - oldest > limit {
            forget(order[oldest])
            oldest += 1
        }
        if oldest > 1024, oldest * 2 > order.count {
            order.removeFirst(oldest)
            oldest = 0
        }
    }

    private static func digest(_ commit: Commit) -> Int {
        var hasher = Hasher()
        commit.set.forEach { assignment in
            hasher.combine(assignment.node.name)
            assignment.value.withBytes { hasher.combine(bytes: $0) }
        }
        hasher.combine(commit.set.count)
        for node in commit.clear { hasher.combine(node.name) }
        commit.context?.withBytes { hasher.combine(bytes: $0) }
        for condition in commit.conditions {
            hasher.combine(condition.node.name)
            switch condition.test {
            case .unchangedSince(let rev), .changedAt(let rev): hasher.combine(rev)
            case .holds(let value): value.withBytes { hasher.combine(bytes: $0) }
            case .isEmpty: hasher.combine(0)
            }
        }
        return hasher.finalize()
    }
}
