internal import EventLoop
internal import Commits

/// Reads a graph again as Redis has it, because its stream does not go on where the host stands;
/// begins a new epoch if Redis has lost commits.
///
/// Until it is done the graph is broken off: it takes no commits, and nothing is read from its
/// stream. Only its pending calls hold a recovery.
final class GraphRecovery {
    /// How long a graph that cannot be built is left alone before it is read again, in
    /// milliseconds.
    private static let rereading: UInt64 = 10_000
    /// How long a new epoch waits for instances that have come further, in milliseconds.
    private static let claimTime: UInt64 = 300

    private weak var log: RedisLog?
    private let track: Track

    init(of track: Track, in log: RedisLog) {
        (self.track, self.log) = (track, log)
        track.isBroken = true
        log.refuseAll(of: track)
    }

    /// Finds out whether Redis still has all that the host has.
    func verify() {
        let (name, position) = (track.graph, track.position)
        ask { (store) throws(RedisError) in
            try store.verify([name: position])[name]?.continuity ?? .lost
        } then: { [self] log, continuity in
            if continuity == .lost { claim(log) } else { load() }
        }
    }

    /// Reads the graph, for the host to go on from there.
    func load() {
        let name = track.graph
        track.hasBegun = false
        ask { (store) throws(RedisError) in
            try store.load(name)
        } then: { [self] log, loaded in
            guard let loaded else { return claim(log) }
            track.position = loaded.position
            track.forgetDigests()
            // What the host hands over now was checked against what it had before.
            let isBuilt = log.follower?.log(reload: name, at: loaded.position.public, from: loaded) ?? true
            if isBuilt { track.isBroken = false } else { loadLater(log) }
        }
    }

    /// The graph cannot be built here from what Redis has, so it is not served here until it can.
    ///
    /// That may be so after the next snapshot, which another server makes.
    private func loadLater(_ log: RedisLog) {
        log.onEvent(
            true,
            "graph \(track.graph) cannot be rebuilt from Redis and is not served here; it is tried again"
        )
        after(Self.rereading) { [self] _ in load() }
    }

    /// Redis has lost commits that were answered: the instance that has come furthest begins a new
    /// epoch.
    private func claim(_ log: RedisLog) {
        let (name, position) = (track.graph, track.position)
        log.onEvent(
            true,
            "Redis has lost commits of graph \(name) that were answered: the graph gets a new epoch"
        )
        ask { [instance = log.instance] (store) throws(RedisError) in
            try store.claim(name, position, for: instance)
        } then: { [self] _, _ in
            after(Self.claimTime) { [self] log in seed(log) }
        }
    }

    private func seed(_ log: RedisLog) {
        let (name, position, epoch, id) = (track.graph, track.position, log.word(), log.word())
        guard let snapshot = log.follower?.snapshot(of: name) else {
            if track.hasBegun { return load() }
            // It has ended, and begins again when it is defined.
            log.tracks[name] = nil
            log.moved.insert(name)
            return
        }
        ask { [instance = log.instance] (store) throws(RedisError) in
            try store.seed(name, position, from: instance, epoch: epoch, id: id, snapshot.state)
        } then: { [self] log, isSeeded in
            // The instance with the larger claim may have ended: then its claim expires in a
            // moment.
            if isSeeded { load() } else { claim(log) }
        }
    }

    /// Asks Redis something; after an error the recovery begins again a little later.
    private func ask<Value: Sendable>(
        _ work: @escaping @Sendable (any StreamStore) throws(RedisError) -> Value,
        then next: @escaping (RedisLog, Value) -> Void
    ) {
        log?.ask(work) { [self] result in
            guard let log, !log.isClosed else { return }
            switch result {
            case .success(let value): next(log, value)
            case .failure(let error):
                log.lose(error)
                after(RedisLog.pause) { [self] _ in verify() }
            }
        }
    }

    private func after(_ milliseconds: UInt64, _ next: @escaping (RedisLog) -> Void) {
        log?.writer.after(milliseconds) { [self] in
            guard let log, !log.isClosed else { return }
            next(log)
        }
    }
}
