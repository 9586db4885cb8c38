internal import DequeModule
internal import EventLoop
internal import Commits

// What comes from the streams: of this server, in the order in which all get it, and of others.
extension RedisLog {
    /// Begins to follow what others write: for the end of the start, when all graphs have been
    /// restored.
    ///
    /// What is new in graphs that are written comes with the writer's answer, so the follower
    /// leaves them out, and soon looks whether that is still so.
    public func follow() {
        guard !isFollowing, !isSettling, !isClosed, health == .ready, unread.isEmpty else { return }
        poll(for: readByWriter.isEmpty ? Self.wait : Self.shortWait)
    }

    /// Passes to the follower from where it reads which streams, as far as that has changed; nil:
    /// it does not read that one.
    private func takeMoves() -> [String: UInt64?] {
        var moves: [String: UInt64?] = [:]
        for name in moved {
            let track = readByWriter.contains(name) ? nil : tracks[name]
            moves.updateValue(track.flatMap { $0.isBroken ? nil : $0.position.rev }, forKey: name)
        }
        moved = []
        return moves
    }

    /// Waits for what is new, takes it up, and waits again.
    func poll(for milliseconds: Int) {
        isFollowing = true
        let moves = takeMoves()
        listener.run { [streams, place, sources = sharedDemand.sources] in
            streams.demandSources = sources
            return Result { () throws(RedisError) in
                try streams.follow(moves, newsAfter: place, for: milliseconds)
            }
        } then: { [weak self] result in
            guard let self else { return }
            isFollowing = false
            switch result {
            case .failure(let error): lose(error)
            case .success(let news):
                place = news.place
                unread.append(contentsOf: news.entries)
                begun += news.graphs
                sharedDemand.take(news.demand)
                read()
            }
        }
    }

    /// Applies what was read, and then waits for more.
    func read() {
        takeUp()
        follow()
    }

    /// Applies what was read, some of it in each turn of the loop.
    func takeUp() {
        var count = 0
        while let entry = unread.first, isSettling || count < Self.turnCommits {
            // With replicas it is answered once they have it.
            guard options.replicas == 0 || tracks[entry.graph]?.isUnconfirmed(entry) != true else { return }
            unread.removeFirst()
            count += entry.commits.count
            take(entry)
        }
        guard unread.isEmpty else { return listener.after(0) { [weak self] in self?.read() } }
        let graphs = begun
        begun = []
        for graph in graphs {
            if let track = tracks[graph] {
                track.hasBegun = true
            } else {
                GraphRecovery(of: track(graph), in: self).load()
            }
        }
    }

    func take(_ entry: StreamEntry) {
        guard let track = tracks[entry.graph], !track.isBroken, entry.revs.upperBound > track.position.rev
        else {
            return
        }
        let follows =
            entry.revs.lowerBound == track.position.rev + 1 && entry.predecessor == track.position.id
        // Another instance may have been first to begin the graph.
        guard follows, entry.epoch == track.position.epoch || track.position.rev == 0 else {
            return mend(track)
        }
        track.position = entry.position(after: track.position, isFirst: track.position.rev == 0)
        track.unsaved += UInt64(entry.commits.count)
        statistics.commits += UInt64(entry.commits.count)
        let own = track.flight(of: entry)
        var stamps = zip(entry.revs, entry.commits).makeIterator()
        if let own {
            own.left = entry.left
            for place in own.tickets.indices where !entry.left.contains(place) {
                while !own.tickets[place].isEmpty, let (rev, _) = stamps.next(),
                    let ticket = own.tickets[place].popFirst()
                {
                    follower?.log(committed: ticket, at: LogStamp(rev: rev, time: entry.time))
                }
            }
        } else {
            while let (rev, commit) = stamps.next() {
                guard follower?.log(received: commit, at: LogStamp(rev: rev, time: entry.time)) != false
                else {
                    return readAgain(track, "has a commit that cannot be applied here, rev \(rev)")
                }
            }
        }
        if let digest = follower?.digest(of: track.graph, passing: entry.revs) {
            track.note(digest, at: entry.revs.upperBound)
        }
        conclude(track)
        if track.unsaved >= SnapshotQueue.revs { snapshots.add(track.graph) }
    }
}
