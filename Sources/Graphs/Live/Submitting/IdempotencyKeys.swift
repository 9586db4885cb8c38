internal import Commits
internal import Support
internal import Values

/// Remembers for ten minutes how commits with a client's idempotency key were answered, so that a
/// repeat after a lost reply is applied once.
///
/// At most `limit` keys in all, shared among the principals (``FairShares``). Without tokens there
/// is one principal, because a repeat may come on another connection.
struct IdempotencyKeys {
    /// The result of looking up a key.
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
        /// The places that its values take.
        fileprivate var blocks: [Shares.Place] = []

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

    static let lifetime: UInt64 = 600_000
    static let isReused = HostError(.keyReused, "this idempotency key was used for another change")
    fileprivate typealias Shares = FairShares<String?, Record>
    private var places: [Name: Shares.Place] = [:]
    private var shares: Shares
    /// What the values of answers take: 64 MiB in blocks of half a kilobyte, shared likewise.
    private var blocks = Shares(limit: 131_072)
    private static let blockBytes = 512
    private var sweptAt: UInt64 = 0

    init(limit: Int = 100_000) {
        shares = Shares(limit: limit)
    }

    /// The number of keys, in all and of one principal.
    var count: Int { places.count }
    func count(of by: String?) -> Int { shares.count(of: by) }

    /// Looks up the commit's key.
    ///
    /// A new key is added; the caller must then settle, follow or forget it.
    mutating func find(_ commit: Commit, now: UInt64) -> Finding {
        sweep(now)
        let name = Name(graph: commit.graph.name, by: commit.by, key: commit.key ?? "")
        let digest = commit.digest
        if let record = places[name]?.member, record.expires > now {
            guard record.digest == digest else {
                return .known(.failure(Self.isReused))
            }
            if let result = record.result {
                return .known(
                    result.map { applied in
                        // A key that was restored does not know them.
                        var answer = applied.replayed
                        answer.skipped = commit.skipped
                        return answer
                    }
                )
            }
            if let pending = record.pending { return .inFlight(pending) }
        }
        return .new(add(name, digest, expires: now + Self.lifetime))
    }

    /// Restores a key from before the start, used by a commit of that graph.
    ///
    /// `now` is the monotonic clock, `time` the one that has stamped the commit.
    mutating func restore(_ stored: StoredKey, of graph: LiveGraph, now: UInt64, time: UInt64) {
        let age = time > stored.stamp.time ? time - stored.stamp.time : 0
        guard age < Self.lifetime else { return }
        let name = Name(graph: graph.name, by: stored.by, key: stored.key.text)
        guard places[name] == nil else { return }
        let record = add(name, stored.key.digest, expires: now + Self.lifetime - age)
        settle(record, .success(stored.answer(in: graph.epochs)))
    }

    @discardableResult
    private mutating func add(_ name: Name, _ digest: UInt128, expires: UInt64) -> Record {
        if let former = places[name] { forget(former.member) }
        let record = Record(name: name, digest: digest, expires: expires)
        let (place, lost) = shares.add(record, of: name.by)
        if let lost { removed(lost.member) }
        places[name] = place
        return record
    }

    mutating func settle(_ record: Record, _ result: Result<Applied, HostError>) {
        record.result = result
        guard case .success(let applied) = result, !applied.values.isEmpty,
            places[record.name]?.member === record
        else { return }
        for _ in 0...applied.values.count / Self.blockBytes {
            let (block, lost) = blocks.add(record, of: record.name.by)
            record.blocks.append(block)
            if let lost { forget(lost.member) }
            // It may have lost a place of its own.
            guard places[record.name]?.member === record else { return }
        }
    }

    /// The record has lost its place.
    private mutating func removed(_ record: Record) {
        places[record.name] = nil
        for block in record.blocks { blocks.remove(block) }
        record.blocks = []
    }

    /// A refused commit wrote nothing: the key may be used again.
    mutating func forget(_ record: Record) {
        guard let place = places[record.name], place.member === record else { return }
        shares.remove(place)
        removed(record)
    }

    /// The commits answered for the graph may be lost: its keys may be used again.
    mutating func forget(graph: String) {
        for place in Array(places.values) where place.member.name.graph == graph { forget(place.member) }
    }

    /// The commit is pending; repeats wait for the same answer.
    func follow(_ record: Record, _ pending: PendingCommit) { record.pending = pending }

    /// The pending commit is answered; if the log refuses it, the key may be used again.
    mutating func answered(_ record: Record, _ result: Result<Applied, HostError>) {
        record.pending = nil
        if case .success = result { settle(record, result) }
    }

    /// Removes old keys, every ten seconds, so that principals that are gone have no share.
    private mutating func sweep(_ now: UInt64) {
        guard now >= sweptAt + 10_000 else { return }
        sweptAt = now
        var over: [Record] = []
        shares.removeOldest(while: { $0.expires <= now }) { over.append($0) }
        for record in over { removed(record) }
    }
}

extension StoredKey {
    func answer(in epochs: Epochs) -> Applied {
        Applied(
            epoch: epochs.epoch(of: stamp.rev),
            rev: stamp.rev,
            time: stamp.time,
            changed: changed,
            values: key.values,
            isReplay: true
        )
    }
}
