internal import Support

/// Where a client was before its connection broke (`since`).
///
/// In mode `latest` the present value is all that counts, so a cursor of the present history can always resume,
/// and where nothing is newer the value is left out. Mode `all` resumes where nothing was missed, or where the node's
/// history still has everything that was. Private stages begin anew, and say so. So does what earlier values count
/// for, such as `filter`, where its chain was built after the cursor: it may hold something else than the client has, or nothing.
struct Resume {
    /// Whether the subscription goes on where it was.
    let isResumed: Bool
    /// The last rev that the client has seen.
    let rev: UInt64
    /// Whether it was this server that the client was at; only where several share a log is that a question.
    private let isHere: Bool

    /// Reads the option; nil without it.
    init?(_ fields: Fields, in graph: LiveGraph) throws(HostError) {
        guard let field = fields["since"] else { return nil }
        guard let epoch = field["epoch"]?.string, let rev = field["rev"]?.int, rev >= 0 else {
            throw HostError(.badField, "since: an epoch and a rev are needed")
        }
        self.rev = UInt64(rev)
        isHere = !graph.host.isShared || field["local"]?.string == graph.host.instance
        isResumed = epoch == graph.epoch && self.rev <= graph.rev && self.rev >= graph.resumesFrom
    }

    /// What `Last-Event-ID` says, `epoch:rev`; anything else is no place in the present history.
    init(eventID text: String, in graph: LiveGraph) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let rev = parts.count == 2 ? UInt64(parts[1]) : nil
        self.rev = rev ?? 0
        isHere = !graph.host.isShared
        isResumed = rev.map { $0 <= graph.rev && $0 >= graph.resumesFrom && parts[0] == graph.epoch } ?? false
    }

    /// Whether a pipeline that was `built` at some rev may hold something else than it would if it had been there at the cursor,
    /// or than the client was told by then, because something was `late`.
    func isForgetful(_ source: Source, _ pipe: [Stage], built: UInt64?, late: UInt64) -> Bool {
        guard let built else { return false }
        if late >= rev, late > 0 { return true }
        guard built >= rev else { return false }
        return Self.hasState(source, pipe)
    }

    /// Whether earlier values count for what a pipeline emits.
    static func hasState(_ source: Source, _ pipe: [Stage]) -> Bool {
        pipe.reduce(source.operator.stateClass) { max($0, $1.stateClass) } != .none
    }

    private init(isResumed: Bool, rev: UInt64, isHere: Bool) {
        (self.isResumed, self.rev, self.isHere) = (isResumed, rev, isHere)
    }

    /// What becomes of it for a pipeline whose inputs last changed at `change`, and which may have forgotten, if `isForgetful`, what it
    /// held at the cursor.
    func settled(
        for source: Source,
        _ pipe: [Stage],
        change: UInt64,
        isForgetful: Bool,
        isAll: Bool,
        _ missed: Missed?
    ) -> Resume {
        let isComplete = !isAll || (change <= rev && !isForgetful) || missed?.isComplete == true
        let isPrivate = source.operator.isPrivate || pipe.contains(where: \.isPrivate)
        // Another server has its own state for that pipeline.
        let isElsewhere = !isHere && Self.hasState(source, pipe)
        return Resume(
            isResumed: isResumed && isComplete && !isPrivate && !isElsewhere,
            rev: rev,
            isHere: isHere
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
        newest = ring.fitting(ring.newest(options.history), bytes: limit)
        isAsked = options.history > 0
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
