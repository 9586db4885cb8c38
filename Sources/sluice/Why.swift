internal import ArgumentParser
internal import CommandSupport
internal import Outbound
internal import ServiceClient

struct Why: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Print what keeps a node of a running server alive.",
        discussion: """
            A line for each way: what holds, and the nodes between it and the node that was asked about. Then a line for each \
            source node that it is made from: the upstream, its state, and what keeps it open. Where the server wants a \
            token, SLUICE_TOKEN has one with the rights 'read' and 'observe' on all nodes of the graph.

            EXAMPLES
              sluice why house/indoor_c
              sluice why house/indoor_c --json
            """
    )

    @Argument(help: "graph/node, or a node's URL.")
    var node: String

    @Option(help: "How many ways at most, 1 to 100.")
    var limit = 16

    @Flag(help: "Print the server's answer as it is.")
    var json = false

    @OptionGroup var options: ServiceOptions

    func run() throws {
        let address = try NodeAddress(node, options)
        guard address.node != nil else {
            throw ValidationError("'\(node)' names no node: graph/node is needed")
        }
        let answer = try Terminal.reporting {
            try ServiceWhy.run(address.path, limit: limit, at: address.service)
        }
        if json { return Terminal.print(text: answer.text) }
        for line in answer.lines { Terminal.print(line) }
    }
}
