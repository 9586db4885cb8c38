import Testing

@testable import Definitions
@testable import Graphs
@testable import Sessions

private let house = """
    {"graph": "g", "nodes": {
      "x": {"set": "number", "initial": 1}, "y": {"set": "number"}, "k": {"set": "string", "initial": "x"},
      "f": {"set": "number", "fresh": "100ms"},
      "sum": {"combine": ["x", "y"], "map": "value"}, "twice": {"from": "x", "pipe": [{"map": "value * 2"}]},
      "chosen": {"flatten": {"from": "k", "to": {"x": "x", "y": "y"}}},
      "sign": {"if": {"from": "x", "when": "value < 0", "then": "minus", "else": "plus"}}
    }}
    """

@Suite("Facets of a node")
struct FacetTests {
    let bench = Bench()
    let graph: LiveGraph
    let client: Client

    init() throws {
        graph = try bench.define(house)
        client = bench.connect()
    }

    /// Reports something, and takes what the client receives.
    @discardableResult
    private func load(_ node: String, _ what: String) -> [String] {
        client.ask(#"{"op":"load","id":99,"graph":"g","node":"\#(node)",\#(what)}"#)
    }

    private func state(_ node: String) throws -> String {
        String(decoding: try #require(graph.node(node)).facetsJSON, as: UTF8.self)
    }

    private func refusal(_ what: String) -> String {
        load("x", what).joined()
    }

    // MARK: - L-1, L-2

    @Test("L-1 a producer reports loading, progress, errors and staleness; each is a commit")
    func reports() throws {
        #expect(try state("x") == #"{"t":5000000}"#)
        #expect(try state("y") == "{}", "never set")
        bench.clock.advance(by: 5)
        #expect(load("x", #""loading":true"#) == [#"{"op":"ok","id":99,"epoch":"e1","rev":2}"#])
        #expect(try state("x") == #"{"t":5000000,"loading":true}"#)
        load("x", #""progress":0.4"#)
        load("x", #""loading":true"#)
        #expect(try state("x") == #"{"t":5000000,"loading":true,"progress":0.4}"#, "as far as was said")
        load("x", #""error":{"code":"sensor_offline","msg":"no answer"}"#)
        let error = #""error":{"code":"sensor_offline","msg":"no answer","at":5000005}"#
        #expect(try state("x") == #"{"t":5000000,\#(error)}"#)
        load("x", #""invalidate":true"#)
        load("x", #""loading":true"#)
        #expect(try state("x") == #"{"t":5000000,"loading":true,"stale":true,\#(error)}"#)
        load("x", #""cancelled":true"#)
        #expect(try state("x") == #"{"t":5000000,"stale":true,\#(error)}"#)
        load("x", #""progress":1"#)
        load("x", #""loading":false"#)
        #expect(try state("x") == #"{"t":5000000,"stale":true,\#(error)}"#)
        #expect(graph.rev == 10)
        #expect(graph.node("y")?.hasFacets == false)
    }

    @Test(
        "L-2 an error leaves the value and its tag; a set clears everything in its commit; notModified renews t"
    )
    func cleared() throws {
        load("x", #""error":{"code":"offline"}"#)
        load("x", #""invalidate":true"#)
        load("x", #""progress":0.5"#)
        #expect(try bench.read(graph, "x") == "1")
        let node = try #require(graph.node("x"))
        #expect(graph.read(node).changed == 1, "the tag is the value's")
        bench.clock.advance(by: 7)
        try bench.set(graph, [("x", "1")])
        #expect(try state("x") == #"{"t":5000007}"#)
        load("x", #""error":{"code":"offline"}"#)
        load("x", #""invalidate":true"#)
        bench.clock.advance(by: 1)
        load("x", #""notModified":true"#)
        #expect(try state("x") == #"{"t":5000008}"#)
        #expect(graph.read(node).changed == 5 && graph.rev == 8)
        // What a client makes empty has no state either; and neither what a batch sets.
        load("x", #""error":{"code":"offline"}"#)
        try bench.submit(graph, [("y", "2")], clear: ["x"])
        #expect(try state("x") == "{}")
        load("x", #""loading":true"#)
        try bench.submit(graph, [("y", "2"), ("x", "3")])
        #expect(try state("x") == #"{"t":5000008}"#)
        #expect(graph.facets.speaking == 0)
    }

    @Test("L-1 bad reports are refused with code, place and hint, and change nothing")
    func refused() throws {
        for what in [
            #""x":1"#, #""loading":true,"error":{"code":"a"}"#, #""notModified":true,"cancelled":true"#,
            #""progress":0.5,"invalidate":true"#,
        ] {
            #expect(refusal(what).contains("one of loading (with progress), error"))
        }
        #expect(refusal(#""loading":1"#).contains("loading: true or false"))
        for progress in ["-0.1", "1.1", "\"1\"", "null"] {
            #expect(refusal(#""progress":\#(progress)"#).contains("progress: a number from 0 to 1"))
        }
        #expect(refusal(#""loading":false,"progress":1"#).contains("progress: only a load under way has one"))
        #expect(refusal(#""notModified":false"#).contains("notModified: only true is allowed"))
        #expect(refusal(#""invalidate":1"#).contains("invalidate: true or false"))
        #expect(refusal(#""error":"x""#).contains("error: an object with code and msg"))
        let long = String(repeating: "a", count: 65)
        for code in ["", "Offline", "1a", "a b", "ä", long] {
            #expect(refusal(#""error":{"code":"\#(code)"}"#).contains("error.code: 1 to 64 of a-z"))
        }
        #expect(refusal(#""error":{"msg":"x"}"#).contains("error.code"))
        #expect(refusal(#""error":{"code":"a","msg":1}"#).contains("error.msg: a string"))
        let text = String(repeating: "m", count: 1025)
        #expect(refusal(#""error":{"code":"a","msg":"\#(text)"}"#).contains("error.msg: at most 1024 bytes"))
        #expect(load("twice", #""loading":true"#).joined().contains(#""code":"not_mutable""#))
        #expect(load("none", #""loading":true"#).joined().contains(#""code":"unknown_node""#))
        #expect(
            client.ask(#"{"op":"load","id":1,"graph":"g","loading":true}"#).joined().contains("node: a name")
        )
        #expect(graph.rev == 1)
    }

    @Test("L-1 the right to set is needed; keys and conditions are those of sets")
    func rights() throws {
        let reader = bench.connect(Access(everybody: [.read]))
        #expect(
            reader.ask(#"{"op":"load","id":1,"graph":"g","node":"x","loading":true}"#).joined()
                .contains(#""code":"forbidden""#)
        )
        let keyed = #""loading":true,"key":"once""#
        #expect(load("x", keyed) == [#"{"op":"ok","id":99,"epoch":"e1","rev":2}"#])
        #expect(load("x", keyed) == [#"{"op":"ok","id":99,"epoch":"e1","rev":2,"replayed":true}"#])
        #expect(load("x", #""loading":false,"key":"once""#).joined().contains(#""code":"key_reused""#))
        #expect(load("x", #""loading":true,"if":{"x":{"v":2}}"#).joined().contains(#""code":"conflict""#))
        #expect(graph.rev == 2)
        let slow = bench.connect()
        slow.send(#"{"op":"sub","id":1,"graph":"g","node":"x"}"#)
        load("x", #""loading":true,"ctx":{"n":1}"#)
        #expect(slow.take().count == 1, "who does not ask for facets receives nothing of them")
    }

    // MARK: - L-3

    @Test("L-3 fresh makes a value stale by itself, by one tick; sets and confirmations begin anew")
    func fresh() throws {
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"f","facets":true}"#)
        bench.pass(200)
        #expect(graph.rev == 1 && client.take().isEmpty, "what is not there cannot be stale")
        try bench.set(graph, [("f", "1")])
        #expect(client.take().count == 1)
        bench.pass(99)
        #expect(graph.rev == 2)
        bench.pass(1)
        #expect(graph.rev == 3)
        #expect(
            client.take() == [
                #"{"op":"upd","graph":"g","rev":3,"t":5000300,"d":[{"id":1,"state":{"t":5000200,"stale":true}}]}"#
            ]
        )
        bench.pass(500)
        #expect(graph.rev == 3, "once")
        load("f", #""notModified":true"#)
        bench.pass(60)
        load("f", #""notModified":true"#)
        bench.pass(60)
        try bench.set(graph, [("f", "1")])
        bench.pass(99)
        #expect(try state("f").contains("stale") == false)
        bench.pass(1)
        #expect(try state("f").contains("stale"))
        // An empty node has nothing to confirm.
        try bench.submit(graph, [], clear: ["f"])
        load("f", #""notModified":true"#)
        bench.pass(200)
        #expect(try state("f") == "{}")
    }

    @Test("L-3 a value that ends by its ttl is not stale, and its error stays")
    func expired() throws {
        let graph = try bench.define(
            #"{"graph":"brief","nodes":{"x":{"set":"any","ttl":"50ms","fresh":"20ms"}}}"#
        )
        try bench.set(graph, [("x", "1")])
        client.ask(#"{"op":"load","id":1,"graph":"brief","node":"x","error":{"code":"gone"}}"#)
        bench.pass(30)
        func state() throws -> String {
            String(decoding: try #require(graph.node("x")).facetsJSON, as: UTF8.self)
        }
        #expect(try state().contains(#""stale":true,"error""#))
        bench.pass(30)
        #expect(try state() == #"{"error":{"code":"gone","msg":"","at":5000000}}"#)
        bench.pass(100)
        #expect(try state().contains("stale") == false)
    }

    @Test("L-2 what comes over a tie is a set")
    func ties() throws {
        let graph = try bench.define(
            """
            {"graph":"tied","nodes":{"a":{"set":"number","initial":1},"b":{"set":"number","fresh":"50ms"}},
             "sync":[{"a":"a","b":"b"}]}
            """
        )
        client.ask(#"{"op":"load","id":1,"graph":"tied","node":"b","error":{"code":"offline"}}"#)
        try bench.set(graph, [("a", "2")])
        func state() throws -> String {
            String(decoding: try #require(graph.node("b")).facetsJSON, as: UTF8.self)
        }
        #expect(try state() == #"{"t":5000000}"#)
        bench.pass(50)
        #expect(try state().contains("stale"))
    }

    @Test("L-3 a change of the definition keeps what is known, and takes up or forgets fresh")
    func redefined() throws {
        client.ask(#"{"op":"sub","id":1,"graph":"g","nodes":["x","twice"],"facets":true}"#)
        load("x", #""error":{"code":"offline"}"#)
        client.take().forEach { _ in }
        func redefine(_ x: String, _ twice: String) throws {
            let text =
                #"{"graph":"g","nodes":{"x":\#(x),"y":{"set":"number","initial":1},"twice":\#(twice)}}"#
            _ = bench.host.redefine(graph, as: try bench.definition(text))
            bench.endTurn()
        }
        try redefine(#"{"set":"number","fresh":"100ms"}"#, #"{"from":"y","pipe":[{"map":"value * 2"}]}"#)
        #expect(try state("x").contains("offline"))
        #expect(
            client.take().joined().contains(#""twice":{"empty":true,"state":{}}"#),
            "it comes from another node now"
        )
        bench.pass(100)
        #expect(try state("x").contains(#""stale":true"#))
        // Reset, because the value does not pass.
        try redefine(#"{"set":"string","fresh":"100ms"}"#, #"{"from":"x"}"#)
        #expect(try state("x") == "{}")
        load("x", #""loading":true"#)
        #expect(try state("twice") == #"{"loading":true}"#)
        try redefine(#"{"from":"y"}"#, #"{"from":"x"}"#)
        #expect(try state("twice") == "{}")
        #expect(graph.facets.speaking == 0)
        #expect(graph.node("x")?.hasFacets == false)
        bench.pass(300)
    }

    @Test("explain says the state of the nodes that a value comes from")
    func explained() throws {
        load("x", #""error":{"code":"offline"}"#)
        let text = String(decoding: Explanation(of: try #require(graph.node("twice"))).json(), as: UTF8.self)
        #expect(
            text.contains(#""v":1,"state":{"t":5000000,"error":{"code":"offline","msg":"","at":5000000}}"#)
        )
    }
}
