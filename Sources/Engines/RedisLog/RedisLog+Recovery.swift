internal import DequeModule
internal import EventLoop
internal import Commits

// Losing Redis, and finding it again.
extension RedisLog {
    /// Redis does not answer, or takes nothing: it is tried again a little later.
    func lose(_ error: RedisError) {
        guard !isClosed else { return }
        statistics.failures += 1
        guard health == .ready else { return }
        onEvent(true, "Redis at \(options.address.description): \(error.description)")
        token = 0
        become(error.isFull ? .full : .outOfReach)
        for track in tracks.values.sorted(by: { $0.graph < $1.graph }) {
            // What was not sent is not there.
            let waiting = track.waiting
            track.waiting = []
            guard let refusal = health.refusal else { continue }
            for next in waiting { follower?.log(refused: next.ticket, because: refusal) }
        }
        findLater()
        let flights = tracks.values.flatMap(\.flights)
        guard !flights.isEmpty else { return }
        writer.after(Self.patience) { [weak self] in
            guard let self, !isClosed else { return }
            // It is unknown whether these were taken.
            for track in tracks.values {
                refuse(
                    track.flights.filter { late in late.outcome == nil && flights.contains { $0 === late } },
                    of: track
                )
            }
            read()
        }
    }

    func become(_ health: LogHealth) {
        guard health != self.health else { return }
        self.health = health
        follower?.logHealthChanged()
    }

    func findLater() {
        writer.after(Self.pause) { [weak self] in
            guard let self, !isClosed else { return }
            let (positions, graphs, names) = (positions, Array(tracks.keys), formerNames)
            let asked = writer.now
            ask { [instance, files = filed.own, replicas = options.replicas] (store) throws(RedisError) in
                store.disconnect()
                // Says also whether anything can be written.
                let pulse = try store.pulse(of: instance, lease: Self.lease, files: files)
                try store.forget(names, in: graphs)
                try store.wait(for: replicas)
                let found = Set(try store.positions().keys)
                return (pulse, found, try store.verify(positions))
            } then: { [weak self] result in
                guard let self, !isClosed else { return }
                switch result {
                case .failure(let error):
                    become(error.isFull ? .full : .outOfReach)
                    findLater()
                case .success((let pulse, let found, let verified)):
                    formerNames.removeFirst(names.count)
                    take(pulse, asked: asked)
                    follower?.logFilesChanged()
                    note(verified)
                    goOn(found) { self.mend(verified, at: positions) }
                }
            }
        }
    }

    func goOn(_ found: Set<String>, mending mend: () -> Void) {
        onEvent(false, "Redis at \(options.address.description) answers again")
        become(.ready)
        mend()
        for name in found.sorted() where tracks[name] == nil {
            GraphRecovery(of: track(name), in: self).load()
        }
        write(
            again: tracks.values.sorted { $0.graph < $1.graph }.flatMap {
                $0.flights.filter { $0.outcome == nil }
            }
        )
        follow()
    }

    /// The stream does not go on where the host stands.
    func mend(_ track: Track) {
        if !track.isBroken { GraphRecovery(of: track, in: self).verify() }
    }

    /// A graph is not what it is on the other servers: it must not be served like that.
    func readAgain(_ track: Track, _ why: String) {
        onEvent(true, "graph \(track.graph) \(why): it is read again")
        GraphRecovery(of: track, in: self).load()
    }
}
