internal import ArgumentParser

struct Sluice: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sluice",
        abstract: "Reactive graphs over HTTP and WebSocket.",
        discussion: """
            Results go to standard output, what is to be said to a person goes to standard error.
            Exit codes: 0 done, 1 failed, 2 not understood.

            EXAMPLES
              sluice serve --config config/sluice.yaml
              sluice watch house/indoor_c
              sluice --generate-completion-script bash > ~/.local/share/bash-completion/completions/sluice
            """,
        subcommands: [
            Serve.self, Check.self, Eval.self, DrawGraph.self,
            Get.self, SetNode.self, Watch.self, Reload.self,
            Feed.self, BenchCommand.self, MakeToken.self, Docs.self, ShowVersion.self,
        ]
    )
}

/// Runs the command that the arguments name.
@main
enum Main {
    static func main() {
        do {
            var command = try Sluice.parseAsRoot()
            try command.run()
        } catch {
            let code = Sluice.exitCode(for: error)
            // What the parser calls EX_USAGE (64) is 2 here, as in most programs.
            guard code == .validationFailure else { Sluice.exit(withError: error) }
            Terminal.note(Sluice.fullMessage(for: error))
            Sluice.exit(withError: ExitCode(2))
        }
    }
}
