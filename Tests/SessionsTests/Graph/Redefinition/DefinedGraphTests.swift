import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions

/// Graphs that come, change on a condition, and go: how many there may be, and what is left of one.
@Suite("Defined graphs")
struct DefinedGraphTests {
    let bench = Bench()

    @Test("If-Match on the definition: another hash is a conflict, and nothing happens")
    func conditional() throws {
        let graph = try bench.define(nodes: #""x":{"set":"any"}"#)
        let next = try bench.definition(#"{"graph":"g","nodes":{"y":{"set":"any"}}}"#)
        guard case .refused(let error) = bench.host.redefine(graph, as: next, ifHash: "0") else {
            Issue.record("not refused")
            return
        }
        #expect(error.code == .conflict)
        #expect(graph.rev == 1 && graph.node("x") != nil)
        guard case .applied = bench.host.redefine(graph, as: next, ifHash: graph.definition.hash) else {
            Issue.record("refused")
            return
        }
        #expect(graph.node("y") != nil)
    }

    @Test("As many graphs as the limit says")
    func graphLimit() throws {
        var limits = SessionLimits.ample
        limits.graphs = 2
        let bench = Bench(limits: limits)
        try bench.define(#"{"graph":"a","nodes":{}}"#)
        let second = try bench.define(#"{"graph":"b","nodes":{}}"#)
        #expect {
            try bench.define(#"{"graph":"c","nodes":{}}"#)
        } throws: {
            ($0 as? HostError)?.code == .tooLarge
        }
        _ = bench.host.remove(second)
        try bench.define(#"{"graph":"c","nodes":{}}"#)
    }

    @Test("As many nodes as the limit says")
    func nodeLimit() throws {
        let document = try Document.parse(
            json: #"{"graph":"a","nodes":{"x":{"set":"any"},"y":{"set":"any"}}}"#
        )
        var options = DefinitionOptions()
        options.mostNodes = 2
        let two = GraphDefinition.read(document, file: nil, options: options)
        #expect(two.problems.isEmpty)
        options.mostNodes = 1
        let one = GraphDefinition.read(document, file: nil, options: options)
        #expect(one.problems.map(\.message) == ["a graph has at most 1 nodes"])
        #expect(one.problems.map(\.code) == [.tooLarge])
    }

    @Test("The text of a definition gives an equal definition")
    func text() throws {
        let graph = try bench.define(
            nodes:
                #""x":{"set":"number","initial":1e2,"title":"\"x\""},"f":{"flatten":{"from":"x","to":{"1":"x"}}}"#,
            #","title":"t","access":[{"who":"*","can":"read"}]"#
        )
        let again = try bench.definition(graph.definition.text)
        #expect(again.hash == graph.definition.hash)
        #expect(DefinitionChange(from: graph.definition, to: again).isEmpty)
    }

    @Test("A removed graph ends its subscriptions and leaves the others alone")
    func removedGraph() throws {
        let graph = try bench.define(
            nodes: #""x":{"set":"any","initial":1},"a":{"from":"x","retain":"always"}"#
        )
        let other = try bench.define(#"{"graph":"h","nodes":{"x":{"set":"any","initial":1}}}"#)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"a"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"h","node":"x"}"#)
        _ = bench.host.remove(graph)
        #expect(client.take() == [#"{"op":"end","id":1,"code":"node_removed","released":0}"#])
        #expect(other.rev == 1)
        #expect(graph.statistics.nodes == 0)
        try bench.set(other, [("x", "2")])
        #expect(client.take().count == 1)
    }
}
