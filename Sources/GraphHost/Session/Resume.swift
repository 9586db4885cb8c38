internal import Support

/// Where a client was before its connection broke (`since`).
///
/// In mode `latest` the present value is all that counts, so a cursor of the present history can always resume,
/// and where nothing is newer the value is left out. Mode `all` resumes where nothing was missed, or where the node's
/// history still has everything that was. Private stages begin anew, and say so. So does what earlier values count
/// for, such as `filter`, where its chain was built after the cursor: it may hold something else than the client has, or nothing.
/// With a ticket a client takes over the chain that it had, and all of these go on (K-2).
struct Resume {
    /// Whether the subscription goes on where it was.
    let isResumed: Bool
    /// The last rev that the client has seen.
    let rev: UInt64
    /// What it shows to take over its chain (K-2); nil: nothing.
    let ticket: Ticket?
    /// Whether the client has shown anything as one.
    private let hasTicket: Bool
    /// Whether it was this server that the client was at; only where several share a log is that a question.
    private let isHere: Bool

    /// Reads the option; nil without it.
    init?(_ fields: Fields, in graph: LiveGraph) throws(HostError) {
        guard let field = fields["since"] else { return nil }
        guard let epoch = field["epoch"]?.string, let rev = field["rev"]?.int, rev >= 0 else {
            throw HostError(.badField, "since: an epoch and a rev are needed")
        }
        let shown = field["ticket"]
        guard shown == nil || shown?.kind == .string else {
            throw HostError(.badField, "since: the ticket is a string")
        }
        hasTicket = shown != nil
        ticket = shown?.string.flatMap { Ticket($0) }
        self.rev = UInt64(rev)
        isHere = !graph.host.isShared || field["local"]?.string == graph.host.instance
        isResumed = epoch == graph.epoch && self.rev <= graph.rev && self.rev >= graph.resumesFrom
    }

    /// What `Last-Event-ID` says, `epoch:rev`; anything else is no place in the present history.
    init(eventID text: String, in graph: LiveGraph) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let rev = parts.count == 2 ? UInt64(parts[1]) : nil
        (ticket, hasTicket) = (nil, false)
        self.rev = rev ?? 0
        isHere = !graph.host.isShared
        isResumed = rev.map { $0 <= graph.rev && $0 >= graph.resumesFrom && parts[0] == graph.epoch } ?? false
    }

    /// Whether earlier values count for what a pipeline emits.
    static func hasState(_ source: Source, _ pipe: [Stage]) -> Bool {
        pipe.reduce(source.operator.stateClass) { max($0, $1.stateClass) } != .none
    }

    /// What a subscription's pipeline has gone through since the cursor.
    struct Course {
        let source: Source
        let pipe: [Stage]
        /// The rev at which its inputs last changed.
        let change: UInt64
        /// The rev at which its chain was built; nil: there is none.
        let built: UInt64?
        /// The newest rev at which something was late.
        let late: UInt64
        /// Whether the client has taken over the chain that it had.
        let isKept: Bool
    }

    /// What becomes of it.
    struct Outcome {
        /// Whether the subscription goes on where it was.
        let isResumed: Bool
        /// Whether what it holds now may be something else than the client knows.
        let isNews: Bool
    }

    /// What becomes of it for a subscription, of which `missed` is known in mode `all`.
    func outcome(of course: Course, isAll: Bool, _ missed: Missed?) -> Outcome {
        let isPrivate = course.source.operator.isPrivate || course.pipe.contains(where: \.isPrivate)
        let hasState = Self.hasState(course.source, course.pipe)
        // It may hold something else than it would if it had been there at the cursor.
        let isNew = !course.isKept && hasState && course.built.map { $0 >= rev } ?? false
        let isLate = course.built != nil && course.late >= rev && course.late > 0
        // Private stages emit by themselves, so no rev says what the client knows.
        let isSame = course.change <= rev && !isNew && !isLate && !(course.isKept && isPrivate)
        // Without its chain, private stages begin anew, and another server has its own state.
        let goesOn = course.isKept || !isPrivate && (isHere || !hasState) && !(hasTicket && isNew)
        return Outcome(
            isResumed: isResumed && goesOn && (!isAll || isSame || missed?.isComplete == true),
            isNews: !isSame
        )
    }
}

/// What a `snap` tells of a node's history: all that the client missed, or the newest values it asked for.
struct Missed {
    /// Whether nothing newer than the cursor is missing.
    let isComplete: Bool
    private let ring: HistoryRing
    private let replay: Range<Int>
    private let newest: Range<Int>
    private let isAsked: Bool

    /// - Parameters:
    ///   - resume: where the client was.
    ///   - node: what it listens to.
    ///   - options: how.
    ///   - limit: how many bytes of values one `snap` may carry; a longer replay counts as none.
    init(since resume: Resume?, of node: NamedNode, _ options: SubscriptionOptions, atMost limit: Int) {
        ring = node.history
        let rest = ring.index(after: resume?.rev ?? .max)..<ring.count
        replay = ring.fitting(rest, bytes: limit)
        isComplete = replay == rest && (resume?.rev ?? 0) >= ring.from
        newest = ring.fitting(ring.newest(Int(options.history)), bytes: limit)
        isAsked = options.history > 0
    }

    /// What a client has missed that takes over the chain it had.
    init(since resume: Resume, _ emissions: KeptEmissions, atMost limit: Int) {
        ring = emissions.ring
        let rest = ring.index(after: resume.rev)..<ring.count
        replay = ring.fitting(rest, bytes: limit)
        isComplete =
            replay == rest && resume.rev >= ring.from && !emissions.isAmbiguous(at: resume.rev)
        newest = 0..<0
        isAsked = false
    }

    /// Appends `,"d":[…]` where there is something to tell.
    func append(isReplay: Bool, to buffer: inout ByteBuffer) {
        let range = isReplay ? replay : newest
        guard isReplay ? !range.isEmpty : isAsked else { return }
        buffer.append(",\"d\":")
        ring.append(range, to: &buffer)
    }
}

/// What a `snap` tells of the histories of several nodes, in mode `all`: all that the client missed.
struct GroupMissed {
    /// By commit; a node that emitted more than once in one has its further values in the next entry.
    private let entries: [(stamp: LogStamp, members: [(name: String, value: Datum?)])]

    /// Nil where something is missing, or where it is too long.
    ///
    /// - Parameters:
    ///   - rev: the last one that the client has seen.
    ///   - nodes: what it listens to.
    ///   - limit: how many bytes of values one `snap` may carry.
    init?(since rev: UInt64, of nodes: [NamedNode], atMost limit: Int) {
        var room = limit
        var found: [Place: [(name: String, value: Datum?)]] = [:]
        for node in nodes where node.lastChange.rev > rev || node.definedAt > rev {
            let ring = node.history
            guard node.definedAt <= rev, rev >= ring.from else { return nil }
            var place: Place?
            for index in ring.index(after: rev)..<ring.count {
                let entry = ring[index]
                room -= (entry.value?.byteCount ?? 0) + 64
                guard room >= 0 else { return nil }
                let turn = place.map { $0.stamp.rev == entry.stamp.rev ? $0.turn + 1 : 0 } ?? 0
                let here = Place(stamp: entry.stamp, turn: turn)
                found[here, default: []].append((node.name, entry.value))
                place = here
            }
        }
        entries = found.sorted { $0.key < $1.key }.map { ($0.key.stamp, $0.value) }
    }

    /// Appends `,"d":[{"rev":…,"t":…,"m":{…}}]` where there is something to tell.
    func append(to buffer: inout ByteBuffer) {
        guard !entries.isEmpty else { return }
        buffer.append(",\"d\":[")
        buffer.append(separated: entries) { entry, buffer in
            buffer.append("{\"rev\":")
            buffer.append(decimal: entry.stamp.rev)
            buffer.append(",\"t\":")
            buffer.append(decimal: entry.stamp.time)
            buffer.append(",\"m\":{")
            buffer.append(separated: entry.members) { member, buffer in
                GroupSubscription.append(member.name, member.value, to: &buffer)
            }
            buffer.append("}}")
        }
        buffer.append("]")
    }

    /// A commit, and the number of a node's emission in it.
    private struct Place: Hashable, Comparable {
        let stamp: LogStamp
        let turn: Int

        static func < (one: Place, other: Place) -> Bool {
            (one.stamp.rev, one.turn) < (other.stamp.rev, other.turn)
        }
    }
}
