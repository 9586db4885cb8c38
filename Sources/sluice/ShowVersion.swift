internal import ArgumentParser
internal import CommandSupport
internal import SluiceServer

struct ShowVersion: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version",
        abstract: "Print which Sluice this is: version, commit, and the formats of stored data.",
        discussion: """
            EXAMPLES
              sluice version
              sluice version --json
            """
    )

    @Flag(help: "Print a JSON object instead of a line.")
    var json = false

    func run() {
        Terminal.print(json ? Build.json : Build.line)
    }
}
