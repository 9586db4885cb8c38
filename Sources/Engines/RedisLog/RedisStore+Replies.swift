internal import Commits

// What the replies of Redis mean.

/// A graph as Redis has it.
struct LoadedGraph: Sendable {
    let graph: String
    /// Where it stands after the last of the entries.
    let position: StreamPosition
    let snapshot: GraphSnapshot?
    /// What came after the snapshot.
    let entries: [StreamEntry]
}

extension DefinitionOrigin? {
    /// As Redis has it.
    var text: String { map { String($0.rawValue) } ?? "" }

    fileprivate init(_ text: String?) {
        self = text.flatMap { UInt8($0) }.flatMap { DefinitionOrigin(rawValue: $0) }
    }
}

extension StreamPosition {
    /// What `HMGET` says of a graph; nil: there has never been one.
    ///
    /// - Throws: `RedisError.refused` where the rev or the time is none that a commit can have.
    init?(_ reply: RedisReply, of graph: String) throws(RedisError) {
        let fields = reply.members
        guard fields.count == 7, let epoch = fields[0].text else { return nil }
        guard let rev = fields[1].unsigned,
            let stamp = LogStamp(storedRev: rev, time: fields[2].unsigned ?? 0)
        else {
            throw .refused("the rev or the time of graph \(graph) is out of range")
        }
        self.init(
            epochs: Epochs(epoch, earlier: fields[6].text ?? ""),
            rev: stamp.rev,
            time: stamp.time,
            id: fields[3].text ?? "",
            definition: fields[4].unsigned ?? 0,
            origin: DefinitionOrigin?(fields[5].text)
        )
    }

    /// Goes to where a stored snapshot of a graph stands, and returns that.
    ///
    /// - Throws: `RedisError.refused` where its rev or time is none that a commit can have.
    mutating func take(snapshot reply: RedisReply, of graph: String) throws(RedisError) -> GraphSnapshot {
        let fields = reply.members.last?.fields ?? [:]
        guard let rev = reply.members.first?.streamRev,
            let stamp = LogStamp(storedRev: rev, time: fields["t"]?.unsigned ?? 0)
        else {
            let id = reply.members.first?.text ?? "?"
            throw .refused("the rev or the time of snapshot \(id) of graph \(graph) is out of range")
        }
        (self.rev, time, id) = (stamp.rev, stamp.time, fields["i"]?.text ?? "")
        definition = fields["d"]?.unsigned ?? 0
        origin = DefinitionOrigin?(fields["o"]?.text)
        return GraphSnapshot(stamp, fields["b"]?.data ?? [])
    }
}

extension Pulse {
    /// What the script has answered.
    init(_ reply: RedisReply) throws(RedisError) {
        let members = reply.members
        guard members.count == 4, let token = members[0].unsigned, let time = members[1].unsigned,
            LogStamp.times.contains(time)
        else {
            throw Outcome.unexpected
        }
        let files = members[3].fields.compactMapValues(\.text)
        self.init(
            token: token,
            time: time,
            signs: members[2].fields.compactMapValues(\.text),
            files: files.mapValues { Set($0.split(separator: " ").map(String.init)) }
        )
    }
}

extension Outcome {
    /// Redis' time in the script's answer, in milliseconds since 1970.
    static func time(in reply: RedisReply) -> UInt64? {
        let members = reply.members
        guard members.count > 2, let time = members[2].unsigned, LogStamp.times.contains(time) else {
            return nil
        }
        return time
    }

    /// What the script has answered.
    init(_ reply: RedisReply, to batch: Batch) throws(RedisError) {
        if case .error(let words) = reply { throw .refused(words) }
        let members = reply.members
        guard let rev = members.count > 1 ? members[1].rev : 0 else { throw Self.unexpected }
        switch members.first?.text {
        case "seen": self = .seen(rev: rev)
        case "epoch": self = .otherEpoch(rev: rev)
        case "ok" where members.count == batch.items.count + 3:
            var items: [Item] = []
            for member in members.dropFirst(3) { items.append(try Item(member.text ?? "m")) }
            self = .answered(items, rev: rev)
        default: throw Self.unexpected
        }
    }

    fileprivate static var unexpected: RedisError { .refused("the script gave an unexpected answer") }
}

extension Outcome.Item {
    /// The answer for one item.
    fileprivate init(_ text: String) throws(RedisError) {
        let parts = text.split(separator: " ", maxSplits: 4)
        if text == "y" {
            self = .confirmed
            return
        }
        guard parts.count >= 4, let rev = UInt64(parts[0]), let time = UInt64(parts[1]),
            let changed = Int(parts[2]), let digest = UInt128(parts[3])
        else {
            self = text.isEmpty ? .taken : .moved
            return
        }
        guard let stamp = LogStamp(storedRev: rev, time: time) else { throw Outcome.unexpected }
        let values = parts.count > 4 ? Array(parts[4].utf8) : []
        self = .known(stamp, changed: changed, LogEntry.Key("", digest: digest, values: values))
    }
}
