internal import ArgumentParser
internal import CommandSupport
internal import Support

struct ShowVersion: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version",
        abstract: "Print which Sluice this is.",
        discussion: """
            EXAMPLES
              sluice version
              sluice version --json
            """
    )

    @Flag(help: "Print a JSON object instead of a line.")
    var json = false

    func run() {
        Terminal.print(
            json ? "{\"name\":\"sluice\",\"version\":\"\(Version.text)\"}" : "sluice \(Version.text)"
        )
    }
}
