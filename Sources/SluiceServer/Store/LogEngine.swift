internal import Commits
internal import Definitions
internal import EventLoop
internal import RedisLog
internal import SQLiteLog

/// A kind of log in which commits can be kept: one row.
///
/// Start and `sluice check`, `GET /v1/backup`, and the formats of `GET /version` are made from the
/// rows.
struct LogEngine: Sendable {
    /// Reports what happens to the store, and whether it is a problem.
    typealias Note = (_ isProblem: Bool, _ what: String) -> Void

    /// Its name among the formats of `GET /version`.
    let name: String
    /// Its name for people.
    let title: String
    /// The format of stored data that it reads and writes.
    let format: Int
    /// The key of the configuration that chooses it.
    let key: String
    /// Whether several servers can write one log together.
    let isShared: Bool
    /// What `GET /v1/backup` sends; nil: the store is copied with its own tools.
    let copy: Copy?
    /// The log that the configuration chooses; nil: it chooses none of this kind.
    let choice: @Sendable (Configuration) -> Choice?

    static let all: [LogEngine] = [sqlite, redis]

    /// A log that a configuration chooses.
    struct Choice {
        /// Looks at the store without changing it: a server may be using it.
        let check: () throws(StoreError) -> Void
        let open: (Loop, @escaping Note) throws -> OpenLog
    }

    /// The form of a copy.
    struct Copy {
        /// For people.
        let title: String
        /// The media type.
        let type: String
        /// The end of its file's name.
        let suffix: String
    }

    /// Why a server with that configuration has no copies.
    static func noCopy(_ configuration: Configuration) -> String {
        if let log = all.first(where: { $0.choice(configuration) != nil }) {
            return "there is nothing to back up here: back up what is in \(log.title) with its own tools"
        }
        let keys = all.filter { $0.copy != nil }.map { "'\($0.key)'" }.joined(separator: " or ")
        return
            "there is nothing to back up: the configuration has no \(keys), so values are kept in memory only"
    }
}

/// A log that is open, and what a server can do with it besides.
struct OpenLog {
    let log: any CommitLog
    var backup: Backup?
    /// Why commits may be missing.
    var broken: String?

    /// How the store is copied while it goes on.
    struct Backup {
        let form: LogEngine.Copy
        /// The folder in which the copy is made.
        let folder: String
        /// Copies it into a new file, and reports what was wrong.
        let write: (_ path: String, _ done: @escaping (StoreError?) -> Void) -> Void
    }
}

extension LogEngine {
    /// A database in a folder of one server.
    private static let sqlite = LogEngine(
        name: "sqlite",
        title: "SQLite",
        format: SQLiteLog.format,
        key: Keys().dataDir.name,
        isShared: false,
        copy: database,
        choice: { configuration in
            let folder = configuration.dataDir
            guard !folder.isEmpty else { return nil }
            return Choice { () throws(StoreError) in
                try StoreFolder.check(folder)
            } open: { loop, note in
                let log = try SQLiteLog(
                    StoreFolder(folder),
                    configuration.durability,
                    keepRevs: UInt64(configuration.keepRevs),
                    epoch: Epoch.make(),
                    executor: ThreadExecutor(on: loop)
                )
                log.onEvent = note
                let backup = OpenLog.Backup(form: database, folder: folder) { log.backup(to: $0, $1) }
                return OpenLog(log: log, backup: backup, broken: log.broken)
            }
        }
    )

    private static let database = Copy(
        title: "a SQLite database",
        type: "application/vnd.sqlite3",
        suffix: ".db"
    )

    /// A Redis that several servers share.
    private static let redis = LogEngine(
        name: "redis",
        title: "Redis",
        format: RedisFormat.version,
        key: Keys().redisURL.name,
        isShared: true,
        copy: nil,
        choice: { configuration in
            guard let address = configuration.redisURL else { return nil }
            return Choice { () throws(StoreError) in
                try trusted(address, configuration).check(prefix: configuration.redisPrefix)
            } open: { loop, note in
                var options = RedisLogOptions(
                    try trusted(address, configuration),
                    prefix: configuration.redisPrefix,
                    keepRevs: UInt64(configuration.keepRevs)
                )
                options.replicas = configuration.redisReplicas
                let log = try RedisLog(
                    options,
                    word: Epoch.make,
                    writer: ThreadExecutor(on: loop),
                    listener: ThreadExecutor(on: loop)
                )
                log.onEvent = note
                return OpenLog(log: log)
            }
        }
    )

    /// The address of a Redis, with the authorities that sign its certificate.
    private static func trusted(
        _ address: RedisAddress,
        _ configuration: Configuration
    ) throws(StoreError) -> RedisAddress {
        var address = address
        guard address.isSecure || configuration.redisAuthorities.isEmpty else {
            throw StoreError("'redis.ca' is for TLS, and 'redis.url' is not rediss://")
        }
        address.trust(configuration.redisAuthorities)
        return address
    }
}
