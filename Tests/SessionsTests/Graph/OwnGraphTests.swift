import ReactiveGraph
import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions

/// The graph in which the server keeps what is its own.
@Suite("A graph of the server's own")
struct OwnGraphTests {
    private func begin(_ bench: Bench) throws -> LiveGraph {
        let definition = try bench.definition(#"{"nodes":{"x.{id}":{"set":"any"}}}"#, named: Host.ownGraph)
        guard case .applied = bench.host.define(definition) else { throw HostError(.inUse, "not begun") }
        return try #require(bench.host.held(Host.ownGraph))
    }

    @Test("No client finds it, by whatever operation, but it takes commits")
    func hidden() throws {
        let bench = Bench()
        let graph = try begin(bench)
        try bench.set(graph, [("x.1", "1")])
        #expect(graph.members.livingCount == 1)
        #expect(bench.host.graphs.isEmpty && bench.host[Host.ownGraph] == nil)
        let client = bench.connect()
        #expect(!client.ask(#"{"op":"list","id":1}"#).joined().contains(Host.ownGraph))
        for message in [
            #"{"op":"sub","nodes":["*"]"#, #"{"op":"get""#, #"{"op":"set","set":{"x.1":2}"#,
            #"{"op":"observe""#, #"{"op":"drop","nodes":["x.1"]"#, #"{"op":"demand","nodes":["x.1"]"#,
        ] {
            let answer = client.ask(message + #","id":2,"graph":".access"}"#).joined()
            #expect(answer.contains(#""op":"err""#), "\(message): \(answer)")
        }
        #expect(graph.node("x.1")?.living?.value?.text == "1")
    }

    @Test("It takes no place of limits.graphs")
    func limit() throws {
        var limits = SessionLimits.ample
        limits.graphs = 1
        let bench = Bench(limits: limits)
        _ = try bench.define(nodes: #""a":{"set":"any"}"#)
        _ = try begin(bench)
        let other = try bench.definition(#"{"nodes":{}}"#, named: "other")
        guard case .refused(let error) = bench.host.define(other) else {
            throw HostError(.inUse, "not refused")
        }
        #expect(error.code == .tooLarge)
    }
}
