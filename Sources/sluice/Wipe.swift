internal import ArgumentParser
internal import CommandSupport
internal import Outbound
internal import ServiceClient

struct Wipe: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wipe",
        abstract: "Clear the nodes of a graph that are set.",
        discussion: """
            Those that match and that you may read and set, in one commit, at most 10,000. Nodes with a source stay as they are. \
            Prints the epoch, the revision and how many nodes were cleared.

            EXAMPLES
              sluice wipe house --match 'sensor.*'
              sluice wipe house
            """
    )

    @Argument(help: "The graph, or its URL.")
    var graph: String

    @Option(help: "A name or glob: only nodes that match.")
    var match = "*"

    @OptionGroup var options: ServiceOptions

    func run() throws {
        let address = try NodeAddress(graph, options)
        guard address.node == nil else {
            throw ValidationError("'\(graph)' names a node: name the graph, and the node with --match")
        }
        let path = "/v1/graphs/\(address.graph)/wipe?match=\(ServiceRequest.escaped(match))"
        let answer = try Terminal.reporting { try ServiceRequest.post(to: path, at: address.service) }
        Terminal.print(answer.body)
    }
}
