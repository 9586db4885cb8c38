internal import EventLoop
internal import GraphHost
internal import Logging
internal import RedisLog
internal import SQLiteLog

// The store of the graphs' commits, chosen here and nowhere else.
extension CommitStore {
    /// Opens the configured store: none, a log in `dataDir`, or one in Redis; throws if it cannot
    /// be used.
    static func open(
        _ configuration: Configuration,
        on loop: Loop,
        _ logger: Logger
    ) throws(StartFailure) -> CommitStore {
        let note = { (isProblem: Bool, what: String) in
            logger.log(level: isProblem ? .error : .notice, "the store", metadata: ["what": "\(what)"])
        }
        do {
            if let address = configuration.redisURL {
                guard configuration.dataDir.isEmpty else {
                    throw StoreError(
                        "commits are kept in 'dataDir' or in 'redis.url', not in both",
                        hint: "set dataDir: ''"
                    )
                }
                let log = try openRedis(address, configuration, on: loop)
                log.onEvent = note
                return .log(log)
            }
            guard !configuration.dataDir.isEmpty else { return .memory(epoch: Epoch.make()) }
            let log = try SQLiteLog(
                StoreFolder(configuration.dataDir),
                configuration.durability,
                keepRevs: UInt64(configuration.keepRevs),
                epoch: Epoch.make(),
                executor: ThreadExecutor(on: loop)
            )
            log.onEvent = note
            if let broken = log.broken {
                logger.warning(
                    "commits may be missing: every graph begins a new epoch",
                    metadata: ["why": "\(broken)"]
                )
            }
            return .log(log)
        } catch {
            throw StartFailure(["\(error)"])
        }
    }

    private static func openRedis(
        _ address: RedisAddress,
        _ configuration: Configuration,
        on loop: Loop
    ) throws -> RedisLog {
        guard address.isSecure || configuration.redisAuthorities.isEmpty else {
            throw StoreError("'redis.ca' is for TLS, and 'redis.url' is not rediss://")
        }
        var address = address
        address.trust(configuration.redisAuthorities)
        var options = RedisLog.Options(
            address,
            prefix: configuration.redisPrefix,
            keepRevs: UInt64(configuration.keepRevs)
        )
        options.replicas = configuration.redisReplicas
        return try RedisLog(
            options,
            word: Epoch.make,
            writer: ThreadExecutor(on: loop),
            listener: ThreadExecutor(on: loop)
        )
    }
}
