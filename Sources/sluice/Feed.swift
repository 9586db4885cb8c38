internal import ArgumentParser
internal import CommandSupport
internal import Outbound
internal import ServiceClient

struct Feed: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "feed",
        abstract: "Send figures to a graph.",
        discussion: """
            EXAMPLES
              sluice feed host --url http://127.0.0.1:8080
              sluice feed fleet --devices 1000
              sluice feed town
            """,
        subcommands: [FeedHost.self, FeedFleet.self, FeedTown.self]
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
              sluice feed host --on-demand
              sluice feed host --graph host --url http://127.0.0.1:9000
            """
    )

    @Option(help: "The graph to feed.")
    var graph = "host"

    @Option(help: "From one batch to the next, for example 1s or 250ms.")
    var interval = Interval(.seconds(1))

    @Flag(help: "Send only the figures that clients listen to.")
    var onDemand = false

    @OptionGroup var options: ServiceOptions

    func run() throws {
        try options.feed(graph, every: interval) { graph, service, duration in
            try GraphFeed.host(to: graph, at: service, every: duration, onDemand: onDemand)
        }
    }
}

struct FeedFleet: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet",
        abstract: "Send the temperatures of simulated sensors that come and go.",
        discussion: """
            Feeds the graph of config/graphs/fleet.yaml until it is interrupted. Each batch has the temperatures of a \
            tenth of the devices. Now and then a device falls silent for eight to thirty such rounds, and its node expires.

            EXAMPLES
              sluice feed fleet
              sluice feed fleet --devices 1000 --interval 100ms
              sluice feed fleet --devices 1000 --on-demand
            """
    )

    @Option(help: "The graph to feed.")
    var graph = "fleet"

    @Option(help: "How many devices, 1 to 10000.")
    var devices = 100

    @Option(help: "From one batch to the next, for example 1s or 250ms.")
    var interval = Interval(.seconds(1))

    @Flag(help: "Devices sleep until a client listens to them, and report twice a minute all the same.")
    var onDemand = false

    @OptionGroup var options: ServiceOptions

    func validate() throws {
        guard (1...10_000).contains(devices) else { throw ValidationError("--devices must be 1 to 10000") }
    }

    func run() throws {
        try options.feed(graph, every: interval) { graph, service, duration in
            try GraphFeed.fleet(
                of: devices,
                to: graph,
                at: service,
                every: duration,
                onDemand: onDemand
            )
        }
    }
}

extension ServiceOptions {
    /// Runs a feed until it is interrupted.
    fileprivate func feed(
        _ graph: String,
        every interval: Interval,
        _ make: (_ graph: String, _ service: ServiceURL, _ interval: Duration) throws -> GraphFeed
    ) throws {
        let address = try NodeAddress(graph, self)
        guard address.node == nil else {
            throw ValidationError("--graph '\(graph)' is not the name of a graph")
        }
        let duration = interval.duration
        guard duration >= .milliseconds(10) else { throw ValidationError("--interval must be at least 10ms") }
        try Terminal.reporting {
            let feed = try make(address.graph, address.service, duration)
            feed.onNote = Terminal.note(_:)
            try feed.run()
        }
    }
}
