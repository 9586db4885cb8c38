/// A commit: a revision of one history of a graph.
public struct Cursor: Sendable, Hashable, Codable {
    /// The history.
    ///
    /// Revisions can be compared within one epoch only.
    public var epoch: String
    /// The number of the commit.
    public var rev: Int

    /// Makes a cursor, for example one that was stored.
    public init(epoch: String, rev: Int) {
        self.epoch = epoch
        self.rev = rev
    }

    init?(_ message: JSONObject) {
        guard let epoch = message["epoch"]?.string, let rev = message["rev"]?.int else { return nil }
        self.init(epoch: epoch, rev: rev)
    }

    var json: JSONValue { ["epoch": .string(epoch), "rev": .integer(Int64(rev))] }
}

/// What the server answers to a set that it has accepted.
public struct Applied: Sendable, Hashable {
    /// The commit; `nil` if every node was skipped.
    public let cursor: Cursor?
    /// Nodes that were not set because the value has passed them (``SetOptions/path``).
    public let skipped: [String]
    /// The results of ``SluiceClient/update(_:_:options:)``.
    public let values: JSONObject
    /// Whether this is the answer to an earlier request with the same key.
    public let isReplayed: Bool

    init(_ answer: JSONObject) {
        cursor = Cursor(answer)
        skipped = answer["skipped"]?.array?.compactMap(\.string) ?? []
        values = answer["values"]?.object ?? [:]
        isReplayed = answer["replayed"]?.bool ?? false
    }
}

/// The values of several nodes at one commit.
public struct Snapshot: Sendable, Hashable {
    /// The commit.
    public let cursor: Cursor
    /// What each node holds.
    public let members: [String: Member]
    /// How many nodes that match are left out, because there are too many.
    public let more: Int

    init?(_ answer: JSONObject) {
        guard let cursor = Cursor(answer) else { return nil }
        self.cursor = cursor
        members = (answer["m"]?.object ?? [:]).mapValues { Member($0.object ?? [:]) }
        more = answer["more"]?.int ?? 0
    }

    /// The value of a node.
    ///
    /// - Returns: `nil` if the node is empty, failed, or is not in the snapshot.
    /// - Throws: `DecodingError` if it does not have that type.
    public func value<Value: Decodable>(_ name: String, as type: Value.Type = Value.self) throws -> Value? {
        try members[name]?.value.map { try JSONText.convert($0, to: type) }
    }
}
