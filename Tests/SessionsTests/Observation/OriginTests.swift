import Commits
import Support
import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions

@Suite("Where values come from")
struct OriginTests {
    let bench = Bench()

    /// `origin by` of a node's present value, as `explain` says.
    private func origin(_ graph: LiveGraph, _ name: String) throws -> String {
        let node = try #require(graph.node(name))
        return try bytes(GraphView.explain(node, to: .full)) { text in
            let first = try #require(text["nodes"]?.elements.first { _ in true })
            return words(first)
        }
    }

    /// The same of each emission in its history.
    private func history(_ graph: LiveGraph, _ name: String) throws -> [String] {
        let node = try #require(graph.node(name))
        return try bytes(try HistoryAnswer(in: graph).json(of: node, limit: 100)) { text in
            Array(try #require(text["d"]?.elements)).map(words)
        }
    }

    private func bytes<Result>(_ json: [UInt8], _ body: (JSONReader) throws -> Result) throws -> Result {
        try json.withBorrowedBytes { try body(JSONReader(validated: $0)) }
    }

    private func words(_ reader: JSONReader) -> String {
        [reader["origin"]?.string ?? "?", reader["by"]?.string].compactMap(\.self).joined(separator: " ")
    }

    private static let house = """
        {"graph": "g", "nodes": {
          "a": {"set": "number", "initial": 1, "history": 9},
          "b": {"set": "number", "ttl": 10, "history": 9},
          "twice": {"from": "a", "pipe": [{"map": "value * 2"}], "history": 9},
          "plain": {"from": "twice", "pipe": [{"map": "value + 1"}]},
          "even": {"from": "a", "pipe": [{"filter": "value % 2.0 == 0.0"}], "history": 9},
          "late": {"from": "a", "pipe": [{"delay": "5ms"}], "history": 9},
          "s.{id}": {"set": "number", "expire": "20ms"},
          "count": {"all": "s.*", "reduce": "count", "history": 9}
        },
         "links": [{"from": "even", "to": "b"}]}
        """

    @Test("X-12: the kinds of causes, and who is behind them, in explain and in histories")
    func kinds() throws {
        let graph = try bench.define(Self.house)
        for name in ["a", "twice", "plain", "b"] { #expect(try origin(graph, name) == "initial", "\(name)") }
        try bench.submit(graph, [("a", "2")], by: "ann")
        bench.endTurn()
        for name in ["a", "twice", "plain", "even"] {
            #expect(try origin(graph, name) == "set ann", "\(name)")
        }
        #expect(try origin(graph, "b") == "link ann")
        bench.pass(5)
        #expect(try origin(graph, "late") == "tick")
        bench.pass(6)
        #expect(try bench.read(graph, "b") == "empty")
        #expect(try origin(graph, "b") == "expiry")
        try bench.submit(graph, [("a", "3")])
        bench.endTurn()
        #expect(try origin(graph, "plain") == "set" && origin(graph, "even") == "set ann")
        #expect(try history(graph, "a") == ["initial", "set ann", "set"])
        #expect(try history(graph, "twice") == ["initial", "set ann", "set"])
        #expect(try history(graph, "even") == ["set ann"])
        #expect(try history(graph, "b") == ["link ann", "expiry"])
        #expect(try Set(history(graph, "late")) == ["tick"])
    }

    @Test("X-12: a member that was not set for too long is gone by expiry, one that is dropped by set")
    func members() throws {
        let graph = try bench.define(Self.house)
        try bench.submit(graph, [("s.1", "1")], by: "ann")
        bench.endTurn()
        #expect(try origin(graph, "s.1") == "set ann" && origin(graph, "count") == "set ann")
        bench.pass(21)
        #expect(try bench.read(graph, "count") == "0")
        #expect(try origin(graph, "count") == "expiry")
        try bench.submit(graph, [("s.2", "1")])
        let client = bench.connect()
        client.ask(#"{"op":"drop","id":1,"graph":"g","node":"s.2"}"#)
        #expect(try origin(graph, "count") == "set")
    }

    @Test("X-12: a source node has its upstream's word, also from the log")
    func sources() throws {
        let graph = try bench.define(
            """
            {"graph": "g", "upstreams": {"u": {"url": "https://example.org"}},
             "nodes": {"x": {"source": {"get": "u:/x"}, "history": 5},
               "y": {"from": "x", "pipe": [{"map": "value + 1"}]}}}
            """
        )
        var commit = Commit(fedTo: graph)
        commit.set.append(Assignment(try #require(graph.node("x")), try Datum.parse("4")))
        let stored = try Commit(commit.entry(), of: graph)
        #expect(stored.origin == .source)
        _ = bench.host.submit(commit)
        bench.endTurn()
        #expect(try origin(graph, "x") == "source source" && origin(graph, "y") == "source source")
        #expect(try history(graph, "x") == ["source source"])
    }

    @Test("X-12: causes outlive a restore, and a snapshot without them says restore")
    func restored() throws {
        let graph = try bench.define(Self.house)
        try bench.submit(graph, [("a", "2")], by: "ann")
        bench.pass(6)
        let (second, same) = try bench.continued(graph, from: SavedGraph(graph: graph).save())
        for name in ["a", "twice", "plain", "even", "b", "late"] {
            #expect(try origin(same, name) == origin(graph, name), "\(name)")
        }
        #expect(try history(same, "a") == ["initial", "set ann"])
        let old = try SavedGraph(graph: graph, format: SavedGraph.versionWithoutCauses).save()
        let (third, former) = try bench.continued(graph, from: old)
        #expect(try origin(former, "a") == "restore ann" && origin(former, "twice") == "restore ann")
        #expect(try history(former, "a") == ["restore", "restore"])
        try third.submit(former, [("a", "7")])
        #expect(try origin(former, "a") == "set")
        withExtendedLifetime(second) {}
    }

    private let reader = Access(
        Principal(name: "v", grants: [.init(nodes: ["plain", "twice"], can: .read)])
    )

    @Test("X-12: who has set a node that the caller may not read is not said of what follows from it")
    func hidden() throws {
        let graph = try bench.define(Self.house)
        try bench.submit(graph, [("a", "2")], by: "ann")
        let node = try #require(graph.node("plain"))
        let text = String(decoding: GraphView.explain(node, to: reader), as: UTF8.self)
        #expect(text.contains(#""origin":"set""#) && !text.contains("ann"))
    }

    @Test("X-12: a computed past has the causes of what it is computed from")
    func computed() throws {
        let graph = try bench.define(Self.house)
        try bench.submit(graph, [("a", "2")], by: "ann")
        try bench.submit(graph, [("a", "3")])
        bench.endTurn()
        let node = try #require(graph.node("plain"))
        for (access, author) in [(Access.full, "set ann"), (reader, "set")] {
            let past = try #require(KeptSamples(of: node, since: nil, epoch: nil, limit: 9, for: access))
            let answer = past.answer(limits: .ample, definitions: DefinitionOptions()) { true }
            guard case .body(let json) = answer else { throw StoreError("\(answer)") }
            let causes = try bytes(json) { Array(try #require($0["d"]?.elements)).map(words) }
            #expect(causes == ["initial", author, "set"])
        }
    }

    @Test("X-11, X-12: an entry of the log keeps the path and the link, and one without them is as before")
    func entries() throws {
        var entry = LogEntry(graph: "g")
        entry.set = [LogEntry.Assignment("a", Array("1".utf8))]
        var plain: [UInt8] = []
        entry.append(to: &plain)
        #expect(plain.first == 1)
        entry.path = ["s/g/x", "?1"]
        entry.isOfLink = true
        var bytes: [UInt8] = []
        entry.append(to: &bytes)
        for end in 0..<bytes.count {
            bytes[..<end].withBorrowedBytes { part in
                var reader = LogBytesReader(part)
                #expect(throws: LogBytesError.self) { try LogEntry(graph: "g", from: &reader) }
            }
        }
        let read = try bytes.withBorrowedBytes { all in
            var reader = LogBytesReader(all)
            return try LogEntry(graph: "g", from: &reader)
        }
        #expect(read == entry)
        let graph = try bench.define(#"{"graph": "g", "nodes": {"a": {"set": "any"}}}"#)
        let commit = try Commit(entry, of: graph)
        #expect(commit.path?.entries == entry.path && commit.origin == .link && commit.entry() == entry)
    }
}
