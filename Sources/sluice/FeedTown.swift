internal import ArgumentParser
internal import CommandSupport
internal import EventLoop
internal import Outbound
internal import ServiceClient
internal import SluiceServer

struct FeedTown: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "town",
        abstract: "Play the services that a town's values come from.",
        discussion: """
            A server of its own at 127.0.0.1:9191, for the graph of config/graphs/town.yaml: a weather service, an exchange, \
            and another Sluice. If a broker is at 127.0.0.1:9193 (mosquitto -p 9193), it publishes the hall's temperatures there.

            EXAMPLES
              sluice feed town
            """
    )

    /// Where the graph of the town looks for the services, and for the broker.
    private static let address = "127.0.0.1:9191"
    private static let broker = "127.0.0.1:9193"

    func run() throws {
        try Terminal.reporting {
            guard let service = ServiceURL(Self.address) else { return }
            let feed = try GraphFeed.town(at: service, broker: Self.broker)
            feed.onNote = Terminal.note(_:)
            let server = try Server(Self.settings, on: feed.loop, log: StandardErrorLog.logger(Self.settings))
            try server.start()
            Terminal.print("the services of the town are at \(server.url)")
            try withExtendedLifetime(server) { try feed.run() }
        }
    }

    private static var settings: Configuration {
        var reader = ConfigurationReader()
        for (key, text) in [
            ("listen", address), ("graphs", ""), ("public", ""), ("dashboards", ""), ("log.level", "warning"),
            ("sourceHosts", broker), ("sinkHosts", broker),
        ] {
            reader.set(key, text)
        }
        return reader.configuration
    }
}
