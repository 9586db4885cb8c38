import Testing
import Values

@testable import Graphs
@testable import Sessions

@Suite("The first of all")
struct TopTests {
    let bench = Bench()
    let graph: LiveGraph

    init() throws {
        graph = try bench.define(
            #"""
            {"graph":"g","nodes":{"s.{id}":{"set":"any"},
            "best":{"all":"s.*","reduce":{"top":2,"by":"value == 0 ? null : value"}},
            "names":{"all":"s.*","reduce":{"top":2,"by":"-value"},"map":"value.map(each, each.node)"}}}
            """#
        )
    }

    private func list(_ entries: (String, Int)...) -> String {
        "[\(entries.map { #"{"node":"\#($0)","value":\#($1)}"# }.joined(separator: ","))]"
    }

    @Test("X-7: the greatest first, ties by name; null is left out", arguments: [false, true])
    func order(isListened: Bool) throws {
        let client = bench.connect()
        if isListened { client.ask(#"{"op":"sub","id":1,"graph":"g","node":"best"}"#) }
        #expect(try bench.read(graph, "best") == "[]")
        try bench.set(graph, [("s.c", "5"), ("s.b", "5"), ("s.a", "0"), ("s.d", "1")])
        #expect(try bench.read(graph, "best") == list(("s.b", 5), ("s.c", 5)))
        #expect(try bench.read(graph, "names") == #"["s.a","s.d"]"#)
        try bench.set(graph, [("s.b", "0")])
        #expect(try bench.read(graph, "best") == list(("s.c", 5), ("s.d", 1)))
        try bench.set(graph, [("s.a", "5")])
        #expect(try bench.read(graph, "best") == list(("s.a", 5), ("s.c", 5)))
        try bench.submit(graph, [("s.e", "5.5")], clear: ["s.a", "s.c"])
        bench.endTurn()
        #expect(try bench.read(graph, "best") == #"[{"node":"s.e","value":5.5},{"node":"s.d","value":1}]"#)
        try bench.submit(graph, [], clear: ["s.b", "s.d", "s.e"])
        bench.endTurn()
        #expect(try bench.read(graph, "best") == "[]")
    }

    @Test("X-7: a failure of `by`, or what is neither a number nor null, fails and names the node")
    func failures() throws {
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"best"}"#)
        try bench.set(graph, [("s.a", "1"), ("s.b", #""x""#)])
        #expect(client.take().joined().contains("'by' must be a number or null; s.b is a string"))
        try bench.set(graph, [("s.b", "[]"), ("s.c", "2")])
        #expect(client.take().joined().contains("s.b"))
        try bench.set(graph, [("s.b", "3")])
        #expect(client.take().joined().contains(list(("s.b", 3), ("s.c", 2))))
    }

    @Test("X-7: clients join by top as well, after the commit")
    func clients() throws {
        let client = bench.connect()
        try bench.set(graph, [("s.a", "1"), ("s.b", "2")])
        let ask = #"{"op":"sub","id":1,"graph":"g","all":"s.*","reduce":{"top":1,"by":"value"}}"#
        #expect(client.ask(ask).joined().contains(list(("s.b", 2))))
        try bench.set(graph, [("s.c", "3")])
        #expect(client.take().joined().contains(list(("s.c", 3))))
        for wrong in [
            #"{"top":0,"by":"value"}"#, #"{"top":1,"by":"time"}"#, #"{"top":1001,"by":"value"}"#,
            #"{"top":1}"#, #""top""#,
        ] {
            let answer = client.ask(#"{"op":"sub","id":2,"graph":"g","all":"s.*","reduce":\#(wrong)}"#)
            #expect(answer.joined().contains(#""op":"err","id":2,"#), "\(answer)")
        }
        client.session.close()
        #expect(graph.isWhole)
    }
}
