@testable import Definitions
@testable import Graphs
@testable import Sessions
@testable import ReactiveGraph
import Testing
import Values

@Suite("The catalogue of operators")
struct CatalogueTests {
    let catalogue = Catalogue.standard

    @Test("every word is there once, and finds its row")
    func words() {
        let words = catalogue.all.flatMap { [$0.name] + ($0.alias.map { [$0] } ?? []) }
        #expect(Set(words).count == words.count)
        for row in catalogue.all {
            #expect(catalogue[row.name]?.name == row.name)
        }
        #expect(catalogue["throttle"]?.name == "debounce")
        #expect(catalogue["mapp"] == nil)
    }

    @Test("the example of every stage can be read, and is one of this operator", arguments: stages)
    func examples(row: OperatorRow) throws {
        let stage = try stage(of: row.example)
        #expect(stage.operator.name == row.name)
    }

    @Test("an alias is the operator under another word")
    func alias() throws {
        #expect(try stage(of: #"{"throttle": "5s"}"#).key == "debounce(5000;trailing)")
    }

    @Test("every stage and every source is made of the library's edges and operators", arguments: rows)
    func libraryOperators(row: OperatorRow) throws {
        let bench = Bench()
        let graph = try bench.define(
            #"{"graph":"g","nodes":{"a":{"set":"any","initial":1},"b":{"set":"any","initial":2}}}"#
        )
        let a = graph.builder.materialise(try #require(graph.node("a")))
        let made: Node<Datum>
        if row.isStage {
            let site = GraphSite(in: graph, at: "g", for: nil)
            made = try stage(of: row.example).make(site).derive(a)
        } else {
            let source = try source(of: row)
            let members = source.argument.glob.map { AllMembers($0, in: graph, for: .full, counting: nil) }
            let site = GraphSite(in: graph, at: "g", for: nil, members: members)
            made = withExtendedLifetime(members) { graph.builder.source(source, at: site) }
        }
        let edges = made.core.incoming
        guard row.name != "from" else { return #expect(made === a, "nothing is made") }
        #expect(!edges.isEmpty)
        for edge in edges {
            #expect(type(of: edge) == Edge.self || row.name == "all")
            guard let state = edge.side?.state else { continue }
            // As in `OperatorState<Policied<Map<Datum, Datum>>>`, only policy and values are the
            // host's.
            let words = String(reflecting: type(of: state)).split { "<>, ".contains($0) }
            let modules: Set<Substring> = ["Values", "Definitions", "Graphs", "Sessions"]
            let own = words.filter { modules.contains($0.prefix { $0 != "." }) }
            let hosts: Set<String> = ["Definitions.Policied", "Values.Datum", "Values.Number"]
            #expect(Set(own.map { String($0) }).isSubset(of: hosts), "\(words)")
        }
        let name = row.name == "all" ? "Gather" : row.name
        #expect(row.isStage || edges.allSatisfy { $0.name == name }, "\(edges.map(\.name))")
    }

    @Test("the example of every source can be read, and is one of this operator", arguments: sources)
    func sourceExamples(row: OperatorRow) throws {
        #expect(try source(of: row).operator === row)
    }

    private static let sources = Catalogue.standard.all.filter(\.isSource)
    private static let rows = sources + stages
    private static let stages = Catalogue.standard.all.filter(\.isStage)

    private func stage(of example: String) throws -> Stage {
        let (stages, problems) = Stage.parse(try Document.parse(json: "[\(example)]"))
        #expect(problems.map(\.description) == [])
        #expect(stages.count == 1)
        return try #require(stages.first)
    }

    private func source(of row: OperatorRow) throws -> Source {
        let document = try Document.parse(json: row.isStage ? row.example : "{\(row.example)}")
        var beside: [String: Document] = [:]
        for key in Source.clientKeys { beside[key] = document[key] }
        let (source, problems) = Source.parse(row.name, try #require(document[row.name]), beside: beside)
        #expect(problems.map(\.description) == [])
        return try #require(source)
    }

    @Test("the answer of GET /v1/operators is JSON with a row for every operator")
    func answer() throws {
        var bytes: [UInt8] = []
        catalogue.append(to: &bytes)
        let document = try Document.parse(json: String(decoding: bytes, as: UTF8.self))
        let rows = try #require(document["operators"]?.elements)
        #expect(rows.map { $0["name"]?.scalar?.text } == catalogue.all.map(\.name))
        for (row, known) in zip(rows, catalogue.all) {
            #expect(row["stage"]?.scalar?.value == .bool(known.isStage))
            #expect(row["private"]?.scalar?.value == .bool(known.isPrivate))
            #expect(row["summary"]?.scalar?.text == known.summary)
        }
    }
}
