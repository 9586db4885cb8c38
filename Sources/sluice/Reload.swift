internal import ArgumentParser
internal import SluiceServer

struct Reload: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Have a running server read its files again.",
        discussion: """
            Graphs, tokens and certificate, as SIGHUP does; `sluice reload` also says what came of it. A file that something is wrong
            with changes nothing: every problem is printed, and the exit code is 1. Where the server wants a token, SLUICE_TOKEN has
            one with the right 'admin'.

            EXAMPLES
              sluice reload
              sluice reload --url http://127.0.0.1:8080 --json
            """
    )

    @OptionGroup var options: ServiceOptions

    @Flag(help: "Print the server's answer as it is.")
    var json = false

    func run() throws {
        let service = try options.service()
        let outcome = try Terminal.reporting { try ServiceReload.run(at: service) }
        if json {
            Terminal.print(outcome.text)
        } else {
            for line in outcome.lines { Terminal.print(line) }
            for problem in outcome.problems { Terminal.note("error: \(problem)") }
        }
        guard outcome.problems.isEmpty else { throw ExitCode(1) }
    }
}
