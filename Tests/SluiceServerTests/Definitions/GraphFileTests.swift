import Definitions
import Graphs
import Sessions
import Testing
import Values

@testable import SluiceServer

@Suite("Graph files")
struct GraphFileTests {
    @Test("the shipped graphs have no problems", arguments: ["host", "house"])
    func shipped(_ name: String) throws {
        let here = "\(#filePath)"
        let tests = try #require(here.firstRange(of: "/Tests/SluiceServerTests/"))
        let file = "\(here[..<tests.lowerBound])/config/graphs/\(name).yaml"
        let result = GraphFolder.read(file: file, DefinitionOptions(Configuration()))
        #expect(result.problems == [])
        #expect(result.definition?.name == name)
    }

    @Test(
        "a problem in a block scalar is reported at its character, however far the block is indented",
        arguments: [
            ("  a:\n    from: x\n    pipe:\n      - map: |\n          value +\n          vaule\n", 8, 11),
            (
                "    a:\n        from: x\n        pipe:\n            - map: |\n                value +\n                  vaule\n",
                8, 19
            ),
            (
                "  a:\n    from: x\n    pipe:\n      - map: |\n\n         value +\n\n           vaule\n", 10,
                12
            ),
            ("  a:\n    from: x\n    pipe:\n      - map: |2-\n            value +\n          vaule\n", 8, 11),
            ("  ä:\n    from: x\n", 3, 3),
        ]
    )
    func blocks(_ nodes: String, _ line: Int, _ column: Int) throws {
        let margin = String(nodes.prefix { $0 == " " })
        let text = "graph: g\nnodes:\n" + nodes + "\(margin)x: { set: any }\n"
        let document = try #require(YAMLReader.read(Array(text.utf8), file: nil).document)
        let problems = GraphDefinition.read(document, file: nil).problems
        #expect(problems.map(\.position) == [Position(line: line, column: column)], "\(problems)")
    }
}
