@testable import GraphHost
import ReactiveGraph
import Testing

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

    @Test("every stage is an operator of the library with the host's policy around it", arguments: stages)
    func libraryOperators(row: OperatorRow) throws {
        let bench = Bench()
        let site = StageSite(
            graph: try bench.define(#"{"graph":"g","nodes":{}}"#),
            timers: TimerQueue { .zero },
            place: "g"
        )
        let base = try stage(of: row.example).make(site).base
        #expect(String(reflecting: base).hasPrefix("ReactiveGraph."))
    }

    private static let stages = Catalogue.standard.all.filter(\.isStage)

    private func stage(of example: String) throws -> Stage {
        let (stages, problems) = Stage.parse(try Document.parse(json: "[\(example)]"))
        #expect(problems.map(\.description) == [])
        #expect(stages.count == 1)
        return try #require(stages.first)
    }

    @Test("the answer of GET /v1/operators is JSON with a row for every operator")
    func answer() throws {
        var bytes: [UInt8] = []
        catalogue.append(to: &bytes)
        let document = try Document.parse(json: String(decoding: bytes, as: UTF8.self))
        let rows = try #require(document["operators"]?.elements)
        #expect(rows.map { $0["name"]?.scalar?.text } == catalogue.all.map(\.name))
        for (row, known) in zip(rows, catalogue.all) {
            #expect(row["supported"]?.scalar?.value == .bool(true))
            #expect(row["stage"]?.scalar?.value == .bool(known.isStage))
            #expect(row["private"]?.scalar?.value == .bool(known.isPrivate))
            #expect(row["summary"]?.scalar?.text == known.summary)
        }
    }
}
