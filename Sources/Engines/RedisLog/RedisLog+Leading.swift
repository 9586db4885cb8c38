internal import EventLoop
internal import GraphHost

// What one server does for all: it holds the lease, notices lost servers, and stores snapshots.
extension RedisLog {
    func beatLater() {
        writer.after(Self.pulse) { [weak self] in
            guard let self, !isClosed else { return }
            if health == .ready { beat() }
            beatLater()
        }
    }

    func beat() {
        let positions = positions
        ask { [instance] (store) throws(RedisError) in
            let (token, lost) = try store.pulse(of: instance, lease: Self.lease, silence: Self.silence)
            // Without a writer no other server would notice that Redis has lost something.
            return (token, lost, try store.verify(positions))
        } then: { [weak self] result in
            guard let self, !isClosed else { return }
            switch result {
            case .failure(let error): lose(error)
            case .success(let (token, lost, found)):
                hold(token)
                bury(lost)
                note(found)
                mend(found, at: positions)
                for track in tracks.values where track.hasNewDigests { compare(track) }
            }
        }
    }

    /// Where the host stands with the graphs that have begun.
    var positions: [String: StreamPosition] {
        tracks.filter { $0.value.position.rev > 0 && !$0.value.isBroken }.mapValues(\.position)
    }

    /// Counts what the host has not applied yet.
    func note(_ found: [String: StreamEnd]) {
        statistics.behind = found.reduce(0) { behind, next in
            let rev = tracks[next.key]?.position.rev ?? 0
            return behind + (next.value.rev > rev ? next.value.rev - rev : 0)
        }
    }

    /// Reads again what does not go on where the host stood, and still stands.
    func mend(_ found: [String: StreamEnd], at positions: [String: StreamPosition]) {
        for (name, end) in found.sorted(by: { $0.key < $1.key }) where end.continuity != .ok {
            if let track = tracks[name], track.position == positions[name] { mend(track) }
        }
    }

    /// Holds the lease until another pulse says so again.
    func hold(_ token: UInt64) {
        let wasLeading = isLeading
        self.token = token
        pulses += 1
        let pulse = pulses
        writer.after(UInt64(Self.lease) - Self.pulse) { [weak self] in
            guard let self, pulses == pulse else { return }
            self.token = 0
        }
        if isLeading, !wasLeading { follower?.logHealthChanged() }
    }

    /// Instances have not said for long that they live.
    func bury(_ lost: [String]) {
        guard !lost.isEmpty else { return }
        onEvent(
            true,
            "\(lost.count) servers that share Redis have sent no sign of life for \(Self.silence / 1000) seconds"
        )
        follower?.log(lost: lost)
        let graphs = Array(tracks.keys)
        writer.run { [store] in
            do throws(RedisError) {
                try store.forget(lost, in: graphs)
                return RedisError?.none
            } catch {
                return error
            }
        } then: { [weak self] error in
            if let error { self?.lose(error) }
        }
    }

    // MARK: - Snapshots

    /// Every minute, graphs that have changed are stored, one after the other.
    func lookAgain() {
        writer.after(Self.snapshotMilliseconds) { [weak self] in
            guard let self, !isClosed else { return }
            for track in tracks.values.sorted(by: { $0.graph < $1.graph }) where track.unsaved > 0 {
                snapshot(track.graph)
            }
            lookAgain()
        }
    }

    func snapshot(_ name: String) {
        guard isLeading else { return }
        if !dueSnapshots.contains(name) { dueSnapshots.append(name) }
        guard !isSnapshotting else { return }
        isSnapshotting = true
        writer.after(0) { [weak self] in self?.snapshotNext() }
    }

    func snapshotNext() {
        guard health == .ready, isLeading, !isClosed, !dueSnapshots.isEmpty else {
            dueSnapshots = []
            isSnapshotting = false
            return
        }
        let name = dueSnapshots.removeFirst()
        guard let track = tracks[name], !track.isBroken, let snapshot = follower?.snapshot(of: name),
            snapshot.stamp.rev == track.position.rev
        else { return snapshotNext() }
        track.unsaved = 0
        let (position, token) = (track.position, token)
        let oldest = position.rev > options.keepRevs ? position.rev - options.keepRevs : 0
        ask { (store) throws(RedisError) in
            try store.store(snapshot.state, of: name, at: position, fence: token, keeping: oldest)
        } then: { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let isStored): if isStored { statistics.snapshots += 1 }
            case .failure(let error):
                // The stream has all that the snapshot would have had; the next one is tried when
                // it is due.
                track.unsaved += 1
                lose(error)
            }
            snapshotNext()
        }
    }
}
