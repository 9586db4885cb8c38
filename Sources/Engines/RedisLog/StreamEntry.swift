internal import Commits
internal import Support

// What goes to and comes from the stream of one graph.

/// Where an instance stands with a graph: the last entry of the stream that it has applied.
struct StreamPosition: Hashable, Sendable {
    var epochs: Epochs
    /// The last commit in the entry.
    var rev: UInt64
    /// Milliseconds since 1970.
    var time: UInt64
    /// The entry's id, which no other entry ever has; empty before the first.
    var id: String
    /// The rev of the commit that made the definition in force; 0: the graph has not begun, or has
    /// ended.
    var definition: UInt64
    /// Where that definition comes from.
    var origin: DefinitionOrigin?

    /// The epoch of the entries that follow.
    var epoch: String { epochs.present }
}

/// One entry of a stream: the commits of one batch that were taken.
struct StreamEntry: Sendable {
    let graph: String
    let epoch: String
    let id: String
    /// The id of the entry before.
    let predecessor: String
    /// The first and last rev.
    let revs: ClosedRange<UInt64>
    /// Milliseconds since 1970.
    let time: UInt64
    /// The instance that wrote it, and the number of the batch.
    let writer: String
    let number: UInt64
    /// The places of the items that were not taken.
    let left: Set<Int>
    let commits: [LogEntry]

    /// Reads an entry as `XRANGE` and `XREAD` give it.
    ///
    /// - Throws: `RedisError.refused` where it is none that this program has written.
    init(_ reply: RedisReply, of graph: String) throws(RedisError) {
        let fields = reply.members.last?.fields ?? [:]
        func text(_ name: String) throws(RedisError) -> String {
            guard let text = fields[name]?.text else { throw Self.damaged(graph, reply) }
            return text
        }
        func number(_ name: String) throws(RedisError) -> UInt64 {
            guard let number = fields[name]?.unsigned else { throw Self.damaged(graph, reply) }
            return number
        }
        let count = try number("n")
        guard let rev = reply.members.first?.streamRev,
            let last = LogStamp(storedRev: rev, time: try number("t")), count > 0, count <= last.rev
        else {
            throw Self.damaged(graph, reply)
        }
        self.graph = graph
        revs = last.rev - count + 1...last.rev
        (epoch, id, predecessor, writer) = (try text("e"), try text("i"), try text("p"), try text("w"))
        (time, self.number) = (last.time, try number("s"))
        left = Set(try text("x").split(separator: ",").compactMap { Int($0) })
        guard let commits = Self.commits(fields["b"]?.data ?? [], count, graph) else {
            throw Self.damaged(graph, reply)
        }
        self.commits = commits
    }

    private static func commits(_ bytes: [UInt8], _ count: UInt64, _ graph: String) -> [LogEntry]? {
        bytes.withBorrowedBytes { bytes in
            var reader = LogBytesReader(bytes)
            var commits: [LogEntry] = []
            for _ in 0..<count {
                guard let entry = try? LogEntry(graph: graph, from: &reader) else { return nil }
                commits.append(entry)
            }
            return reader.isAtEnd ? commits : nil
        }
    }

    private static func damaged(_ graph: String, _ reply: RedisReply) -> RedisError {
        let id = reply.members.first?.text ?? "?"
        return .refused(
            "entry \(id) of the stream of graph \(graph) is not in a format of this version of Sluice"
        )
    }

    /// Where an instance stands that has applied it on top of `base`; with the first entry of a
    /// graph comes its epoch.
    func position(after base: StreamPosition, isFirst: Bool = false) -> StreamPosition {
        var position = base
        if isFirst { position.epochs = Epochs(epoch) }
        (position.rev, position.time, position.id) = (revs.upperBound, time, id)
        for (rev, commit) in zip(revs, commits) {
            switch commit.kind {
            case .define(_, let origin), .redefine(_, let origin):
                (position.definition, position.origin) = (rev, origin)
            case .remove: (position.definition, position.origin) = (0, nil)
            case .values, .tick, .drop, .expire: break
            }
        }
        return position
    }
}

extension RedisReply {
    /// The rev in the id of a stream's entry, which is `rev-0`: no two entries have the same rev.
    var streamRev: UInt64? {
        guard let text, text.hasSuffix("-0") else { return nil }
        return UInt64(text.dropLast(2))
    }
}
