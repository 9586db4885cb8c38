internal import ArgumentParser
internal import CommandSupport
internal import Definitions
internal import Outbound
internal import ServiceClient
internal import SluiceServer
internal import Values

struct PrintTypes: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "types",
        abstract: "Print the names and values of a graph for the compiler of a client.",
        discussion: """
            Programs that use the output have their names of nodes and their values checked when they are compiled. Types are as the \
            definition says: of nodes that are set, and of what operators and expressions certainly give; anything else may be any value.

            Of a server's graph the definition is read, which takes the right admin.

            EXAMPLES
              sluice types config/graphs/house.yaml --for ts > house.d.ts
              sluice types house --for python > house.py
              sluice types house --url http://127.0.0.1:9000 --for swift > House.swift
            """
    )

    @Argument(help: "A definition file, or the name or URL of a graph on a server.")
    var graph: String

    @Option(name: .customLong("for"), help: "ts, python or swift.")
    var language: TypedNames.Language

    @OptionGroup var options: ServiceOptions

    func run() throws {
        let (definition, problems) = try read()
        for problem in problems { Terminal.note("error: \(problem)") }
        guard let definition else { throw ExitCode(1) }
        Terminal.print(text: TypedNames(of: definition).text(for: language))
    }

    private func read() throws -> (definition: GraphDefinition?, problems: [FileProblem]) {
        let known = DefinitionOptions(Configuration())
        if GraphFolder.isGraphFile(graph), !graph.contains("://") {
            return GraphFolder.read(file: graph, known)
        }
        let address = try NodeAddress(graph, options)
        let answer = try Terminal.reporting {
            try ServiceRequest.get("\(address.path)/definition", from: address.service)
        }
        return GraphFolder.read(answer.body, from: address.path, known)
    }
}
