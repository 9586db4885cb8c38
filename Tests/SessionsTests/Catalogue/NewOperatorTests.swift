@testable import Definitions
@testable import Graphs
@testable import Sessions
import ReactiveGraph
import Testing
import Values

/// An operator is its file, its row and its test: here are all three.
@Suite("A new operator")
struct NewOperatorTests {
    /// Passes every so many values: what would be `Sources/ReactiveGraph/Operators/Every.swift`.
    private struct Every<Value>: Operator {
        let count: Int
        var seen = 0
        var name: String { "Every" }

        mutating func receive(_ value: Value, at site: Site) -> Emission<Value>? {
            seen += 1
            return seen.isMultiple(of: count) ? .value(value) : nil
        }
    }

    /// What would be its row in `Sources/Definitions/Operators/StageRows.swift`.
    private static let row = OperatorRow.stage(
        "every",
        Int.self,
        takes: "a number",
        gives: { _, input in input },
        words: { "one of \($0)" },
        .history,
        isPrivate: true,
        onFail: "passes, counts",
        "Every so many values.",
        example: #"{"every":2}"#
    ) { count, site in
        site.stage(Every(count: max(1, count)), .count)
    }

    private let bench: Bench

    init() {
        var options = DefinitionOptions()
        options.catalogue = Catalogue(Catalogue.standard.all + [Self.row])
        bench = Bench(definitions: options)
    }

    @Test("a row is all that definitions need to know of it")
    func definition() throws {
        let graph = try bench.define(
            #"{"graph":"g","nodes":{"x":{"set":"any"},"out":{"from":"x","pipe":[\#(Self.row.example),{"map":"value * 10"}]}}}"#
        )
        var held: [String] = []
        for value in 1...4 {
            try bench.set(graph, [("x", "\(value)")])
            held.append(try bench.read(graph, "out"))
        }
        #expect(held == ["empty", "20", "20", "40"])
    }

    @Test("clients use it in their pipelines, one each, because its row says that it is private")
    func pipelines() throws {
        let graph = try bench.define(#"{"graph":"g","nodes":{"x":{"set":"any"}}}"#)
        func connect() -> Client {
            let client = bench.connect()
            client.ask(
                #"{"op":"sub","id":1,"graph":"g","node":"x","mode":"all","pipe":[\#(Self.row.example)]}"#
            )
            return client
        }
        let early = connect()
        try bench.set(graph, [("x", "1")])
        try bench.set(graph, [("x", "2")])
        // The value that it finds counts as its first.
        let late = connect()
        try bench.set(graph, [("x", "3")])
        try bench.set(graph, [("x", "4")])
        #expect(Told(early.take())[1] == ["2", "4"])
        #expect(Told(late.take())[1] == ["3"])
    }

    @Test("problems name it, and the list of operators has it")
    func catalogue() throws {
        func problems(_ pipe: String) throws -> [String] {
            Stage.parse(try Document.parse(json: pipe), options: bench.host.definitions).problems
                .map(\.description)
        }
        #expect(try problems(#"[{"evry":2}]"#).first?.contains("every") == true)
        #expect(try problems(#"["every"]"#).first?.contains("every needs a number") == true)
        var bytes: [UInt8] = []
        bench.host.definitions.catalogue.append(to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self).contains(#"{"name":"every","arguments":"a number""#))
        #expect(Catalogue.standard["every"] == nil)
    }
}
