import GraphHost
import ReactiveGraph
import Testing

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
}
