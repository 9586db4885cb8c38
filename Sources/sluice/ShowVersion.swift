internal import ArgumentParser
internal import SluiceServer

struct ShowVersion: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version",
        abstract: "Print which Sluice this is.",
        discussion: """
            EXAMPLE
              sluice version
            """
    )

    func run() {
        Terminal.print("sluice \(Version.text)")
    }
}
