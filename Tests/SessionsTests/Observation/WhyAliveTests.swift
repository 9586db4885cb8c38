import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions

private let graphText = """
    {"graph": "g", "nodes": {
      "x": {"set": "number", "initial": 1},
      "to": {"set": "number"},
      "double": {"from": "x", "pipe": [{"map": "value * 2"}]},
      "deep": {"from": "double", "pipe": [{"map": "value + 1"}, {"map": "value + 2"}]},
      "kept": {"from": "deep", "retain": "untilPressure"}
    }, "links": [{"from": "double", "to": "to", "pipe": [{"map": "value"}]}]}
    """

@Suite("Why a node is alive (I-2)")
struct WhyAliveTests {
    private let bench = Bench()
    private let graph: LiveGraph

    init() throws {
        graph = try bench.define(graphText)
    }

    private func why(_ name: String, limit: Int = 16) throws -> String {
        let view = try GraphView(graph, for: .full)
        return String(
            decoding: try view.whyAlive(try #require(graph.node(name)), limit: limit),
            as: UTF8.self
        )
    }

    /// The ways, without the numbers of nodes.
    private func ways(_ name: String, limit: Int = 16) throws -> [String] {
        let datum = try Datum.parse(try why(name, limit: limit))
        return datum.withBytes { bytes in
            let ways = (JSONReader(validated: bytes)["ways"]?.elements).map(Array.init) ?? []
            return ways.map { way in
                var text = way["by"]?.string ?? ""
                let owners = (way["owners"]?.elements).map { $0.compactMap(\.string) } ?? []
                if !owners.isEmpty { text += " \(owners.joined(separator: "+"))" }
                for step in (way["path"]?.elements).map(Array.init) ?? [] {
                    if let via = step["via"]?.string { text += " -\(via)-" }
                    text +=
                        " " + (step["name"]?.string ?? step["label"]?.string ?? step["chain"]?.string ?? "?")
                }
                return text
            }
        }
    }

    @Test("I-2: always, links and what is kept until memory is short are named with the nodes on the way")
    func kept() throws {
        #expect(try ways("x") == ["always x", "always to -links- value -map- double -map- x"])
        #expect(try ways("double") == ["always to -links- value -map- double"])
        let before = graph.statistics
        #expect(try why("deep").hasSuffix(#""retain":"whileInUse","exists":false,"ways":[]}"# + "\n"))
        #expect(graph.statistics == before, "asking makes nothing")
        _ = graph.read(try #require(graph.node("kept")))
        #expect(try ways("deep") == ["untilPressure kept -link- deep"])
        #expect(try ways("kept") == ["untilPressure kept"])
        #expect(
            try why("kept").contains(
                #""node":"kept","epoch":"e1","rev":1,"t":5000000,"retain":"untilPressure","exists":true,"#
            )
        )
    }

    @Test("I-2: an edge has the word of the operator that a node begins with")
    func words() throws {
        let text = #"""
            {"graph": "h", "nodes": {
              "x": {"set": "any"},
              "merged": {"merge": ["x"], "retain": "always"},
              "switched": {"switch": {"from": "x", "by": "value"}, "retain": "always"},
              "chosen": {"case": {"of": "switched", "key": 1}, "retain": "always"}
            }}
            """#
        let other = try bench.define(text)
        let view = try GraphView(other, for: .full)
        let bytes = try view.whyAlive(try #require(other.node("x")), limit: 16)
        let why = String(decoding: bytes, as: UTF8.self)
        for word in ["merge", "switch", "case"] { #expect(why.contains(#""via":"\#(word)""#), "\(why)") }
    }

    @Test(
        "I-2: listeners are named with connection, client, subscriptions and owners, also those of groups and pipelines"
    )
    func listeners() throws {
        let first = bench.connect()
        let second = bench.connect()
        let (c, d) = ("c:\(first.session.number)", "c:\(second.session.number)")
        _ = first.ask(#"{"op":"hello","id":90,"client":"tablet/1"}"#)
        _ = first.ask(#"{"op":"sub","id":1,"graph":"g","node":"deep"}"#)
        _ = first.ask(#"{"op":"sub","id":2,"graph":"g","node":"deep"}"#)
        #expect(try ways("deep") == ["listener \(c) deep"], "one way for each owner")
        #expect(
            try why("deep").contains(
                "{\"by\":\"listener\",\"l\":\"\(c)\",\"client\":\"tablet/1\",\"transport\":\"ws\",\"subs\":[1,2],\"owners\":[\"\(c)\"],\"path\":["
            )
        )
        _ = second.ask(#"{"op":"sub","id":1,"graph":"g","node":"deep","owner":["panel","side"]}"#)
        _ = second.ask(#"{"op":"sub","id":2,"graph":"g","node":"deep","owner":"panel"}"#)
        _ = second.ask(#"{"op":"sub","id":3,"graph":"g","nodes":["dee*"]}"#)
        _ = second.ask(#"{"op":"sub","id":4,"graph":"g","node":"deep","pipe":[{"map":"value / 2"}]}"#)
        #expect(
            Set(try ways("deep")) == [
                "listener \(c) deep", "listener \(d)/panel+\(d)/side deep", "listener \(d)/panel deep",
                "listener \(d) deep", "listener \(d) value / 2 -map- deep",
            ]
        )
        #expect(!(try why("x", limit: 100)).contains("reference"), "the server holds nodes in no other way")
        second.session.close(.reset)
        bench.endTurn()
        _ = first.ask(#"{"op":"unsub","id":1}"#)
        _ = first.ask(#"{"op":"unsub","id":2}"#)
        #expect(try why("deep").contains(#""exists":false"#))
    }

    @Test("I-2: at most limit ways are shown, and more says that there are others")
    func limit() throws {
        let clients = (0..<5).map { _ in bench.connect() }
        for client in clients { _ = client.ask(#"{"op":"sub","id":1,"graph":"g","node":"deep"}"#) }
        #expect(try ways("deep", limit: 3).count == 3)
        #expect(try why("deep", limit: 3).hasSuffix("],\"more\":true}\n"))
        #expect(try !why("deep", limit: 5).contains("more"))
        #expect(try ways("deep", limit: 5).count == 5)
        #expect(try ways("x", limit: 1) == ["always x"] && why("x", limit: 1).contains("more"))
    }

    @Test("I-2: the right to see all that lives in the graph is needed")
    func rights() throws {
        let reader = Principal(name: "p", grants: [Principal.Grant(can: .customary)])
        let view = try GraphView(graph, for: Access(reader))
        let node = try #require(graph.node("x"))
        let error = #expect(throws: HostError.self) { _ = try view.whyAlive(node, limit: 1) }
        #expect(error?.code == .forbidden)
    }
}
