internal import ArgumentParser
internal import CommandSupport

/// What only the work on Sluice needs: load, generated documentation, expressions by the thousand.
///
/// It is a program of its own, so that the server that is shipped has none of it.
@main
struct Developer: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sluice-dev",
        abstract: "Tools for working on Sluice.",
        subcommands: [BenchCommand.self, Docs.self, EvaluateLines.self]
    )
}
