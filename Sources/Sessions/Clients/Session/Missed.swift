internal import Graphs
internal import Commits
internal import Support
internal import Values

/// The part of a node's history in a `snap`: everything that the client missed, or the newest
/// values it asked for.
struct Missed {
    /// Whether nothing newer than the cursor is missing.
    let isComplete: Bool
    private let ring: HistoryRing
    private let replay: Range<Int>
    private let newest: Range<Int>
    private let isAsked: Bool

    /// What the client missed, or the newest values; a replay of more than `limit` bytes is left
    /// out.
    init(since resume: Resume?, of node: NamedNode, newest count: Int, atMost limit: Int) {
        ring = node.history
        let rest = ring.index(after: resume?.rev ?? .max)..<ring.count
        replay = ring.fitting(rest, bytes: limit)
        isComplete = replay == rest && (resume?.rev ?? 0) >= ring.from
        newest = ring.newest(count, bytes: limit)
        isAsked = count > 0
    }

    /// What a client has missed that takes over its former chain.
    init(since resume: Resume, _ emissions: KeptEmissions, atMost limit: Int) {
        ring = emissions.ring
        let rest = ring.index(after: resume.rev)..<ring.count
        replay = ring.fitting(rest, bytes: limit)
        isComplete =
            replay == rest && resume.rev >= ring.from && !emissions.isAmbiguous(at: resume.rev)
        newest = 0..<0
        isAsked = false
    }

    /// Appends `,"d":[…]`, if there is something to send; with `causes` the emissions have theirs.
    func append(isReplay: Bool, causes: Bool, to buffer: inout ByteBuffer) {
        let range = isReplay ? replay : newest
        guard isReplay ? !range.isEmpty : isAsked else { return }
        buffer.member("d")
        ring.append(range, causes: causes, to: &buffer)
    }
}

/// The part of several nodes' histories in a `snap`, in mode `all`: everything that the client
/// missed.
struct GroupMissed {
    /// By commit; a node's further values in the same commit are in the next entries.
    private let entries: [(stamp: LogStamp, members: [(name: String, value: Datum?)])]

    /// Nil if something is missing, or if it has more than `limit` bytes of values.
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

    /// Appends `,"d":[{"rev":…,"t":…,"m":{…}}]`, if there is something to send.
    func append(to buffer: inout ByteBuffer) {
        guard !entries.isEmpty else { return }
        buffer.member("d", objects: entries) { entry, buffer in
            buffer.member("rev", entry.stamp.rev)
            buffer.member("t", entry.stamp.time)
            buffer.member("m") { buffer in
                buffer.append(separated: entry.members) { member, buffer in
                    GroupSubscription.append(member.name, member.value, to: &buffer)
                }
            }
        }
    }

    /// A commit, and the index of a node's emission in it.
    private struct Place: Hashable, Comparable {
        let stamp: LogStamp
        let turn: Int

        static func < (one: Place, other: Place) -> Bool {
            (one.stamp.rev, one.turn) < (other.stamp.rev, other.turn)
        }
    }
}
