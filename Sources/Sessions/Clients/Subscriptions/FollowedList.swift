internal import Graphs
internal import Commits
internal import Support

/// What a sink sends of the nodes that match a glob (docs/sinks.md).
public struct FollowRules: Sendable {
    public let glob: String
    /// Whether every value is sent, none left out.
    public let isAll: Bool
    /// Not in mode `all`: whether a value is sent again that the receiver has.
    public let repeats: Bool
    /// In mode `all`: how many changes may wait, and bytes of them; then the oldest is dropped.
    public let queue: Int
    public let queueBytes: Int
    /// The most changes of one list, and bytes; a single change may have more.
    public let most: Int
    public let mostBytes: Int

    public init(
        glob: String,
        isAll: Bool,
        repeats: Bool,
        queue: Int,
        queueBytes: Int,
        most: Int,
        mostBytes: Int
    ) {
        self.glob = glob
        self.isAll = isAll
        self.repeats = repeats
        self.queue = queue
        self.queueBytes = queueBytes
        self.most = most
        self.mostBytes = mostBytes
    }
}

/// Changes that a sink sends with one request.
public struct FollowedList {
    /// JSON: `{"graph","epoch","d":[{"node","rev","t","v"|"empty"|"fail"|"gone"}]}`.
    public let body: [UInt8]
    /// How many changes it has.
    public let count: Int
    /// The newest rev among them.
    public let rev: UInt64
}

/// What became of a list that was sent.
public enum FollowedOutcome {
    case arrived
    /// It may arrive later.
    case failed
    /// It makes no sense to try again.
    case refused
}

/// A list that is being written.
struct FollowedListWriter: ~Copyable {
    private let graph: LiveGraph
    private let rules: FollowRules
    private var buffer = ByteBuffer()
    private var count = 0
    private var rev: UInt64 = 0

    init(of graph: LiveGraph, _ rules: FollowRules) {
        self.graph = graph
        self.rules = rules
        buffer.append("{")
        buffer.member("graph", graph.name)
        buffer.member("epoch", graph.epochs.present)
        buffer.append(",\"d\":[")
    }

    /// Whether there is room for another change.
    func hasRoom(for change: FollowedChange) -> Bool {
        count == 0 || (count < rules.most && buffer.count + change.bytes <= rules.mostBytes)
    }

    mutating func append(_ change: FollowedChange) {
        if count > 0 { buffer.append(",") }
        change.append(of: graph, to: &buffer)
        count += 1
        rev = max(rev, change.stamp.rev)
    }

    /// The list; nil if nothing is on it.
    mutating func list() -> FollowedList? {
        guard count > 0 else { return nil }
        buffer.append("]}")
        return FollowedList(body: Array(buffer.bytes), count: count, rev: rev)
    }
}
