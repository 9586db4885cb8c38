internal import Commits
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
    let isChosen: @Sendable (Configuration) -> Bool
    /// Looks at the store without changing it: a server may be using it.
    let check: @Sendable (Configuration) throws(StoreError) -> Void
    let open: @Sendable (Configuration, Loop, @escaping Note) throws -> OpenLog

    static let all: [LogEngine] = [sqlite, redis]
}

/// A log that is open, and what a server can do with it besides.
struct OpenLog {
    let log: any CommitLog
    /// Nil: the store is copied by its own means.
    var backup: Backup?
    /// Why commits may be missing.
    var broken: String?

    /// How the store is copied while it goes on.
    struct Backup {
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
        isChosen: { !$0.dataDir.isEmpty },
        check: { configuration throws(StoreError) in try StoreFolder.check(configuration.dataDir) },
        open: { configuration, loop, note in
            let log = try SQLiteLog(
                StoreFolder(configuration.dataDir),
                configuration.durability,
                keepRevs: UInt64(configuration.keepRevs),
                epoch: Epoch.make(),
                executor: ThreadExecutor(on: loop)
            )
            log.onEvent = note
            let backup = OpenLog.Backup(folder: configuration.dataDir) { log.backup(to: $0, $1) }
            return OpenLog(log: log, backup: backup, broken: log.broken)
        }
    )

    /// A Redis that several servers share.
    private static let redis = LogEngine(
        name: "redis",
        title: "Redis",
        format: RedisFormat.version,
        key: Keys().redisURL.name,
        isShared: true,
        isChosen: { $0.redisURL != nil },
        check: { configuration throws(StoreError) in
            try trusted(configuration)?.check(prefix: configuration.redisPrefix)
        },
        open: { configuration, loop, note in
            guard let address = try trusted(configuration) else {
                preconditionFailure("this log is not chosen")
            }
            var options = RedisLogOptions(
                address,
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
    )

    /// The address of the Redis, with the authorities that sign its certificate.
    private static func trusted(_ configuration: Configuration) throws(StoreError) -> RedisAddress? {
        guard var address = configuration.redisURL else { return nil }
        guard address.isSecure || configuration.redisAuthorities.isEmpty else {
            throw StoreError("'redis.ca' is for TLS, and 'redis.url' is not rediss://")
        }
        address.trust(configuration.redisAuthorities)
        return address
    }
}
