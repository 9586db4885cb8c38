@testable import Definitions
@testable import Graphs
@testable import Sessions
import ReactiveGraph
import Support
import Testing
import Values

/// A source is its operator, its row and its test: here are all three.
@Suite("A new source")
struct NewSourceTests {
    /// What would be its row in `Sources/Definitions/Operators/SourceRows.swift`.
    private static let row = OperatorRow.source(
        "firstOf",
        NodeListArgument.self,
        takes: "a list of nodes",
        gives: { $1.joined($0.inputs) },
        .none,
        onFail: "passes",
        "The value of the first node that has one.",
        example: #""firstOf":["a","b"]"#
    ) { _, _, inputs in .firstOf(inputs) }

    private let bench: Bench
    private let graph: LiveGraph

    init() throws {
        var options = DefinitionOptions()
        options.catalogue = Catalogue(Catalogue.standard.all + [Self.row])
        bench = Bench(definitions: options)
        graph = try bench.define(
            #"{"graph":"g","nodes":{"a":{"set":"any"},"b":{"set":"any"},"out":{\#(Self.row.example),"pipe":[{"map":"value * 10"}]}}}"#
        )
    }

    @Test("a row is all that definitions need to know of it")
    func definition() throws {
        #expect(try bench.read(graph, "out") == "empty")
        try bench.set(graph, [("b", "2")])
        #expect(try bench.read(graph, "out") == "20")
        try bench.set(graph, [("a", "1")])
        #expect(try bench.read(graph, "out") == "10")
    }

    @Test("clients subscribe to it, evaluate it once, and share its chain")
    func pipelines() throws {
        try bench.set(graph, [("b", "2")])
        let clients = [bench.connect(), bench.connect()]
        for client in clients { client.ask(#"{"op":"sub","id":1,"graph":"g",\#(Self.row.example)}"#) }
        #expect(graph.chains.all.map(\.key.text) == ["firstOf(a,b)"])
        try bench.set(graph, [("a", "1")])
        for client in clients { #expect(Told(client.take())[1] == ["1"]) }
        let request = "{\(Self.row.example)}"
        let answer = try request.withBorrowedBytes {
            try GraphView(graph, for: .full).evaluate($0)
        }
        #expect(String(decoding: answer, as: UTF8.self).contains(#""v":1}"#))
    }

    @Test("problems name it; the list of operators and the schema for editors have it")
    func catalogue() throws {
        let catalogue = bench.host.definitions.catalogue
        func problems(_ node: String) throws -> [String] {
            GraphDefinition.read(
                try Document.parse(json: #"{"graph":"g","nodes":{"a":{"set":"any"},"x":\#(node)}}"#),
                file: nil,
                options: bench.host.definitions
            )
            .problems.map(\.message)
        }
        #expect(try problems(#"{"firstOf":"a"}"#) == ["firstOf must be a list of nodes, not a string"])
        #expect(try problems(#"{"firstOf":["c"]}"#) == ["there is no node 'c'"])
        #expect(
            try problems(#"{"firstof":["a"]}"#).contains { $0.hasPrefix("unknown key 'firstof' of a node") }
        )
        #expect(
            try problems(#"{"firstOf":["a"],"from":"a"}"#)
                == ["node 'x' has firstOf and from: only one of them is allowed"]
        )
        var bytes: [UInt8] = []
        catalogue.append(to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self).contains(#"{"name":"firstOf","arguments":"a list"#))
        let schema = try Document.parse(json: catalogue.definitionSchema)
        let forms = schema["$defs"]?["node"]?["oneOf"]?.elements ?? []
        let form = try #require(forms.first { $0["title"]?.scalar?.text == "firstOf" }?["properties"])
        #expect(form["firstOf"]?["$ref"]?.scalar?.text == "#/$defs/names")
        #expect(form["map"] == nil && form["pipe"] != nil)
        #expect(Catalogue.standard["firstOf"] == nil)
    }
}

extension Node {
    /// The value of the first node that has one: what would be
    /// `Sources/ReactiveGraph/Operators/FirstOf.swift`.
    fileprivate static func firstOf(_ nodes: [Node<Value>]) -> Node<Value> {
        Graph.join(nodes, named: "FirstOf") { emissions, _ in emissions.first { !$0.isEmpty } ?? .empty }
    }
}
