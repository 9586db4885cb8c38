internal import ArgumentParser
internal import CommandSupport
internal import EventLoop
internal import SluiceServer

struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run a server.",
        discussion: """
            Listens on 127.0.0.1:8080 unless told otherwise, and ends politely on SIGTERM or Ctrl-C: sessions are told when to \
            come back, requests are finished.

            EXAMPLES
              sluice serve
              sluice serve --config config/sluice.yaml --listen 127.0.0.1:0
              SLUICE_LOG_LEVEL=debug sluice serve --set limits.connections=1000
              sluice serve --print-config
            """
    )

    @Option(
        help: "The configuration file. Without it: sluice.yaml or config/sluice.yaml, else the defaults."
    )
    var config: String?

    @Option(help: "Where to listen: address:port, [address]:port or unix:path; port 0 takes a free one.")
    var listen: String?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp("Set one key of the configuration.", valueName: "key=value")
    )
    var settings: [String] = []

    @Flag(help: "Listen on an address that is not loopback although clients need no token.")
    var insecure = false

    @Flag(help: "Do not start while a graph file has problems.")
    var strict = false

    @Flag(help: "Print every key with its value and where that came from, and end.")
    var printConfig = false

    func run() throws {
        var reader = try ConfigurationOptions.read(
            config: config,
            listen: listen,
            settings: settings,
            insecure: insecure
        )
        if printConfig {
            return print(reader.table, terminator: "")
        }
        reader.allowNoGraphs()
        let log = StandardErrorLog.logger(reader.configuration)
        let warn = { StandardErrorLog.warn($0, reader.configuration) }
        reader.warnings.forEach(warn)
        OwnProcess.ignoreBrokenPipes()
        do {
            var configuration = reader.configuration
            configuration.isStrict = strict
            // Every connection needs a descriptor; some are needed for files, the loop itself and
            // refused connections.
            let room = max(1, OwnProcess.raiseDescriptorLimit() - 64)
            if room < configuration.connections {
                warn(
                    "lowered limits.connections to \(room): the limit of open files (ulimit -Hn) allows no more"
                )
                configuration.connections = room
            }
            let loop = try Loop()
            let server = try Server(configuration, on: loop, log: log)
            try server.start()
            let watchdog = try Watchdog(server, log: log)
            if !server.adminURL.isEmpty { Terminal.print("operations on \(server.adminURL)") }
            Terminal.print("listening on \(server.url)")
            withExtendedLifetime(watchdog) { _ = loop.run() }
        } catch let failure as StartFailure {
            for problem in failure.problems { Terminal.note("error: \(problem)") }
            throw ExitCode(1)
        } catch {
            throw Terminal.failure("\(error)")
        }
    }
}
