internal import ArgumentParser
internal import SluiceServer

struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Put load on a running server and measure it.",
        subcommands: [BenchPost.self, BenchFanout.self]
    )
}

/// What both runs have in common.
struct BenchOptions: ParsableArguments {
    @Option(help: "graph/node to post to; it must take numbers or, with --size, texts.")
    var node = "house/note"

    @Option(help: "How many requests each connection keeps in flight.")
    var pipeline = 1

    @Option(help: "Bytes of the body, at least 24; 0 posts bare numbers.")
    var size = 0

    @Option(help: "How long to measure, for example 10s.")
    var duration = Interval(.seconds(10))

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var options: ServiceOptions

    func run(connections: Int, subscribers: Int, wantsAll: Bool) throws {
        let address = try NodeAddress(node, options)
        guard let name = address.node else {
            throw ValidationError("--node '\(node)' names a graph, not a node")
        }
        guard (1...10_000).contains(connections), (1...1024).contains(pipeline) else {
            throw ValidationError("--connections is 1 to 10000, --pipeline 1 to 1024")
        }
        guard size == 0 || (24...65_536).contains(size) else {
            throw ValidationError("--size is 0, or 24 to 65536")
        }
        var settings = Bench.Settings(service: address.service, graph: address.graph, node: name)
        settings.connections = connections
        settings.depth = pipeline
        settings.subscribers = subscribers
        settings.wantsAll = wantsAll
        settings.bodyBytes = size
        settings.duration = duration.duration
        let report = try Terminal.reporting { try Bench(settings).run() }
        Terminal.print(json ? report.json : report.text)
        if report.failures > 0 || report.posts == 0 { throw ExitCode(1) }
    }
}

struct BenchPost: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "post",
        abstract: "Set one node as fast as the server answers."
    )

    @Option(help: "How many keep-alive connections post.")
    var connections = 50

    @OptionGroup var bench: BenchOptions

    func run() throws { try bench.run(connections: connections, subscribers: 0, wantsAll: false) }
}

struct BenchFanout: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fanout",
        abstract: "Set one node and count what its WebSocket subscribers receive."
    )

    @Option(help: "How many WebSocket subscribers.")
    var subscribers = 100

    @Option(help: "How many keep-alive connections post.")
    var connections = 1

    @Flag(help: "Subscribe in mode latest, where values may be folded, instead of mode all.")
    var latest = false

    @OptionGroup var bench: BenchOptions

    func run() throws {
        guard (1...100_000).contains(subscribers) else {
            throw ValidationError("--subscribers is 1 to 100000")
        }
        try bench.run(connections: connections, subscribers: subscribers, wantsAll: !latest)
    }
}
