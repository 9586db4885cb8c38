@testable import Graphs
@testable import Sessions
import Testing

/// Rules of operators that need a graph of their own to be seen, through the host.
@Suite("Rules of the operators through the host")
struct OperatorRuleTests {
    private let bench = Bench()
    private let client: Client

    init() {
        client = bench.connect()
    }

    private func listen(_ node: String) {
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"\#(node)","mode":"all"}"#)
    }

    /// What the subscription receives for these sets, each a commit.
    private func told(_ graph: LiveGraph, _ sets: [(String, String)]) throws -> [String] {
        for set in sets { try bench.set(graph, [set]) }
        return Told(client.take())[1]
    }

    @Test(
        "G-70: skip 0 lets everything through, take 0 nothing",
        arguments: [(#"{"skip":0}"#, ["1", "2"]), (#"{"take":0}"#, []), (#"{"prefix":0}"#, [])]
    )
    func ofNone(stage: String, expected: [String]) throws {
        let graph = try bench.define(nodes: #""x":{"set":"any"},"d":{"from":"x","pipe":[\#(stage)]}"#)
        listen("d")
        #expect(try told(graph, [("x", "1"), ("x", "2")]) == expected)
    }

    @Test("G-77: flatten follows the latest chosen node only; one that is empty empties it, and emits later")
    func flatten() throws {
        let graph = try bench.define(
            nodes:
                #""key":{"set":"any"},"a":{"set":"any","initial":1},"b":{"set":"any"},"f":{"flatten":{"from":"key","to":{"a":"a","b":"b"}}}"#
        )
        listen("f")
        #expect(try told(graph, [("key", #""a""#), ("a", "2"), ("b", "9")]) == ["1", "2"])
        try bench.submit(graph, [], clear: ["b"])
        #expect(try told(graph, [("key", #""b""#), ("a", "3"), ("b", "4")]) == ["empty", "4"])
        #expect(try told(graph, [("key", #""b""#)]) == ["4"], "the same node again emits its value again")
    }

    @Test("G-79: flatten releases the node that it followed with the next one")
    func innerNode() throws {
        let graph = try bench.define(
            nodes:
                #""key":{"set":"any","initial":"a"},"x":{"set":"any"},"a":{"from":"x"},"b":{"from":"x"},"f":{"flatten":{"from":"key","to":{"a":"a","b":"b"}}}"#
        )
        func living() -> [String] { graph.nodes.filter { $0.living != nil && !$0.isMutable }.map(\.name) }
        #expect(living() == ["a", "f"])
        try bench.set(graph, [("key", #""b""#)])
        #expect(living() == ["b", "f"])
        try bench.submit(graph, [], clear: ["x"])
        #expect(living() == ["b", "f"])
        #expect(graph.isWhole)
    }

    @Test("G-80: merge begins with the last input that has a value; an input named twice emits twice")
    func merge() throws {
        let graph = try bench.define(
            nodes:
                #""x":{"set":"any","initial":1},"y":{"set":"any","initial":2},"z":{"set":"any"},"m":{"merge":["x","y","z","x"]},"n":{"merge":["x","y","z"]}"#
        )
        #expect(try bench.read(graph, "n") == "2")
        listen("m")
        #expect(try told(graph, [("x", "5"), ("z", "6")]) == ["5", "5", "6"])
    }

    @Test(
        "G-50, G-84: a node combined with itself: once settled; twice immediate, the first time half changed",
        arguments: [("settled", ["[2,2]"]), ("immediate", ["[2,1]", "[2,2]"])]
    )
    func twice(mode: String, expected: [String]) throws {
        let graph = try bench.define(
            nodes: #""x":{"set":"any","initial":1},"c":{"combine":["x","x"]}"#,
            mode: mode
        )
        listen("c")
        #expect(try told(graph, [("x", "2")]) == expected)
    }

    @Test("G-85: combine and zip of as many nodes as are named")
    func many() throws {
        let names = (0..<20).map { "x\($0)" }
        let list = names.map { "\"\($0)\"" }.joined(separator: ",")
        let sets = names.map { #""\#($0)":{"set":"number","initial":1}"# }.joined(separator: ",")
        let graph = try bench.define(
            nodes:
                #"\#(sets),"c":{"combine":[\#(list)],"map":"sum(value)"},"z":{"zip":[\#(list)],"map":"sum(value)"}"#
        )
        #expect(try bench.read(graph, "c") == "20")
        #expect(try bench.read(graph, "z") == "20")
        try bench.set(graph, [("x7", "5")])
        #expect(try bench.read(graph, "c") == "24")
        #expect(try bench.read(graph, "z") == "20")
    }

    @Test("G-87: the expression beside combine sees each input under its name, the one beside zip the list")
    func spread() throws {
        let graph = try bench.define(
            nodes:
                #""x":{"set":"any","initial":7},"y":{"set":"any","initial":2},"c":{"combine":{"a":"x","b":"y"},"map":"a - b"},"z":{"zip":["x","y"],"map":"value[0] - value[1]"}"#
        )
        #expect(try bench.read(graph, "c") == "5")
        #expect(try bench.read(graph, "z") == "5")
    }

    @Test(
        "G-137: in a clique of plain syncs a set reaches each node once; in immediate mode once for each way"
    )
    func clique() throws {
        let nodes = ["a", "b", "c"].map { #""\#($0)":{"set":"any"}"# }.joined(separator: ",")
        let graph = try bench.define(
            #"{"graph":"g","nodes":{\#(nodes)},"sync":[{"a":"a","b":"b"},{"a":"b","b":"c"},{"a":"c","b":"a"}]}"#
        )
        listen("b")
        #expect(try told(graph, [("a", "1"), ("c", "2"), ("b", "3")]) == ["1", "2", "3"])
    }
}
