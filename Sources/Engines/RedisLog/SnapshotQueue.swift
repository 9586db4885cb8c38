internal import EventLoop
internal import Commits

/// Stores graphs whole, one after the other, while its server holds the lease.
final class SnapshotQueue {
    /// After so many revs a graph is stored whole.
    static let revs: UInt64 = 10_000
    /// After so many milliseconds it is, where it has changed at all.
    private static let milliseconds: UInt64 = 60_000

    private weak var log: RedisLog?
    private var due: [String] = []
    private var isStoring = false

    init(of log: RedisLog) { self.log = log }

    /// Every minute, the graphs that have changed are stored.
    func lookLater() {
        log?.writer.after(Self.milliseconds) { [weak self] in
            guard let self, let log, !log.isClosed else { return }
            for track in log.tracks.values.sorted(by: { $0.graph < $1.graph }) where track.unsaved > 0 {
                add(track.graph)
            }
            lookLater()
        }
    }

    /// Stores a graph after those that wait.
    func add(_ name: String) {
        guard let log, log.isLeading else { return }
        if !due.contains(name) { due.append(name) }
        guard !isStoring else { return }
        isStoring = true
        log.writer.after(0) { [weak self] in self?.storeNext() }
    }

    private func storeNext() {
        guard let log, log.health == .ready, log.isLeading, !log.isClosed, !due.isEmpty else {
            due = []
            isStoring = false
            return
        }
        let name = due.removeFirst()
        guard let track = log.tracks[name], !track.isBroken, let snapshot = log.follower?.snapshot(of: name),
            snapshot.stamp.rev == track.position.rev
        else { return storeNext() }
        track.unsaved = 0
        let (position, token, keepRevs) = (track.position, log.token, log.options.keepRevs)
        let oldest = position.rev > keepRevs ? position.rev - keepRevs : 0
        log.ask { (store) throws(RedisError) in
            try store.store(snapshot.state, of: name, at: position, fence: token, keeping: oldest)
        } then: { [weak self, weak log] result in
            guard let self, let log else { return }
            switch result {
            case .success(let isStored): if isStored { log.statistics.snapshots += 1 }
            case .failure(let error):
                // The stream has all that the snapshot would have had; the next one is tried when
                // it is due.
                track.unsaved += 1
                log.lose(error)
            }
            storeNext()
        }
    }
}
