internal import ArgumentParser
internal import CommandSupport
internal import Outbound
internal import ServiceClient

struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Have a running server remove a graph for good, with all its values.",
        discussion: """
            For an orphan, a graph whose file is gone, and for a graph that was defined over HTTP. A graph that a file defines is \
            refused: remove the file first. Where the server wants a token, SLUICE_TOKEN has one with the right 'admin'.

            EXAMPLES
              sluice remove house
              sluice remove http://127.0.0.1:8080/house
            """
    )

    @Argument(help: "The graph, or its URL.")
    var graph: String

    @OptionGroup var options: ServiceOptions

    func run() throws {
        let address = try NodeAddress(graph, options)
        guard address.node == nil else {
            throw ValidationError("'\(graph)' names a node: only whole graphs can be removed")
        }
        try Terminal.reporting {
            try ServiceRequest.delete("/v1/graphs/\(address.graph)", at: address.service)
        }
        Terminal.print("\(address.graph): removed")
    }
}
