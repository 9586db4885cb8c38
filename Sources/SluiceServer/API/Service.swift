internal import Graphs
internal import Logging
internal import Support

/// What the routes work with, beside the connection that asks.
final class Service {
    let configuration: Configuration
    let log: Logger
    /// The rows of the API, by the numbers of routes.
    let operations = Operation.all
    /// Looks at graphs as they were.
    let looks: PastLooks
    /// Reads the definitions of clients and files.
    let definitions: DefinitionQueue
    let files: GraphFiles
    /// The tokens made here.
    let kept: KeptAccess
    let sinks: Sinks
    let upstreams: Upstreams
    let folders = PublicFolders()
    var dashboards: Dashboards?
    /// How the store is copied for `GET /v1/backup`; nil: there is nothing to copy.
    let backup: OpenLog.Backup?
    /// Called when nodes were released on request.
    var onFreed: () -> Void = {}
    /// Appends the counters of the server that the caller may see.
    var appendMetrics: (_ access: Access, _ out: inout ByteBuffer) -> Void = { _, _ in }

    init(
        _ configuration: Configuration,
        _ log: Logger,
        looks: PastLooks,
        definitions: DefinitionQueue,
        files: GraphFiles,
        kept: KeptAccess,
        sinks: Sinks,
        upstreams: Upstreams,
        backup: OpenLog.Backup?
    ) {
        (self.configuration, self.log) = (configuration, log)
        (self.looks, self.definitions, self.files, self.kept) = (looks, definitions, files, kept)
        (self.sinks, self.upstreams, self.backup) = (sinks, upstreams, backup)
    }
}
