internal import Commits
internal import EventLoop
internal import Graphs
internal import Logging
internal import RedisLog
internal import SQLiteLog
internal import Values

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
            try checkChoice(configuration)
            if let address = configuration.redisURL {
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

    /// The problems with the configured store, which is looked at and not changed: a server may be
    /// using it.
    static func problems(of configuration: Configuration) -> [FileProblem] {
        do throws(StoreError) {
            try checkChoice(configuration)
            if let address = configuration.redisURL {
                try trusted(address, configuration).check(prefix: configuration.redisPrefix)
            } else if !configuration.dataDir.isEmpty {
                try StoreFolder.check(configuration.dataDir)
            }
            return []
        } catch {
            return [FileProblem(error.message, hint: error.hint)]
        }
    }

    private static func checkChoice(_ configuration: Configuration) throws(StoreError) {
        guard configuration.redisURL == nil || configuration.dataDir.isEmpty else {
            throw StoreError(
                "commits are kept in 'dataDir' or in 'redis.url', not in both",
                hint: "set dataDir: ''"
            )
        }
    }

    private static func trusted(
        _ address: RedisAddress,
        _ configuration: Configuration
    ) throws(StoreError) -> RedisAddress {
        guard address.isSecure || configuration.redisAuthorities.isEmpty else {
            throw StoreError("'redis.ca' is for TLS, and 'redis.url' is not rediss://")
        }
        var address = address
        address.trust(configuration.redisAuthorities)
        return address
    }

    private static func openRedis(
        _ address: RedisAddress,
        _ configuration: Configuration,
        on loop: Loop
    ) throws -> RedisLog {
        var options = RedisLogOptions(
            try trusted(address, configuration),
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
