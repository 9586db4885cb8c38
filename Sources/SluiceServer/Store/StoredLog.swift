public import Commits
internal import Definitions
public import Graphs
internal import RedisLog
internal import SQLiteLog

/// The log of servers, for the command line; no server need be running.
public struct StoredLog {
    private let reader: any LogReader

    /// Opens the log of a folder for reading; throws if there is none, or it has another version.
    public init(folder: String) throws(StoreError) {
        reader = try StoreReader(database: "\(folder)/\(StoreFolder.databaseName)")
    }

    /// Opens the log in a Redis, as `redis.url`, `redis.ca` and `redis.prefix` of the configuration
    /// name it.
    ///
    /// - Throws: ``StoreError`` if the address is invalid.
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

    /// A replay of one graph's log to a rev, or to the end.
    public func replay(_ graph: String, to rev: UInt64?) throws(StoreError) -> Replay {
        try Replay(graph, from: reader, to: rev) { DefinitionOptions(Configuration()) }
    }

    /// Replays a log on the definition of a file.
    ///
    /// - Throws: ``StartFailure`` with all problems of the file, or ``StoreError``.
    public func replay(_ replay: Replay, with file: String) throws -> Replay.Outcome {
        try replay.run { options in
            let (definition, problems) = GraphFolder.read(file: file, options)
            guard let definition else { throw StartFailure(problems) }
            return definition
        }
    }
}

/// A backup, as made by `GET /v1/backup`.
public struct StoredBackup {
    private let reader: StoreReader

    /// Opens it for reading; throws if it is not a backup, or has another version.
    public init(_ path: String) throws(StoreError) {
        reader = try StoreReader(database: path)
    }

    /// The graphs in it, and the revs at which each can be rebuilt.
    public func graphs() throws(StoreError) -> [(name: String, revs: ClosedRange<UInt64>?)] {
        var graphs: [(name: String, revs: ClosedRange<UInt64>?)] = []
        for graph in try reader.graphs() { graphs.append((graph.name, try reader.revs(of: graph.name))) }
        return graphs
    }

    /// Restores a backup into a folder without data, on which a server can be started: in a new
    /// epoch, because commits answered after the backup are missing.
    public func restore(into folder: String) throws(StoreError) {
        try reader.restore(into: folder)
    }
}
