import GraphHost
import Testing

@Suite("The catalogue of operators")
struct CatalogueTests {
    @Test("every word is there once, and finds its row")
    func words() {
        let words = Catalogue.all.flatMap { [$0.name] + ($0.alias.map { [$0] } ?? []) }
        #expect(Set(words).count == words.count)
        for row in Catalogue.all {
            #expect(Catalogue[row.name]?.name == row.name)
        }
        #expect(Catalogue["throttle"]?.name == "debounce")
        #expect(Catalogue["mapp"] == nil)
    }

    @Test("every stage of the catalogue can be read, by its name and by its alias")
    func stages() throws {
        let examples: [String: String] = [
            "map": #"{"map": "value"}"#, "replace": #"{"replace": null}"#,
            "ifEmpty": #"{"ifEmpty": {"a": [1]}}"#,
            "filter": #"{"filter": "true"}"#, "ignore": #"{"ignore": 1}"#, "select": #"{"select": "a"}"#,
            "ignoreNull": #""ignoreNull""#, "distinct": #""distinct""#, "delta": #""delta""#,
            "skip": #"{"skip": 1}"#, "take": #"{"take": 0}"#, "prefix": #"{"prefix": 3}"#,
            "scan": #"{"scan": {"start": 0, "with": "acc + value"}}"#,
            "window": #"{"window": {"count": 3, "of": "avg"}}"#, "debounce": #"{"debounce": "5s"}"#,
            "sample": #"{"sample": "5s"}"#, "delay": #"{"delay": 250}"#,
        ]
        for row in Catalogue.all where row.isStage {
            let example = try #require(examples[row.name], "no example of \(row.name)")
            let (stages, problems) = Stage.parse(try Document.parse(json: "[\(example)]"))
            #expect(problems.map(\.description) == [])
            #expect(stages.map(\.name) == [row.name])
            #expect(stages.first?.operator.name == row.name)
        }
        let throttle = Stage.parse(try Document.parse(json: #"[{"throttle": "5s"}]"#)).stages
        #expect(throttle.map(\.key) == ["debounce(5000;trailing)"])
        #expect(examples.count == Catalogue.all.filter(\.isStage).count)
    }

    @Test("the answer of GET /v1/operators is JSON with a row for every operator")
    func answer() throws {
        var bytes: [UInt8] = []
        Catalogue.append(to: &bytes)
        let document = try Document.parse(json: String(decoding: bytes, as: UTF8.self))
        let rows = try #require(document["operators"]?.elements)
        #expect(rows.map { $0["name"]?.scalar?.text } == Catalogue.all.map(\.name))
        for (row, known) in zip(rows, Catalogue.all) {
            #expect(row["supported"]?.scalar?.value == .bool(true))
            #expect(row["stage"]?.scalar?.value == .bool(known.isStage))
            #expect(row["private"]?.scalar?.value == .bool(known.isPrivate))
            #expect(row["summary"]?.scalar?.text == known.summary)
        }
    }
}
