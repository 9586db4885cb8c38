public import Commits

/// Reads what Redis has, through a connection of its own for each question, on any thread.
public struct RedisReader: LogReader {
    private let address: RedisAddress
    private let keys: RedisKeys
    /// How many entries are read at once.
    private static let page = 1_000

    /// A reader of what is under that prefix.
    public init(_ address: RedisAddress, prefix: String) {
        self.address = address
        keys = RedisKeys(prefix: prefix)
    }

    /// Answers a question with a connection.
    private func ask<Value>(_ body: (RedisConnection) throws(RedisError) -> Value) throws(StoreError) -> Value
    {
        do throws(RedisError) {
            return try body(try RedisConnection(address, patience: RedisStore.patience))
        } catch {
            throw StoreError("Redis at \(address.description): \(error.description)")
        }
    }

    public func revs(of graph: String) throws(StoreError) -> ClosedRange<UInt64>? {
        try ask { (connection) throws(RedisError) in
            func end(_ command: String, _ key: String) throws(RedisError) -> RedisReply? {
                let range = command == "XRANGE" ? ["-", "+"] : ["+", "-"]
                return try connection.ask(RedisCommand(command, key, range[0], range[1], "COUNT", "1"))
                    .members.first
            }
            let base = try end("XRANGE", keys.snapshots(graph)).map { (snapshot) throws(RedisError) in
                try Self.snapshot(snapshot, of: graph).stamp.rev
            }
            let last = try end("XREVRANGE", keys.log(graph)).map { (entry) throws(RedisError) in
                try StreamEntry(entry, of: graph).revs.upperBound
            }
            guard let last else { return base.map { $0...$0 } }
            let first = try end("XRANGE", keys.log(graph)).map { (entry) throws(RedisError) in
                try StreamEntry(entry, of: graph).revs.lowerBound
            }
            guard let from = first == 1 ? 1 : base, from <= last else { return nil }
            return from...last
        }
    }

    public func snapshot(of graph: String, notAfter rev: UInt64) throws(StoreError) -> GraphSnapshot? {
        try ask { (connection) throws(RedisError) in
            let found = try connection.ask(
                RedisCommand("XREVRANGE", keys.snapshots(graph), "\(rev)-0", "-", "COUNT", "1")
            )
            return try found.members.first.map { (found) throws(RedisError) in
                try Self.snapshot(found, of: graph)
            }
        }
    }

    private static func snapshot(_ reply: RedisReply, of graph: String) throws(RedisError) -> GraphSnapshot {
        var position = StreamPosition(epochs: Epochs(""), rev: 0, time: 0, id: "", definition: 0)
        return try position.take(snapshot: reply, of: graph)
    }

    public func entries(
        of graph: String,
        in revs: ClosedRange<UInt64>,
        _ visit: (LogEntry, LogStamp) throws(StoreError) -> Bool
    ) throws(StoreError) {
        var next = "\(revs.lowerBound)-0"
        while true {
            let page = try ask { (connection) throws(RedisError) in
                let command = RedisCommand("XRANGE", keys.log(graph), next, "+", "COUNT", String(Self.page))
                var entries: [StreamEntry] = []
                for reply in try connection.ask(command).members {
                    entries.append(try StreamEntry(reply, of: graph))
                }
                return entries
            }
            for entry in page {
                for (rev, commit) in zip(entry.revs, entry.commits) where rev >= revs.lowerBound {
                    guard rev <= revs.upperBound, try visit(commit, LogStamp(rev: rev, time: entry.time))
                    else {
                        return
                    }
                }
            }
            guard page.count == Self.page, let last = page.last else { return }
            next = "\(last.revs.upperBound)-1"
        }
    }

    /// None: Redis itself knows the keys.
    public func keys(of graph: String, since time: UInt64) throws(StoreError) -> [StoredKey] { [] }
}

extension LoadedGraph: LogReader {
    func revs(of graph: String) throws(StoreError) -> ClosedRange<UInt64>? {
        let first = snapshot?.stamp.rev ?? entries.first?.revs.lowerBound
        return first.map { $0...position.rev }
    }

    func snapshot(of graph: String, notAfter rev: UInt64) throws(StoreError) -> GraphSnapshot? {
        snapshot.flatMap { $0.stamp.rev <= rev ? $0 : nil }
    }

    func entries(
        of graph: String,
        in revs: ClosedRange<UInt64>,
        _ visit: (LogEntry, LogStamp) throws(StoreError) -> Bool
    ) throws(StoreError) {
        for entry in entries {
            for (rev, commit) in zip(entry.revs, entry.commits) where revs.contains(rev) {
                guard try visit(commit, LogStamp(rev: rev, time: entry.time)) else { return }
            }
        }
    }

    func keys(of graph: String, since time: UInt64) throws(StoreError) -> [StoredKey] { [] }
}
