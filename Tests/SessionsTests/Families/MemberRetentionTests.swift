import ReactiveGraph
import Testing
import Values

@testable import Graphs
@testable import Sessions

/// How long members are kept, whatever else happens to their graph.
@Suite("Retention of members")
struct MemberRetentionTests {
    private let bench = Bench()

    private func redefine(_ graph: LiveGraph, _ nodes: String) throws {
        let definition = try bench.definition(#"{"graph":"g","nodes":{\#(nodes)}}"#)
        guard case .applied = bench.host.redefine(graph, as: definition) else {
            throw HostError(.internalError, "refused")
        }
        bench.endTurn()
    }

    private func globs(_ graph: LiveGraph) -> [String] { graph.visibleNodes(matching: "*").map(\.name) }

    @Test(
        "F-4: a member keeps its value when the definition of others changes, also when it is looked up then"
    )
    func unchanged() throws {
        let graph = try bench.define(nodes: #""s.{id}":{"set":"number"}"#)
        try bench.set(graph, [("s.a", "1")])
        try redefine(graph, #""s.{id}":{"set":"number"},"x":{"set":"any"}"#)
        #expect(try bench.read(graph, "s.a") == "1")
        bench.endTurn()
        #expect(try bench.read(graph, "s.a") == "1" && graph.members.livingCount == 1)
    }

    @Test("F-4: a member expires by the present definition, whatever its family is called or said before")
    func expiring() throws {
        let graph = try bench.define(nodes: #""s.{id}":{"set":"number","expire":"10s"}"#)
        try bench.set(graph, [("s.a", "1")])
        bench.leap(1_000)
        try bench.set(graph, [("s.b", "1")])
        try redefine(graph, #""s.{key}":{"set":"number","expire":"10s"}"#)
        bench.leap(9_000)
        #expect(globs(graph) == ["s.b"])
        try redefine(graph, #""s.{key}":{"set":"number","expire":"20s"}"#)
        bench.leap(10_999)
        #expect(globs(graph) == ["s.b"])
        try redefine(graph, #""s.{key}":{"set":"number"}"#)
        bench.leap(100_000)
        try bench.set(graph, [("s.c", "1")])
        try redefine(graph, #""s.{key}":{"set":"number","expire":"5s"}"#)
        bench.leap(0)
        #expect(globs(graph) == ["s.c"])
        bench.leap(5_000)
        #expect(globs(graph).isEmpty && graph.members.livingCount == 0)
    }

    @Test("F-4: a derived member that is retained is kept as long as all that it is made from has values")
    func derived() throws {
        let graph = try bench.define(
            nodes: #""s.{id}":{"set":"number"},"d.{id}":{"from":"s.{id}","retain":"always"}"#
        )
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"d.a"}"#)
        client.ask(#"{"op":"unsub","id":1}"#)
        #expect(graph.members.livingCount == 0, "what holds nothing lives only while somebody needs it")
        try bench.set(graph, [("s.a", "1")])
        _ = try bench.read(graph, "d.a")
        bench.endTurn()
        #expect(graph.members.livingCount == 2)
        try bench.submit(graph, [], clear: ["s.a"])
        bench.endTurn()
        #expect(graph.members.livingCount == 0 && graph.isWhole)
    }
}
