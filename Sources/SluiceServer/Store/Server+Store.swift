internal import EventLoop
internal import GraphHost
internal import Logging
internal import RedisLog
internal import SQLiteLog

// The store of the graphs' commits, chosen here and nowhere else.
extension Server {
    /// Opens the configured store: none, a log in `dataDir`, or one in Redis.
    ///
    /// - Throws: ``StartFailure`` if it cannot be used.
    static func openStore(
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

    /// Restores the graphs that clients have defined.
    ///
    /// Graphs of files are restored with their files, or if other servers have the file.
    func restoreGraphs() throws(StartFailure) {
        for stored in host.storedGraphs where stored.origin == .client || host.isShared {
            do throws(StoreError) {
                _ = try host.restore(graph: stored.name)
            } catch {
                throw StartFailure(["\(error)"])
            }
        }
    }

    /// Waits until the graphs have started, and reports stored graphs without a file.
    func settleGraphs() {
        host.settle()
        for stored in host.storedGraphs where host[stored.name] == nil {
            log.warning(
                "a stored graph has no file any more; what it holds is kept until there is one",
                metadata: ["graph": "\(stored.name)"]
            )
        }
    }
}
