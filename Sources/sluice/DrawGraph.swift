internal import ArgumentParser
internal import CommandSupport
internal import Outbound
internal import Sessions
internal import ServiceClient
internal import SluiceServer

struct DrawGraph: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "graph",
        abstract: "Print a graph as a picture: from its file, or as a server runs it.",
        discussion: """
            EXAMPLES
              sluice graph config/graphs/house.yaml | dot -Tsvg > house.svg
              sluice graph house --format mermaid --live
              sluice graph house --url http://127.0.0.1:9000 --format json
            """
    )

    @Argument(help: "A definition file, or the name or URL of a graph on a server.")
    var graph: String

    @Option(help: "dot, mermaid or json.")
    var format = "dot"

    @Flag(help: "With a server: also client pipelines and listeners.")
    var live = false

    @OptionGroup var options: ServiceOptions

    func run() throws {
        guard let format = PictureFormat(rawValue: format) else {
            throw ValidationError("--format is dot, mermaid or json, not '\(format)'")
        }
        if GraphFolder.isGraphFile(graph), !graph.contains("://") {
            do {
                Terminal.print(try FilePicture.draw(file: graph, as: format))
            } catch {
                for problem in error.problems { Terminal.note("error: \(problem)") }
                throw ExitCode(1)
            }
            return
        }
        let address = try NodeAddress(graph, options)
        let target = "\(address.path)/graph?format=\(format.rawValue)\(live ? "&live=1" : "")"
        let answer = try Terminal.reporting { try ServiceRequest.get(target, from: address.service) }
        Terminal.print(answer.body)
    }
}
