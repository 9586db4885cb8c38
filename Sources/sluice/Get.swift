internal import ArgumentParser
internal import CommandSupport
internal import Outbound
internal import ServiceClient

struct Get: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Print the value of a node, or of all nodes of a graph.",
        discussion: """
            The value is printed as the server holds it, with a newline after it, also into a pipe. On a terminal a value that has a word ('words' in its definition) is printed as that word, unless --json is given. An empty node prints nothing and says so on standard error.

            EXAMPLES
              sluice get house/indoor_c
              sluice get house
              sluice get house/indoor_c --at 1042
              sluice get house --at @2026-01-31T12:00:00Z
              sluice get http://127.0.0.1:8080/v1/graphs/house/nodes/indoor_c
            """
    )

    @Argument(help: "graph/node, a graph, or a node's URL.")
    var node: String

    @Option(
        help: ArgumentHelp(
            "The state to look at, instead of the present one: a revision, or @ and a time.",
            valueName: "revision or @time"
        )
    )
    var at: String?

    @Flag(help: "The value as JSON, also on a terminal.")
    var json = false

    @OptionGroup var options: ServiceOptions

    func run() throws {
        let address = try NodeAddress(node, options)
        var path = address.node == nil ? "\(address.path)/values?nodes=*" : address.path
        if let at { path += "\(address.node == nil ? "&" : "?")at=\(ServiceRequest.escaped(at))" }
        let answer = try Terminal.reporting { try ServiceRequest.getJSON(path, from: address.service) }
        guard answer.status != 204 else { return Terminal.note("\(node) is empty") }
        guard let name = address.node, !json, Terminal.isInteractive else {
            return Terminal.print(answer.body)
        }
        let words = ValueWords(of: name, in: address.graph, from: address.service)
        Terminal.print(Array(words.text(for: String(decoding: answer.body, as: UTF8.self)).utf8))
    }
}
