internal import ArgumentParser
internal import CommandSupport
internal import Definitions

struct PrintSchema: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Print the JSON Schema of graph definitions.",
        discussion: """
            Editors complete and check files of graphs by it. It says what the operators of this version take.

            EXAMPLES
              sluice schema > graph.schema.json
            """
    )

    func run() {
        Terminal.print(text: Catalogue.standard.definitionSchema)
    }
}
