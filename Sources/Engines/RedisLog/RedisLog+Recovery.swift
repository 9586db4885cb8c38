internal import DequeModule
internal import EventLoop
internal import GraphHost

// Losing Redis, finding it again, and reading again what does not go on where the host stands.
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
            ask { [instance, replicas = options.replicas] (store) throws(RedisError) in
                store.disconnect()
                // Says also whether anything can be written.
                let token = try store.pulse(of: instance, lease: Self.lease, silence: Self.silence).token
                try store.forget(names, in: graphs)
                try store.wait(for: replicas)
                let found = Set(try store.positions().keys)
                return (token, found, try store.verify(positions))
            } then: { [weak self] result in
                guard let self, !isClosed else { return }
                switch result {
                case .failure(let error):
                    become(error.isFull ? .full : .outOfReach)
                    findLater()
                case .success((let token, let found, let verified)):
                    formerNames.removeFirst(names.count)
                    hold(token)
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
            let track = track(name)
            track.isBroken = true
            load(track)
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
        guard !track.isBroken else { return }
        track.isBroken = true
        refuseAll(of: track)
        lookAt(track)
    }

    func lookAt(_ track: Track) {
        let (name, position) = (track.graph, track.position)
        ask { (store) throws(RedisError) in
            try store.verify([name: position])[name]?.continuity ?? .lost
        } then: { [weak self] result in
            guard let self, !isClosed else { return }
            switch result {
            case .failure(let error): tryAgain(track, error)
            case .success(.lost): claim(track)
            case .success: load(track)
            }
        }
    }

    func tryAgain(_ track: Track, _ error: RedisError) {
        lose(error)
        writer.after(Self.pause) { [weak self] in
            guard let self, !isClosed else { return }
            lookAt(track)
        }
    }

    /// Redis has lost commits that were answered: the instance that has come furthest begins a new
    /// epoch.
    func claim(_ track: Track) {
        let (name, position) = (track.graph, track.position)
        onEvent(
            true,
            "Redis has lost commits of graph \(name) that were answered: the graph gets a new epoch"
        )
        writer.run { [store, instance] in
            do throws(RedisError) {
                try store.claim(name, position, for: instance)
                return RedisError?.none
            } catch {
                return error
            }
        } then: { [weak self] error in
            guard let self, !isClosed else { return }
            if let error { return tryAgain(track, error) }
            seedLater(track)
        }
    }

    func seedLater(_ track: Track) {
        writer.after(Self.claimTime) { [weak self] in
            guard let self, !isClosed else { return }
            let (name, position, epoch, id) = (track.graph, track.position, word(), word())
            guard let snapshot = follower?.snapshot(of: name) else {
                // It has ended, and begins again when it is defined.
                tracks[name] = nil
                moved.insert(name)
                return
            }
            ask { [instance] (store) throws(RedisError) in
                try store.seed(name, position, from: instance, epoch: epoch, id: id, snapshot.state)
            } then: { [weak self] result in
                guard let self, !isClosed else { return }
                switch result {
                case .failure(let error): tryAgain(track, error)
                // The instance with the larger claim may have ended: then its claim expires in a
                // moment.
                case .success(false): claim(track)
                case .success(true): load(track)
                }
            }
        }
    }

    /// Reads a graph as Redis has it, for the host to go on from there.
    func load(_ track: Track) {
        let name = track.graph
        ask { (store) throws(RedisError) in
            try store.load(name)
        } then: { [weak self] result in
            guard let self, !isClosed else { return }
            switch result {
            case .failure(let error): tryAgain(track, error)
            case .success(nil): claim(track)
            case .success(let loaded?):
                track.position = loaded.position
                track.forgetDigests()
                // What the host hands over now was checked against what it had before.
                let isBuilt = follower?.log(reload: name, at: loaded.position.public, from: loaded) ?? true
                guard isBuilt else { return readLater(track) }
                track.isBroken = false
            }
        }
    }

    /// A graph is not what it is on the other servers: it must not be served like that.
    func readAgain(_ track: Track, _ why: String) {
        onEvent(true, "graph \(track.graph) \(why): it is read again")
        track.isBroken = true
        refuseAll(of: track)
        load(track)
    }

    /// A graph cannot be built here from what Redis has, so it is not served here until it can.
    ///
    /// That may be so after the next snapshot, which another server makes.
    func readLater(_ track: Track) {
        onEvent(
            true,
            "graph \(track.graph) cannot be rebuilt from Redis and is not served here; it is tried again"
        )
        writer.after(Self.rereading) { [weak self] in
            guard let self, !isClosed else { return }
            load(track)
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
