import Definitions
import ReactiveGraph
import Testing
import Values

@Suite("Reading graph definitions")
struct GraphDefinitionTests {
    @Test("a small graph in JSON is read whole")
    func small() throws {
        let text = """
            {"graph": "house", "title": "A house", "nodes": {
              "indoor_c": {"set": "number", "initial": 20, "history": 600, "unit": "°C"},
              "warm":     {"from": "indoor_c", "pipe": [{"filter": "value > 0"}, "distinct"]}
            }}
            """
        let (definition, problems) = GraphDefinition.read(try Document.parse(json: text), file: "house.json")
        #expect(problems.map(\.description) == [])
        let graph = try #require(definition)
        #expect(graph.name == "house")
        #expect(graph.nodes.map(\.name) == ["indoor_c", "warm"])
        #expect(graph["warm"]?.retain == .always)
        #expect(graph["warm"]?.inputs == ["indoor_c"])
    }

    @Test("Of very many problems the first hundred are reported, and the number of the others")
    func manyProblems() throws {
        func problems(_ count: Int) throws -> [DefinitionProblem] {
            let nodes = (0..<count).map { #""n\#($0)":{"sett":"any"}"# }.joined(separator: ",")
            let document = try Document.parse(json: #"{"graph":"g","nodes":{\#(nodes)}}"#)
            return GraphDefinition.read(document, file: nil).problems
        }
        let each = try problems(1).count
        #expect(try problems(100 / each).count == 100)
        let found = try problems(2_000)
        #expect(found.count == 101 && found[0].pointer?.hasPrefix("/nodes/n0") == true)
        #expect(found[100].message == "\(2_000 * each - 100) further problems are not shown")
    }
}
