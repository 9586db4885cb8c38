import ReactiveGraph
import TestSupport
import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions

private let upstreams = #""upstreams": {"u": {"url": "http://u.example"}}"#
private let nodes = #"""
    "x": {"source": {"get": "u:/x"}}, "y": {"source": {"get": "u:/y"}}, "set": {"set": "number"},
    "sum": {"combine": ["x", "set"]}, "m.{id}": {"source": {"get": "u:/{id}"}},
    "n.{id}": {"from": "m.{id}"}
    """#

private func text(_ nodes: String) -> String { "{\"graph\": \"g\", \(upstreams), \"nodes\": {\(nodes)}}" }

/// What would open upstreams: it notes what is wanted at the end of each turn.
private final class Opener: DemandFollower {
    let patterns = ["x", "y", "m.*"]
    private let graph: LiveGraph
    private var changed: Set<String> = []
    private(set) var asked: [String] = []
    /// The nodes that are wanted, as far as they were noted.
    private(set) var wanted: Set<String> = []

    init(_ graph: LiveGraph) {
        self.graph = graph
        for pattern in patterns { changed.formUnion(graph.begin(self).wanted(matching: pattern)) }
    }

    func note(_ name: String) { changed.insert(name) }
    func note(load name: String) { asked.append(name) }
    func redefined() {}

    func settle() -> Set<String> {
        for name in changed {
            if graph.demand?.isWanted(name) == true { wanted.insert(name) } else { wanted.remove(name) }
        }
        changed = []
        return wanted
    }
}

@Suite("Which upstreams are open")
struct SourceDemandTests {
    private let bench = Bench()
    private let client: Client

    init() {
        client = bench.connect()
    }

    private func wanted(_ opener: Opener) -> Set<String> {
        bench.endTurn()
        return opener.settle()
    }

    @Test("S-1: the first listener opens, directly or over other nodes, and the last one closes")
    func listeners() throws {
        let opener = Opener(try bench.define(text(nodes)))
        #expect(wanted(opener) == [])
        client.send(#"{"op":"sub","id":1,"graph":"g","node":"sum"}"#)
        #expect(wanted(opener) == ["x"])
        client.send(#"{"op":"sub","id":2,"graph":"g","node":"n.a"}"#)
        let other = bench.connect()
        other.send(#"{"op":"sub","id":1,"graph":"g","node":"x"}"#)
        #expect(wanted(opener) == ["x", "m.a"])
        client.send(#"[{"op":"unsub","id":1},{"op":"unsub","id":2}]"#)
        #expect(wanted(opener) == ["x"])
        other.session.close()
        #expect(wanted(opener) == [])
    }

    @Test("S-1: globs, reads and kept chains hold none, beside a listener and alone")
    func others() throws {
        let graph = try bench.define(text(nodes))
        let opener = Opener(graph)
        client.send(#"{"op":"sub","id":1,"graph":"g","node":"*"}"#)
        _ = try bench.read(graph, "sum")
        #expect(wanted(opener) == [])
        client.send(#"{"op":"sub","id":2,"graph":"g","node":"x"}"#)
        #expect(wanted(opener) == ["x"])
        client.send(#"{"op":"unsub","id":2}"#)
        #expect(wanted(opener) == [])
    }

    @Test("S-1: what is held for a reason of its own keeps upstreams open, as its definition says")
    func kept() throws {
        let alarm = nodes + #", "alarm": {"from": "y", "pipe": [{"map": "value > 1"}], "severity": "alarm"}"#
        let graph = try bench.define(text(alarm))
        let opener = Opener(graph)
        #expect(wanted(opener) == ["y"])
        let history = nodes.replacing(#""x": {"#, with: #""x": {"history": 3, "#)
        _ = bench.host.redefine(graph, as: try bench.definition(text(history)))
        #expect(wanted(opener) == ["x"])
        _ = bench.host.redefine(graph, as: try bench.definition(text(nodes)))
        #expect(wanted(opener) == [])
        // A node that is set now is nothing for upstreams, and for producers it is.
        client.send(#"{"op":"sub","id":1,"graph":"g","node":"x"}"#)
        #expect(wanted(opener) == ["x"])
        let plain = nodes.replacing(#""x": {"source": {"get": "u:/x"}}"#, with: #""x": {"set": "any"}"#)
        _ = bench.host.redefine(graph, as: try bench.definition(text(plain)))
        #expect(graph.demand?.isWanted("x") == true && graph.node("x")?.isSettable == true)
    }

    @Test("D-1: producers do not hear of source nodes, and may not follow them")
    func producers() throws {
        let graph = try bench.define(text(nodes))
        let producer = bench.connect()
        let refused = producer.ask(#"{"op":"demand","id":5,"graph":"g","nodes":["x"]}"#).first ?? ""
        #expect(refused.contains("not_mutable"))
        _ = producer.ask(#"{"op":"demand","id":6,"graph":"g","nodes":["*"]}"#)
        client.send(#"{"op":"sub","id":1,"graph":"g","node":"sum"}"#)
        bench.endTurn()
        #expect(producer.take() == [#"{"op":"wanted","id":6,"m":{"set":{"wanted":true}}}"#])
        #expect(graph.demand?.isWanted("x") == true)
    }

    @Test("S-1: commits of clients do not reach source nodes, and those of upstreams do")
    func commits() throws {
        let graph = try bench.define(text(nodes))
        let node = try #require(graph.node("x"))
        var commit = Commit(graph: graph)
        commit.set.append(Assignment(node, try Datum.parse("1")))
        guard case .refused(let error) = bench.host.submit(commit) else {
            Issue.record("it was not refused")
            return
        }
        #expect(error.code == .notMutable)
        commit.isOfSource = true
        guard case .applied = bench.host.submit(commit) else {
            Issue.record("it was not applied")
            return
        }
        #expect(node.fedValue?.text == "1")
    }
}
