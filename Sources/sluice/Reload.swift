internal import ArgumentParser
internal import CommandSupport
internal import Outbound
internal import ServiceClient
internal import SluiceServer

struct Reload: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Have a running server read its files again.",
        discussion: """
            Graphs, tokens and certificate, as SIGHUP does; `sluice reload` also says what came of it. A file that something is wrong \
            with changes nothing: every problem is printed, and the exit code is 1. Where the server wants a token, SLUICE_TOKEN has \
            one with the right 'admin'. Without --url and SLUICE_URL the server is where the configuration says: at 'admin.listen', else at 'listen'.

            EXAMPLES
              sluice reload
              sluice reload --dry-run
              sluice reload --url http://127.0.0.1:8080 --json
              sluice reload --url unix:/run/sluice/admin.sock
            """
    )

    @Option(help: "The server's address.")
    var url: String?

    @Option(
        help:
            "The configuration that says where the server is. Without it: sluice.yaml or config/sluice.yaml."
    )
    var config: String?

    @Option(help: "For https: a PEM file of the authorities to trust, instead of the system's.")
    var ca: String?

    @Flag(help: "Only report what would change.")
    var dryRun = false

    @Flag(help: "Print the server's answer as it is.")
    var json = false

    func run() throws {
        var service = try service()
        service.authorities = ca
        service.token = try ServiceOptions.token()
        let outcome = try Terminal.reporting { try ServiceReload.run(at: service, dryRun: dryRun) }
        if json {
            Terminal.print(text: outcome.text)
        } else {
            for line in outcome.lines { Terminal.print(line) }
            for problem in outcome.problems { Terminal.note("error: \(problem)") }
        }
        guard outcome.problems.isEmpty else { throw ExitCode(1) }
    }

    private func service() throws -> ServiceURL {
        if let service = try ServiceOptions.named(url) { return service }
        let reader = try ConfigurationOptions.read(config: config, listen: nil, settings: [], insecure: false)
        guard let service = reader.configuration.operations else {
            throw ValidationError(
                "the configuration leaves the port to the system: give the server's address with --url"
            )
        }
        return service
    }
}
