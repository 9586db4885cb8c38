internal import GraphHost

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
    init?(_ reply: RedisReply) {
        let fields = reply.members
        guard fields.count == 6, let epoch = fields[0].text, let rev = fields[1].unsigned else { return nil }
        self.init(
            epoch: epoch,
            rev: rev,
            time: fields[2].unsigned ?? 0,
            id: fields[3].text ?? "",
            definition: fields[4].unsigned ?? 0,
            origin: DefinitionOrigin?(fields[5].text)
        )
    }

    /// Goes to where a stored snapshot stands, and returns that.
    mutating func take(snapshot reply: RedisReply) -> GraphSnapshot? {
        guard let rev = reply.members.first?.streamRev, let fields = reply.members.last?.fields else {
            return nil
        }
        (self.rev, time, id) = (rev, fields["t"]?.unsigned ?? 0, fields["i"]?.text ?? "")
        definition = fields["d"]?.unsigned ?? 0
        origin = DefinitionOrigin?(fields["o"]?.text)
        return GraphSnapshot(LogStamp(rev: rev, time: time), fields["b"]?.data ?? [])
    }
}

extension Outcome {
    /// What the script has answered.
    init(_ reply: RedisReply, to batch: Batch) throws(RedisError) {
        if case .error(let words) = reply { throw .refused(words) }
        let members = reply.members
        let rev = members.count > 1 ? members[1].unsigned ?? 0 : 0
        switch members.first?.text {
        case "seen": self = .seen(rev: rev)
        case "epoch": self = .otherEpoch(rev: rev)
        case "ok" where members.count == batch.items.count + 2:
            self = .answered(members.dropFirst(2).map { Item($0.text ?? "m") }, rev: rev)
        default: throw .refused("the script gave an unexpected answer")
        }
    }
}

extension Outcome.Item {
    /// The answer for one item.
    fileprivate init(_ text: String) {
        let parts = text.split(separator: " ")
        if text == "y" {
            self = .confirmed
            return
        }
        guard parts.count == 4, let rev = UInt64(parts[0]), let time = UInt64(parts[1]),
            let changed = Int(parts[2]), let digest = UInt128(parts[3])
        else {
            self = text.isEmpty ? .taken : .moved
            return
        }
        self = .known(LogStamp(rev: rev, time: time), changed: changed, digest: digest)
    }
}
