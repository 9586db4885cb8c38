internal import ArgumentParser
internal import CommandSupport
internal import Outbound
internal import ServiceClient

struct Flush: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flush",
        abstract: "Have a running server release the nodes of a graph that nothing needs.",
        discussion: """
            Nodes with 'retain: untilPressure' that are not in use, as if memory were short. They begin anew when they are needed next. \
            Where the server wants a token, SLUICE_TOKEN has one with the right 'admin'.

            EXAMPLES
              sluice flush house
              sluice flush house --match 'room.*' --json
            """
    )

    @Argument(help: "The graph, or its URL.")
    var graph: String

    @Option(help: "A name or glob: only nodes that match, and what only they need.")
    var match = "*"

    @Flag(help: "Print the server's answer as it is.")
    var json = false

    @OptionGroup var options: ServiceOptions

    func run() throws {
        let address = try NodeAddress(graph, options)
        guard address.node == nil else {
            throw ValidationError("'\(graph)' names a node: name the graph, and the node with --match")
        }
        let answer = try Terminal.reporting {
            try ServiceFlush.run(address.graph, matching: match, at: address.service)
        }
        if json { Terminal.print(text: answer.text) } else { Terminal.print(answer.line) }
    }
}
