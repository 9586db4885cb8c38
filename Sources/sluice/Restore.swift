internal import ArgumentParser
internal import CommandSupport
internal import SluiceServer

struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Make a data folder of a backup.",
        discussion: """
            The folder must not have data yet. A server that is started on it goes on from the backup in a new epoch: clients are told \
            that what came after it is gone.

            EXAMPLES
              sluice restore --data data house.db
            """
    )

    @Argument(help: "The backup.")
    var file: String

    @Option(help: "The folder: the 'dataDir' of a configuration.")
    var data: String

    func run() throws {
        let graphs = try Terminal.reporting {
            let backup = try StoredBackup(file)
            try backup.restore(into: data)
            return try backup.graphs()
        }
        for graph in graphs {
            Terminal.print("\(graph.name): at rev \(graph.revs?.upperBound ?? 0)")
        }
    }
}
