internal import EventLoop
public import GraphHost
internal import RedisLog
internal import SQLiteLog

/// What servers have kept, for the command line: none has to be running.
public struct StoredLog {
    private let reader: any LogReader

    /// Opens the log of a folder for reading.
    ///
    /// - Throws: ``StoreError`` where there is none, or of another version.
    public init(folder: String) throws(StoreError) {
        reader = try StoreReader(database: "\(folder)/\(StoreFolder.databaseName)")
    }

    /// Reads what is in a Redis, as `redis.url` and `redis.prefix` of the configuration name it.
    ///
    /// - Parameters:
    ///   - url: where it is.
    ///   - authorities: path of the file of authorities, as `redis.ca`; nil: those that the system trusts.
    ///   - prefix: what the names of its keys begin with.
    /// - Throws: ``StoreError`` where the address is invalid.
    public init(redis url: String, authorities: String?, prefix: String) throws(StoreError) {
        guard var address = RedisAddress(url) else {
            throw StoreError(
                "'\(url)' is not the address of a Redis",
                hint: "redis://host:port, rediss://host:port, or unix:path"
            )
        }
        address.trust(authorities ?? "")
        reader = RedisReader(address, prefix: prefix)
    }

    /// A play of one graph's log to a rev, or to the end.
    public func replay(_ graph: String, to rev: UInt64?) throws(StoreError) -> Replay {
        try Replay(graph, from: reader, to: rev) { DefinitionOptions(Configuration()) }
    }

    /// Plays a log on the definition of a file.
    ///
    /// - Throws: ``StartFailure`` with everything that is wrong with the file, or ``StoreError``.
    public func replay(_ replay: Replay, with file: String) throws -> Replay.Outcome {
        try replay.run { options in
            let (definition, problems) = GraphFolder.read(file: file, options)
            guard let definition else { throw StartFailure(problems) }
            return definition
        }
    }
}

/// A copy of all that a server has kept, as `GET /v1/backup` gives it out.
public struct StoredBackup {
    private let reader: StoreReader

    /// Opens it for reading.
    ///
    /// - Throws: ``StoreError`` where it is none, or of another version.
    public init(_ path: String) throws(StoreError) {
        reader = try StoreReader(database: path)
    }

    /// The graphs in it, and the revs at which each can be rebuilt.
    public func graphs() throws(StoreError) -> [(name: String, revs: ClosedRange<UInt64>?)] {
        var graphs: [(name: String, revs: ClosedRange<UInt64>?)] = []
        for graph in try reader.graphs() { graphs.append((graph.name, try reader.revs(of: graph.name))) }
        return graphs
    }

    /// Puts a copy into a folder that has none, where a server can be started on it: in a new epoch, because what was answered
    /// after the copy was made is not in it.
    public func restore(into folder: String) throws(StoreError) {
        try reader.restore(into: folder)
    }
}
