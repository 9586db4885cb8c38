internal import DequeModule
internal import EventLoop
public import Commits
internal import Values

// What goes to the streams: batches of commits, and what became of them.
extension RedisLog {
    public func append(_ entries: [LogEntry], tickets: Range<UInt64>, wall: UInt64) {
        precondition(!isClosed, "nothing is appended to a log that is closed")
        if let refusal = health.refusal { return refuse(Array(tickets), refusal) }
        for (entry, ticket) in zip(entries, tickets) {
            let track = track(entry.graph)
            if track.isBroken {
                refuse([ticket], Self.brokenOff)
            } else {
                add(entry, ticket, to: track)
            }
        }
        write()
    }

    func add(_ entry: LogEntry, _ ticket: UInt64, isQuestion: Bool = false, to track: Track) {
        if track.waiting.isEmpty { due.append(track) }
        track.add(entry, ticket, isQuestion: isQuestion)
    }

    public func confirm(_ entry: LogEntry, ticket: UInt64) {
        if let refusal = health.refusal { return refuse([ticket], refusal) }
        let track = track(entry.graph)
        if track.isBroken { return refuse([ticket], Self.brokenOff) }
        add(entry, ticket, isQuestion: true, to: track)
        write()
    }

    /// Refuses commits, in their place among the answers.
    func refuse(_ tickets: [UInt64], _ refusal: HostError) {
        writer.run({}) { [weak self] in
            for ticket in tickets { self?.follower?.log(refused: ticket, because: refusal) }
        }
    }

    static let brokenOff = HostError(
        .engineDown,
        "the history of the graph has broken off",
        after: 1000
    )

    /// Gives the writer what waits, unless it is busy.
    func write(again flights: [Track.Flight] = []) {
        guard !isWriting, health == .ready else { return }
        let flights = flights + due.compactMap { $0.takeOff(id: word(), writer: writerName) }
        due = due.filter { !$0.waiting.isEmpty }
        guard !flights.isEmpty else { return }
        isWriting = true
        let batches = flights.map(\.batch)
        // What was read and not yet applied would only come again.
        let isReading = unread.isEmpty
        readByWriter = isReading ? Set(batches.map(\.graph)) : []
        let start = ContinuousClock.now
        let asked = writer.now
        ask { [token, replicas = options.replicas] (store) throws(RedisError) in
            try store.append(batches, fence: token, replicas: replicas, isReading: isReading)
        } then: { [weak self] result in
            self?.statistics.writeTime += start.duration(to: .now)
            self?.finish(flights, result, asked: asked)
        }
    }

    func finish(
        _ flights: [Track.Flight],
        _ result: Result<Appended, RedisError>,
        asked: UInt64
    ) {
        isWriting = false
        readByWriter = []
        statistics.writes += 1
        switch result {
        case .failure(let error): lose(error)
        case .success(let appended):
            if let time = appended.time {
                clock.note(time, asked: asked, now: writer.now, flights.map(\.batch))
            }
            for (flight, outcome) in zip(flights, appended.outcomes) {
                guard let track = tracks[flight.batch.graph] else { continue }
                switch outcome {
                case .success(let outcome):
                    flight.outcome = outcome
                    conclude(track)
                case .failure(let error):
                    lose(error)
                    // A script that is refused has done nothing.
                    refuse([flight], of: track)
                }
            }
            unread.append(contentsOf: appended.entries)
            takeUp()
            // What comes later in this turn goes along.
            writer.after(0) { [weak self] in
                self?.write()
                self?.follow()
            }
        }
    }

    /// Answers what nothing is missing for.
    func conclude(_ track: Track) {
        while let flight = track.flights.first, let outcome = flight.outcome {
            var unheard: [Outcome.Item]
            switch outcome {
            case .answered(let items, let rev):
                guard flight.left != nil || (!items.contains(.taken) && track.position.rev >= rev) else {
                    return
                }
                unheard = items
            case .seen(let rev):
                guard track.position.rev >= rev else { return }
                unheard = flight.tickets.indices.map { flight.left?.contains($0) ?? true ? .moved : .taken }
            case .otherEpoch(let rev):
                // Another instance was first to begin the graph.
                guard track.position.epoch != flight.batch.base.epoch, track.position.rev >= rev else {
                    if flight.batch.base.rev > 0 { mend(track) }
                    return
                }
                unheard = flight.tickets.map { _ in .moved }
            }
            track.flights.removeFirst()
            for (tickets, item) in zip(flight.tickets, unheard) {
                for ticket in tickets {
                    switch item {
                    case .confirmed: follower?.log(confirmed: ticket)
                    // One that was taken was answered when its entry came, if it was in that.
                    case .moved, .taken: follower?.log(moved: ticket)
                    case .known(let stamp, let changed, let key):
                        follower?.log(
                            repeated: ticket,
                            of: StoredKey(key, by: nil, stamp, changed: changed)
                        )
                    }
                }
            }
            track.note(concluded: flight.batch)
        }
    }

    /// No caller waits for these any more; those that the track no longer has were answered before.
    func refuse(_ flights: [Track.Flight], of track: Track) {
        let flights = track.flights.filter { flight in flights.contains { $0 === flight } }
        guard !flights.isEmpty else { return }
        track.flights.removeAll { flight in flights.contains { $0 === flight } }
        let refusal =
            health.refusal ?? (track.isBroken ? Self.brokenOff : LogHealth.outOfReach.refusal)
            ?? Self.brokenOff
        // Should they be taken after all, they are another's.
        formerNames.append(writerName)
        writerName = word()
        // What has come back was answered then.
        for ticket in flights.flatMap(\.tickets).joined() {
            follower?.log(refused: ticket, because: refusal)
        }
    }

    func refuseAll(of track: Track) {
        refuse(Array(track.flights), of: track)
        let waiting = track.waiting
        track.waiting = []
        for next in waiting { follower?.log(refused: next.ticket, because: health.refusal ?? Self.brokenOff) }
    }

    /// Asks Redis something on the writer's thread; the answer comes on the loop.
    func ask<Value: Sendable>(
        _ work: @escaping @Sendable (any StreamStore) throws(RedisError) -> Value,
        then answer: @escaping (Result<Value, RedisError>) -> Void
    ) {
        writer.run { [store] in
            Result { () throws(RedisError) in try work(store) }
        } then: {
            answer($0)
        }
    }
}
