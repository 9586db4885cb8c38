internal import ArgumentParser
internal import CommandSupport
internal import LoadGenerator
internal import Outbound
internal import SluiceServer

struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Put load on a running server, or on a graph in this process, and measure it.",
        discussion: """
            EXAMPLES
              sluice-dev bench post --node house/note --duration 5s
              sluice-dev bench fanout --help
              sluice-dev bench reload
            """,
        subcommands: [BenchPost.self, BenchFanout.self, BenchIdle.self, BenchChurn.self, BenchReload.self]
    )
}

/// Options of all runs.
struct BenchOptions: ParsableArguments {
    @Option(help: "graph/node to post or subscribe to; it must take numbers or, with --size, texts.")
    var node = "house/note"

    @Option(help: "How long to measure, for example 10s.")
    var duration = Interval(.seconds(10))

    @Option(help: "The server's process number, to tell its processor time and memory (Linux).")
    var process: Int32?

    @Flag(help: "The WebSockets of this server send bare values, without subscriptions (nchan).")
    var raw = false

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var options: ServiceOptions

    /// The node of the run.
    func target() throws -> (service: ServiceURL, graph: String, node: String) {
        let address = try NodeAddress(node, options)
        guard let name = address.node else {
            throw ValidationError("--node '\(node)' names a graph, not a node")
        }
        return (address.service, address.graph, name)
    }

    func gauge() throws -> ProcessGauge? {
        guard let process else { return nil }
        guard let gauge = ProcessGauge(process: process) else {
            throw ValidationError("--process \(process): its figures cannot be read")
        }
        return gauge
    }

    /// Prints the report; failures make the exit code 1.
    func tell(_ report: BenchReport) throws {
        Terminal.print(text: json ? report.json : report.text)
        if report.failures > 0 { throw ExitCode(1) }
    }
}

/// Options of runs that post.
struct PostOptions: ParsableArguments {
    @Option(help: "How many requests each connection keeps in flight.")
    var pipeline = 1

    @Option(help: "Bytes of the body, at least 24; 0 posts bare numbers.")
    var size = 0

    @Flag(help: "Send no head with the bytes of the one before.")
    var varied = false

    @Option(help: "Posts a second, all connections together; 0: as many as are answered.")
    var rate = 0

    func run(
        _ bench: BenchOptions,
        connections: Int,
        subscribers: Int,
        wantsAll: Bool,
        hasPipelines: Bool = false
    ) throws {
        let target = try bench.target()
        guard (1...10_000).contains(connections), (1...1024).contains(pipeline) else {
            throw ValidationError("--connections must be 1 to 10000, --pipeline 1 to 1024")
        }
        guard size == 0 || (24...65_536).contains(size) else {
            throw ValidationError("--size must be 0, or 24 to 65536")
        }
        guard (0...1000).contains(rate) else { throw ValidationError("--rate must be 0 to 1000") }
        var settings = Bench.Settings(service: target.service, graph: target.graph, node: target.node)
        settings.connections = connections
        settings.depth = pipeline
        settings.subscribers = subscribers
        settings.wantsAll = wantsAll
        settings.hasPipelines = hasPipelines
        settings.isRaw = bench.raw
        settings.bodyBytes = size
        settings.variesHeads = varied
        settings.rate = rate
        settings.gauge = try bench.gauge()
        settings.duration = bench.duration.duration
        let report = try Terminal.reporting { try Bench(settings).run() }
        try bench.tell(report)
        if report.posts == 0 { throw ExitCode(1) }
    }
}

struct BenchPost: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "post",
        abstract: "Set one node as fast as the server answers.",
        discussion: """
            EXAMPLES
              sluice-dev bench post --node house/note --duration 5s
              sluice-dev bench post --node house/note --connections 200 --size 256 --rate 500
            """
    )

    @Option(help: "How many keep-alive connections post.")
    var connections = 50

    @OptionGroup var posts: PostOptions
    @OptionGroup var bench: BenchOptions

    func run() throws { try posts.run(bench, connections: connections, subscribers: 0, wantsAll: false) }
}

struct BenchFanout: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fanout",
        abstract: "Set one node and count what its WebSocket subscribers receive.",
        discussion: """
            EXAMPLE
              sluice-dev bench fanout --node house/note --subscribers 1000 --rate 20
            """
    )

    @Option(help: "How many WebSocket subscribers.")
    var subscribers = 100

    @Option(help: "How many keep-alive connections post.")
    var connections = 1

    @Flag(help: "Subscribe in mode latest, where values may be folded, instead of mode all.")
    var latest = false

    @Flag(help: "Give each subscriber a pipeline of its own that passes nothing on; without --size.")
    var pipelines = false

    @OptionGroup var posts: PostOptions
    @OptionGroup var bench: BenchOptions

    func run() throws {
        guard (1...100_000).contains(subscribers) else {
            throw ValidationError("--subscribers must be 1 to 100000")
        }
        guard !pipelines || posts.size == 0 else {
            throw ValidationError("--pipelines compare numbers, so --size must be 0")
        }
        try posts.run(
            bench,
            connections: connections,
            subscribers: subscribers,
            wantsAll: !latest,
            hasPipelines: pipelines
        )
    }
}

struct BenchIdle: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "idle",
        abstract: "Hold WebSockets with one subscription each and no traffic.",
        discussion: """
            EXAMPLE
              sluice-dev bench idle --subscribers 10000 --process "$(pidof sluice)"
            """
    )

    @Option(help: "How many WebSocket subscribers.")
    var subscribers = 10_000

    @OptionGroup var bench: BenchOptions

    func run() throws {
        guard (1...100_000).contains(subscribers) else {
            throw ValidationError("--subscribers must be 1 to 100000")
        }
        let target = try bench.target()
        var settings = Bench.Settings(service: target.service, graph: target.graph, node: target.node)
        settings.connections = 0
        settings.subscribers = subscribers
        settings.wantsAll = false
        settings.isRaw = bench.raw
        settings.gauge = try bench.gauge()
        settings.duration = bench.duration.duration
        try bench.tell(Terminal.reporting { try Bench(settings).run() })
    }
}

struct BenchChurn: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "churn",
        abstract: "Clients that connect, subscribe and vanish, one after the other.",
        discussion: """
            EXAMPLE
              sluice-dev bench churn --clients 50 --duration 5s
            """
    )

    @Option(help: "How many clients are there at the same time.")
    var clients = 50

    @Flag(help: "Vanish as soon as the connection stands, with https after the handshake.")
    var connectOnly = false

    @OptionGroup var bench: BenchOptions

    func run() throws {
        guard (1...10_000).contains(clients) else { throw ValidationError("--clients must be 1 to 10000") }
        let target = try bench.target()
        var settings = Churn.Settings(
            service: target.service,
            graph: target.graph,
            node: connectOnly ? nil : target.node
        )
        settings.clients = clients
        settings.isRaw = bench.raw
        settings.gauge = try bench.gauge()
        settings.duration = bench.duration.duration
        let report = try Terminal.reporting { try Churn(settings).run() }
        try bench.tell(report)
        if report.cycles == 0 { throw ExitCode(1) }
    }
}

struct BenchReload: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract:
            "How long a loop stands still when one node of a large graph is redefined; in this process, without a server.",
        discussion: """
            With --files the graphs are as many files, one node of each is changed, and a server in this process reads them again: it \
            prints the longest time in which its loop did nothing else.

            EXAMPLES
              sluice-dev bench reload
              sluice-dev bench reload --files 10
            """
    )

    @Option(help: "Nodes of the graph.")
    var nodes = 1_000

    @Option(help: "Listeners, spread over the nodes.")
    var listeners = 10_000

    @Option(help: "Graph files that a server reads again, each with that many nodes; without listeners.")
    var files: Int?

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() throws {
        guard (10...100_000).contains(nodes), (nodes...1_000_000).contains(listeners) else {
            throw ValidationError(
                "--nodes must be 10 to 100000, --listeners at least as many, and at most 1000000"
            )
        }
        if let files {
            guard (1...1_000).contains(files) else { throw ValidationError("--files must be 1 to 1000") }
            var bench = ReloadStops()
            bench.files = files
            bench.nodes = nodes
            let report = try Terminal.reporting { try bench.run() }
            return Terminal.print(text: json ? report.json : report.text)
        }
        var bench = ReloadBench()
        bench.nodes = nodes
        bench.listeners = listeners
        let report = try Terminal.reporting { try bench.run() }
        Terminal.print(text: json ? report.json : report.text)
    }
}
