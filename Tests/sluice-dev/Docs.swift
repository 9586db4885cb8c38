internal import ArgumentParser
internal import CommandSupport
internal import SluiceServer

/// Prints the sections that `scripts/docs.py` puts into the documentation.
struct Docs: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "docs",
        abstract: "Print a generated section of the documentation as Markdown.",
        shouldDisplay: false
    )

    @Argument(help: "Its name, such as operators or nodes.")
    var section: String

    func run() throws {
        guard let section = Reference.Section(rawValue: section) else {
            throw ValidationError("there is no section '\(section)'")
        }
        Terminal.print(text: Reference.markdown(section))
    }
}
