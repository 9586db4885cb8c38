internal import EventLoop
internal import Commits

// What one server does for all: it holds the lease, notices lost servers, and compares digests.
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
        let asked = writer.now
        ask { [instance, files = filed.own] (store) throws(RedisError) in
            let pulse = try store.pulse(of: instance, lease: Self.lease, files: files)
            // Without a writer no other server would notice that Redis has lost something.
            return (pulse, try store.verify(positions))
        } then: { [weak self] result in
            guard let self, !isClosed else { return }
            switch result {
            case .failure(let error): lose(error)
            case .success(let (pulse, found)):
                take(pulse, asked: asked)
                follower?.logFilesChanged()
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
            return behind &+ (next.value.rev > rev ? next.value.rev - rev : 0)
        }
    }

    /// Reads again what does not go on where the host stood, and still stands.
    func mend(_ found: [String: StreamEnd], at positions: [String: StreamPosition]) {
        for (name, end) in found.sorted(by: { $0.key < $1.key }) where end.continuity != .ok {
            if let track = tracks[name], track.position == positions[name] { mend(track) }
        }
    }

    /// Redis has answered a sign of life.
    func take(_ pulse: Pulse, asked: UInt64) {
        let now = writer.now
        clock.note(pulse.time, asked: asked, now: now)
        hold(pulse.token)
        let lost = signs.look(at: pulse.signs, now)
        if isLeading { forget(lost.filter { $0 != instance }) }
        filed.note(pulse, at: instance, lost: lost)
        sharedDemand.take(living: Set(pulse.signs.keys).subtracting(lost + [instance]))
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
    func forget(_ lost: [String]) {
        guard !lost.isEmpty else { return }
        onEvent(
            true,
            "\(lost.count) servers that share Redis have sent no sign of life for \(SignsOfLife.silence / 1000) seconds"
        )
        follower?.log(lost: lost)
        let graphs = Array(tracks.keys)
        ask { (store) throws(RedisError) in
            try store.forget(lost, in: graphs)
        } then: { [weak self] result in
            if case .failure(let error) = result { self?.lose(error) }
        }
    }

    /// Compares our digests with the leader's, and reads the graph again where they differ.
    func compare(_ track: Track) {
        let (name, digests, isLeading) = (track.graph, track.digests, isLeading)
        track.hasNewDigests = false
        ask { (store) throws(RedisError) in
            if isLeading {
                try store.store(digests, of: name)
                return digests
            }
            return try store.digests(of: name, at: Array(digests.keys))
        } then: { [weak self] result in
            guard let self, !isClosed else { return }
            switch result {
            case .failure(let error): lose(error)
            case .success(let found):
                // The holder of the lease may not have come that far.
                if found.count < digests.count { track.hasNewDigests = true }
                guard let rev = found.keys.sorted().first(where: { found[$0] != digests[$0] }),
                    !track.isBroken
                else {
                    return
                }
                readAgain(track, "differs from the other servers at rev \(rev)")
            }
        }
    }
}
