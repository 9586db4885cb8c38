internal import ArgumentParser
internal import CEL
internal import CommandSupport
internal import SluiceServer

struct Sluice: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sluice",
        abstract: "Reactive graphs over HTTP and WebSocket.",
        discussion: """
            Results go to standard output, notes and errors go to standard error.
            Exit codes: 0 done, 1 failed, 2 wrong usage.

            EXAMPLES
              sluice serve --config config/sluice.yaml
              sluice watch house/indoor_c
              sluice --generate-completion-script bash > sluice.bash
            """,
        version: Build.line,
        subcommands: [
            Initialize.self, Serve.self, Check.self, Eval.self, DrawGraph.self, PrintSchema.self,
            PrintTypes.self, Get.self, SetNode.self, Watch.self, Why.self, Flush.self, Wipe.self, Reload.self,
            Remove.self,
            Backup.self,
            Restore.self,
            ReplayLog.self,
            Feed.self, MakeToken.self, ListTokens.self, Revoke.self, ShowVersion.self,
        ]
    )
}

/// Runs the command of the arguments.
@main
enum Main {
    static func main() {
        if let word = CommandLine.arguments.dropFirst().first, let problem = unknownCommand(word) {
            let usage = "\(Sluice.usageString())\n  See 'sluice --help' for more information."
            Terminal.note(text: "Error: \(problem)\nUsage: \(usage)")
            Sluice.exit(withError: ExitCode(2))
        }
        var command: any ParsableCommand
        do { command = try Sluice.parseAsRoot() } catch { end(error, Sluice.fullMessage(for: error)) }
        // The parser knows the command only for its own errors.
        do { try command.run() } catch {
            let usage = Sluice.usageString(for: type(of: command))
            end(error, "Error: \(Sluice.message(for: error))\nUsage: \(usage)")
        }
    }

    /// Ends the process for `error`; usage errors print `explanation` and exit with 2.
    ///
    /// The parser would exit with EX_USAGE (64); 2 is what most programs use.
    private static func end(_ error: any Error, _ explanation: String) -> Never {
        guard Sluice.exitCode(for: error) == .validationFailure else { Sluice.exit(withError: error) }
        Terminal.note(text: explanation)
        Sluice.exit(withError: ExitCode(2))
    }

    /// The problem of a first argument that is neither an option nor a command; nil if there is
    /// none.
    private static func unknownCommand(_ word: String) -> String? {
        let commands = Sluice.configuration.subcommands.map { command in
            command.configuration.commandName ?? "\(command)".lowercased()
        }
        guard !word.hasPrefix("-"), word != "help", !commands.contains(word) else { return nil }
        let hint = Spelling.hint(for: word, among: commands).map { " (\($0))" } ?? ""
        return "there is no command '\(word)'\(hint)"
    }
}
