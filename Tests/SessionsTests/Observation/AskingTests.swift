import Testing
import Values

@testable import Graphs
@testable import Sessions
import Support

private let house = """
    {"graph": "g", "nodes": {
      "x": {"set": "number", "initial": 2},
      "y": {"set": "any"},
      "pick": {"set": "any", "initial": "a"},
      "double": {"from": "x", "pipe": [{"map": "value * 2"}, {"map": "value + 1"}]},
      "sum": {"combine": {"a": "x", "b": "double"}, "map": "a + b"},
      "warm": {"from": "x", "pipe": [{"filter": "value > 1"}]},
      "shown": {"flatten": {"from": "pick", "to": {"a": "sum", "b": "x"}}}
    }}
    """

@Suite("Questions that leave nothing behind")
struct AskingTests {
    private let bench = Bench()
    private let graph: LiveGraph

    init() throws {
        graph = try bench.define(house)
    }

    private func eval(_ request: String) throws -> String {
        let bytes = try request.withBorrowedBytes {
            try GraphView(graph, for: .full).evaluate($0)
        }
        return String(decoding: bytes.dropLast(), as: UTF8.self)
    }

    private func explain(_ name: String, mayRead: (NamedNode) -> Bool = { _ in true }) throws -> String {
        let bytes = Explanation(of: try #require(graph.node(name)), mayRead: mayRead).json()
        return String(decoding: bytes.dropLast(), as: UTF8.self)
    }

    @Test("eval gives what a snap would say, and keeps nothing")
    func evaluating() throws {
        let before = graph.statistics
        let head = #"{"epoch":"e1","rev":1,"t":5000000,"#
        #expect(try eval(#"{"node":"double","pipe":[{"map":"value * 10"}]}"#) == head + #""v":50}"#)
        #expect(try eval(#"{"node":"x"}"#) == head + #""v":2}"#)
        #expect(try eval(#"{"node":"y","pipe":["delta"]}"#) == head + #""empty":true}"#)
        #expect(
            try eval(#"{"combine":{"p":"x","q":"double"},"pipe":[{"map":"value.p + value.q"}]}"#) == head
                + #""v":7}"#
        )
        #expect(
            try eval(#"{"node":"x","pipe":[{"map":"value / 0 == 1 ? 1 : value.z"}]}"#).contains(
                #""fail":{"code":"#
            )
        )
        var after = graph.statistics
        after.released = before.released
        #expect(after == before)
    }

    @Test("A chain that others hold is asked as it is, with its state")
    func shared() throws {
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x","pipe":[{"filter":"value < 5"}]}"#)
        try bench.set(graph, [("x", "9")])
        #expect(try eval(#"{"node":"x","pipe":[{"filter":"value < 5"}]}"#).contains(#""v":2"#))
        client.session.close()
        #expect(try eval(#"{"node":"x","pipe":[{"filter":"value < 5"}]}"#).contains(#""empty":true"#))
    }

    @Test("Problems are reported with their place in the request")
    func places() throws {
        let wrong: [(String, HostError.Code, String?)] = [
            (#"{"node":"x","pipe":[{"map":"value +"}]}"#, "expr_syntax", #""line":1,"column":3"#),
            ("{\"node\":\"x\",\n \"pipe\":[{\"map\":\"nope\"}]}", "expr_type", #""line":2,"column":18"#),
            (#"{"node":"x","pipe":["nope"]}"#, .badField, #""column":21"#),
            (#"{"node":"none"}"#, .unknownNode, nil), (#"{"combine":{"a":"none"}}"#, .unknownNode, nil),
            (#"{"node":"x","combine":{"a":"x"}}"#, .badField, nil), ("{}", .badField, nil),
            ("[]", .badField, nil),
            ("{", .badJSON, nil),
        ]
        for (request, code, place) in wrong {
            do {
                _ = try eval(request)
                Issue.record("\(request) was taken")
            } catch let error as HostError {
                #expect(error.code == code, "\(request): \(error)")
                if let place {
                    let text = String(decoding: error.problemsJSON ?? [], as: UTF8.self)
                    #expect(text.contains(place), "\(request): \(text)")
                }
            }
        }
        let client = bench.connect()
        let answer = client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x","pipe":[{"map":"1 +"}]}"#)
        #expect(answer[0].contains(#""problems":[{"code":"expr_syntax","line":1,"#))
    }

    @Test("explain shows writers, inputs and what each stage made of them, each node once")
    func explaining() throws {
        try bench.submit(graph, [("x", "3")], context: #"{"src":"m"}"#, by: "device:7")
        let before = graph.statistics.nodes
        #expect(
            try explain("sum") == #"{"node":"sum","epoch":"e1","rev":2,"t":5000000,"nodes":["#
                + #"{"node":"sum","kind":"derived","c":2,"t":5000000,"by":"device:7","origin":"set","v":10,"op":"combine","class":"none","inputs":["x","double"],"stages":[{"op":"combine","label":"combine","v":10}]},"#
                + #"{"node":"x","kind":"mutable","c":2,"t":5000000,"by":"device:7","origin":"set","ctx":{"src":"m"},"v":3},"#
                + #"{"node":"double","kind":"derived","c":2,"t":5000000,"by":"device:7","origin":"set","v":7,"op":"from","class":"none","inputs":["x"],"stages":[{"op":"map","label":"value * 2","v":6},{"op":"map","label":"value + 1","v":7}]}]}"#
        )
        #expect(graph.statistics.nodes == before)
        // A change without a writer does not keep the former one's name.
        try bench.submit(graph, [("x", "4")])
        #expect(!(try explain("x").contains("device:7")))
    }

    @Test(
        "A flatten shows the node it follows; state shows as class; nothing is shown beyond what may not be read"
    )
    func specialCases() throws {
        let shown = try explain("shown")
        #expect(shown.contains(#""op":"flatten","class":"history","inputs":["pick","sum"]"#), "\(shown)")
        try bench.submit(graph, [("pick", "\"b\"")])
        #expect(try explain("shown").contains(#""inputs":["pick","x"]"#))
        #expect(try explain("warm").contains(#""class":"history","inputs":["x"],"stages":[{"op":"filter","#))
        let secret = try explain("sum") { $0.name != "double" }
        #expect(secret.contains(#""inputs":["x",null]"#) && !secret.contains("value * 2"))
    }
}
