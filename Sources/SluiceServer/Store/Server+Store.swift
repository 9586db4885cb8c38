internal import EventLoop
internal import GraphHost
internal import Logging
internal import SQLiteLog

// Where the graphs' commits are kept: chosen here, and nowhere else.
extension Server {
    /// Opens what the configuration names: nothing, or a log in `dataDir`.
    ///
    /// - Throws: ``StartFailure`` where the folder cannot be used.
    static func openStore(
        _ configuration: Configuration,
        on loop: Loop,
        _ logger: Logger
    ) throws(StartFailure) -> CommitStore {
        guard !configuration.dataDir.isEmpty else { return .memory(epoch: Epoch.make()) }
        let log: SQLiteLog
        do {
            log = try SQLiteLog(
                StoreFolder(configuration.dataDir),
                configuration.durability,
                keepRevs: UInt64(configuration.keepRevs),
                epoch: Epoch.make(),
                executor: ThreadExecutor(on: loop)
            )
        } catch {
            throw StartFailure(["\(error)"])
        }
        log.onEvent = { isProblem, what in
            logger.log(level: isProblem ? .error : .notice, "the store", metadata: ["what": "\(what)"])
        }
        if let broken = log.broken {
            logger.warning(
                "commits may be missing: every graph begins a new epoch",
                metadata: ["why": "\(broken)"]
            )
        }
        return .log(log)
    }

    /// Brings back what clients have defined; what files have defined comes back with its file.
    func restoreGraphs() throws(StartFailure) {
        for stored in host.storedGraphs where stored.origin == .client {
            do throws(StoreError) {
                _ = try host.restore(graph: stored.name)
            } catch {
                throw StartFailure(["\(error)"])
            }
        }
    }

    /// Waits until the graphs have begun, and says which are stored and have no file any more.
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
