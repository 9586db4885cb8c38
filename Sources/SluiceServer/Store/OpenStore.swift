internal import Commits
internal import EventLoop
internal import Graphs
internal import Logging
internal import Values

/// The store of the graphs' commits, chosen here and nowhere else.
struct OpenStore {
    let commits: CommitStore
    /// How it is copied for `GET /v1/backup`; nil: there is nothing to copy.
    var backup: OpenLog.Backup?

    /// A store in memory only.
    static var memory: OpenStore { OpenStore(commits: .memory(epoch: Epoch.make())) }

    /// Opens the log that the configuration chooses, if it chooses one; throws if it cannot be
    /// used.
    static func open(
        _ configuration: Configuration,
        on loop: Loop,
        _ logger: Logger
    ) throws(StartFailure) -> OpenStore {
        do {
            guard let log = try chosen(configuration) else { return .memory }
            let opened = try log.open(loop) { isProblem, what in
                logger.log(level: isProblem ? .error : .notice, "the store", metadata: ["what": "\(what)"])
            }
            if let broken = opened.broken {
                logger.warning(
                    "commits may be missing: every graph begins a new epoch",
                    metadata: ["why": "\(broken)"]
                )
            }
            return OpenStore(commits: .log(opened.log), backup: opened.backup)
        } catch {
            throw StartFailure(["\(error)"])
        }
    }

    /// The problems with the configured store, which is looked at and not changed.
    static func problems(of configuration: Configuration) -> [FileProblem] {
        do throws(StoreError) {
            try chosen(configuration)?.check()
            return []
        } catch {
            return [FileProblem(error.message, hint: error.hint)]
        }
    }

    private static func chosen(_ configuration: Configuration) throws(StoreError) -> LogEngine.Choice? {
        let chosen = LogEngine.all.compactMap { engine in
            engine.choice(configuration).map { (key: engine.key, log: $0) }
        }
        guard chosen.count > 1 else { return chosen.first?.log }
        throw StoreError(
            "commits are kept in \(chosen.map { "'\($0.key)'" }.joined(separator: " or in ")), not in both",
            hint: "set \(chosen[0].key): ''"
        )
    }
}
