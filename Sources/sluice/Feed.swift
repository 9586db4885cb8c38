internal import ArgumentParser
internal import SluiceServer

struct Feed: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "feed",
        abstract: "Send real figures to a graph.",
        discussion: """
            EXAMPLE
              sluice feed host --url http://127.0.0.1:8080
            """,
        subcommands: [FeedHost.self]
    )
}

struct FeedHost: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "host",
        abstract: "Send this machine's processor, memory, network and disk figures, one batch per interval.",
        discussion: """
            Feeds the graph of config/graphs/host.yaml until it is interrupted. While the server is away it tries \
            again with growing pauses.

            EXAMPLES
              sluice feed host
              sluice feed host --graph host --url http://127.0.0.1:9000
            """
    )

    @Option(help: "The graph to feed.")
    var graph = "host"

    @Option(help: "From one batch to the next, for example 1s or 250ms.")
    var interval = Interval(.seconds(1))

    @OptionGroup var options: ServiceOptions

    func run() throws {
        let address = try NodeAddress(graph, options)
        guard address.node == nil else {
            throw ValidationError("--graph '\(graph)' is not the name of a graph")
        }
        let duration = interval.duration
        guard duration >= .milliseconds(10) else { throw ValidationError("--interval is 10ms at the least") }
        try Terminal.reporting {
            let feed = try HostFeed(to: address.graph, at: address.service, every: duration)
            feed.onNote = Terminal.note
            try feed.run()
        }
    }
}
