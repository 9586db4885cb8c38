import CEL
import Definitions
import ReactiveGraph
import Testing
import Values

@Suite("Everything that can be wrong with a graph as a whole")
struct GraphProblemTests {
    private static let nameHint = "1 to 128 letters, digits, '_', '.' and '-', not starting with '.' or '-'"

    @Test(
        "keys, names and modes",
        arguments: [
            (#"¦[]"#, ["a graph must be a mapping, not a list"]),
            (#"¦7"#, ["a graph must be a mapping, not a number"]),
            (#"¦{"graph": "g"}"#, ["a graph needs 'nodes'"]),
            (#"{"graph": "g", "nodes": ¦[]}"#, ["nodes must be a mapping, not a list"]),
            (
                #"¦{"nodes": {}}"#,
                ["the graph has no name (write 'graph: NAME', or give the file a name that a graph can have)"]
            ),
            (
                #"{"graph": ¦"a graph", "nodes": {}}"#,
                ["'a graph' cannot be the name of a graph (\(nameHint))"]
            ),
            (#"{"graph": ¦["g"], "nodes": {}}"#, ["graph must be text, not a list"]),
            (#"{"graph": "g", "title": ¦{}, "nodes": {}}"#, ["title must be text, not a mapping"]),
            (
                #"{"graph": "g", "mode": ¦"setled", "nodes": {}}"#,
                ["mode must be one of settled, immediate (did you mean 'settled'?)"]
            ),
            (
                #"¦{"graph": "g", ¦"nods": {}}"#,
                ["a graph needs 'nodes'", "unknown key 'nods' of a graph (did you mean 'nodes'?)"]
            ),
            (#"{"graph": "g", ¦"graph": "h", "nodes": {}}"#, ["the key 'graph' is given twice"]),
        ]
    )
    func problems(_ text: String, _ messages: [String]) throws {
        let marked = Marked(text)
        #expect(try marked.found() == marked.expected(messages))
    }

    @Test("all problems of a file are reported at once, in the order of their places, with the file's name")
    func several() throws {
        let marked = Marked(
            #"""
            {"graph": "house", ¦"titel": "x", "nodes": {
              "indoor":  {"set": ¦"numbr", "initial": 20},
              "warm":    {"from": ¦"indor", "pipe": [{¦"filtre": "value > 0"}, {"map": "value + ¦valu"}]},
              "climate": {"combine": {"t": "indoor"}, "map": "t +¦"},
              ¦"nothing": {}
            }}
            """#
        )
        let (definition, problems) = GraphDefinition.read(
            try Document.parse(json: marked.text),
            file: "house.yaml"
        )
        #expect(definition == nil)
        #expect(problems.map(\.position) == marked.places, "\(problems)")
        #expect(problems.allSatisfy { $0.description.hasPrefix("house.yaml:") })
        #expect(
            problems.map(\.hint).prefix(4) == [
                "did you mean 'title'?", "did you mean 'number'?", "did you mean 'indoor'?",
                "did you mean 'filter'?",
            ]
        )
    }

    @Test(
        "without a key `graph` the graph is called as its file",
        arguments: [
            ("house.yaml", "house"), ("config/graphs/my-house.json", "my-house"), ("a.b.yaml", "a.b"),
        ]
    )
    func fileName(_ file: String, _ name: String) throws {
        let (definition, _) = GraphDefinition.read(try Document.parse(json: #"{"nodes": {}}"#), file: file)
        #expect(definition?.name == name)
        #expect(definition?.mode == .settled)
    }

    @Test("what a definition says is all there")
    func whole() throws {
        let text = #"""
            {"graph": "g", "title": "A graph", "mode": "immediate", "nodes": {
              "x": {"set": "integer", "min": 0, "initial": 3, "ttl": "30s", "requireIfMatch": true,
                    "confirm": true, "history": 600, "unit": "°C", "title": "X", "description": "what x is"},
              "kept": {"from": "x", "pipe": [{"map": "value + 1"}], "retain": "always"},
              "lean": {"combine": ["x", "kept"], "map": "value[0] + value[1]"},
              "one":  {"merge": ["x", "kept", "x"]},
              "pick": {"flatten": {"from": "x", "to": {"3": "kept"}, "otherwise": "one"}}
            }}
            """#
        let (definition, problems) = GraphDefinition.read(try Document.parse(json: text), file: nil)
        #expect(problems.map(\.description) == [])
        let graph = try #require(definition)
        #expect(graph.title == "A graph")
        #expect(graph.mode == .immediate)
        let x = try #require(graph["x"])
        guard case .mutable(let mutable) = x.kind else {
            Issue.record("x is not mutable")
            return
        }
        #expect(mutable.check.kind == .integer)
        #expect(mutable.check.min == Number(0))
        #expect(mutable.initial == (try Datum.parse("3")))
        #expect(mutable.ttl?.milliseconds == 30_000)
        #expect(mutable.requiresIfMatch && mutable.confirms)
        #expect([x.title, x.unit, x.description] == ["X", "°C", "what x is"])
        #expect(x.history.count == 600)
        #expect(x.position == Position(line: 2, column: 3))
        #expect(graph.nodes.map(\.retain) == [.always, .always, .whileInUse, .always, .always])
        #expect(graph["one"]?.inputs == ["x", "kept"])
        #expect(graph["pick"]?.inputs == ["x", "kept", "one"])
        #expect(graph.nodes.map(\.kindName) == [.mutable, .derived, .derived, .derived, .derived])
    }
}
