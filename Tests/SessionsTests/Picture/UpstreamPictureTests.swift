import ReactiveGraph
import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions

private let town = #"""
    {"graph": "g", "upstreams": {"u": {"url": "http://u.example"}}, "nodes": {
      "x": {"source": {"get": "u:/x"}}, "y": {"source": {"get": "u:/y"}}, "set": {"set": "number"},
      "sum": {"combine": ["x", "set"]}, "m.{id}": {"source": {"get": "u:/{id}"}},
      "alarm": {"from": "y", "pipe": [{"map": "value > 1"}], "severity": "alarm"},
      "log": {"source": {"get": "u:/log"}, "history": 3},
      "last": {"from": "x", "pipe": ["distinct"], "retain": "whileInUse"}
    }}
    """#

/// What would open upstreams: it shows one for each group of nodes.
private final class Sight: UpstreamSight {
    var changes: UInt64 = 0
    var open: [OpenUpstream] = [] { didSet { changes += 1 } }

    func upstreams(of graph: LiveGraph) -> [OpenUpstream] { open }
    func upstream(of node: NamedNode) -> OpenUpstream? { open.first { $0.nodes.contains(node.name) } }
}

private func upstream(
    _ number: UInt64,
    _ nodes: [String],
    state: String = "open",
    dueAt: UInt64? = nil,
    failure: OpenUpstream.Failure? = nil
) -> OpenUpstream {
    OpenUpstream(
        number: number,
        origin: "http://u.example:80",
        state: state,
        dueAt: dueAt,
        failure: failure,
        nodes: nodes
    )
}

@Suite("Upstreams in pictures, for observers, and in why (S-10)")
struct UpstreamPictureTests {
    private let bench = Bench()
    private let graph: LiveGraph
    private let sight = Sight()
    private let client: Client

    init() throws {
        graph = try bench.define(town)
        bench.host.handlers.upstreams = sight
        client = bench.connect()
    }

    private func picture(
        _ format: PictureFormat,
        live isLive: Bool = true,
        around node: String? = nil
    ) throws -> String {
        let view = try GraphView(graph, for: .full)
        let surroundings = node.map { Surroundings(of: $0, depth: nil) }
        return String(decoding: try view.picture(format, live: isLive, around: surroundings), as: UTF8.self)
    }

    private func number(of name: String) throws -> UInt64 {
        try #require(graph.node(name)?.living).id
    }

    @Test(
        "S-10: the state in words",
        arguments: [
            (upstream(1, []), "open"), (upstream(1, [], state: "asking"), "asking"),
            (upstream(1, [], state: "waiting", dueAt: 13_000), "due in 12 s"),
            (upstream(1, [], state: "waiting", dueAt: 999), "due in 0 s"),
            (upstream(1, [], state: "waiting", dueAt: 601_000), "due in 10 min"),
            (
                upstream(1, [], failure: OpenUpstream.Failure("status 503", status: 503, retryAt: 8_500)),
                "failed with status 503, asked again in 8 s"
            ),
            (
                upstream(1, [], failure: OpenUpstream.Failure("no connection", status: nil, retryAt: 2_000)),
                "failed: no connection, asked again in 1 s"
            ),
        ]
    )
    func words(upstream: OpenUpstream, expected: String) {
        #expect(upstream.words(at: 1_000) == expected)
    }

    @Test("S-10: live pictures have a hexagon for each upstream, with an edge to each node that it feeds")
    func pictures() throws {
        client.send(#"{"op":"sub","id":1,"graph":"g","nodes":["sum","m.a"]}"#)
        bench.endTurn()
        let due = bench.clock.wall + 12_000
        sight.open = [
            upstream(3, ["m.a", "x"], state: "waiting", dueAt: due), upstream(4, ["log"], state: "asking"),
        ]
        let (x, m, log) = (try number(of: "x"), try number(of: "m.a"), try number(of: "log"))
        let dot = try picture(.dot)
        #expect(dot.contains(#"    u3 [shape=hexagon, label="http://u.example:80\ndue in 12 s"];"#), "\(dot)")
        #expect(dot.contains("    u3 -> n\(m);\n    u3 -> n\(x);\n") && dot.contains("    u4 -> n\(log);\n"))
        let mermaid = try picture(.mermaid)
        #expect(mermaid.contains(#"    u3{{"http://u.example:80<br/>due in 12 s"}}"#), "\(mermaid)")
        let json = try picture(.json)
        #expect(
            json.contains(
                #""upstreams":[{"u":"u:3","from":"http://u.example:80","state":"waiting","dueAt":\#(due),"nodes":2,"on":[\#(m),\#(x)]},"#
            ),
            "\(json)"
        )
        for format in PictureFormat.allCases {
            #expect(try !picture(format, live: false).contains("u.example"))
        }
    }

    @Test("S-10: surroundings have the upstreams of their nodes, and a crowd those of its families")
    func parts() throws {
        client.send(#"{"op":"sub","id":1,"graph":"g","node":"sum"}"#)
        bench.endTurn()
        sight.open = [upstream(3, ["x"]), upstream(4, ["log"]), upstream(5, ["nothing"])]
        let around = try picture(.json, around: "set")
        #expect(around.contains(#""u":"u:3""#) && !around.contains(#""u":"u:4""#), "\(around)")
        let names = (1...Picture.mostMembers + 1).map { "m.\($0)" }
        let list = names.map { "\"\($0)\"" }.joined(separator: ",")
        _ = client.ask(#"{"op":"sub","id":2,"graph":"g","nodes":[\#(list)]}"#)
        sight.open = [upstream(6, names)]
        let json = try picture(.json)
        #expect(json.contains(#""nodes":201,"on":[],"families":["m.{id}"]}"#), "\(json.suffix(300))")
    }

    @Test("S-10: a graph without sources has no list of them")
    func without() throws {
        let other = try bench.define(#"{"graph":"h","nodes":{"x":{"set":"any"}}}"#)
        sight.open = [upstream(3, ["x"])]
        let view = try GraphView(other, for: .full)
        let json = String(decoding: try view.picture(.json, live: true), as: UTF8.self)
        #expect(!json.contains("upstream"))
        #expect(client.ask(#"{"op":"observe","id":7,"graph":"h"}"#).first?.contains("upstream") == false)
    }

    @Test("S-10: observers receive all of them, again when one has changed, at most once a second")
    func observers() throws {
        let topo = client.ask(#"{"op":"observe","id":7,"graph":"g","every":100}"#).first ?? ""
        #expect(topo.hasSuffix(#","upstreams":[]}"#), "\(topo)")
        bench.pass(1_000)
        #expect(client.take() == [])
        sight.open = [upstream(3, ["log"])]
        bench.pass(100)
        let log = try number(of: "log")
        let first = client.take()
        #expect(first.count == 1 && first[0].contains(#""op":"topod""#))
        let shown = #"{"u":"u:3","from":"http://u.example:80","state":"open","nodes":1,"on":[\#(log)]}"#
        #expect(first.last?.hasSuffix(#","upstreams":[\#(shown)]}"#) == true, "\(first)")
        // What is back to what it was is no news.
        sight.open = []
        sight.open = [upstream(3, ["log"])]
        bench.pass(1_000)
        #expect(client.take() == [])
        for number in UInt64(4)...8 {
            sight.open = [upstream(number, ["log"])]
            bench.pass(100)
        }
        bench.pass(1_000)
        let later = client.take()
        #expect(later.count <= 2 && later.last?.contains("u:8") == true, "\(later)")
        sight.open = (1...UInt64(Observer.mostUpstreams + 1)).map { upstream($0, ["log"]) }
        bench.pass(1_100)
        let many = client.take().last ?? ""
        #expect(many.hasSuffix(#","upstreamCount":101}"#) && !many.contains("u:101"), "\(many.suffix(200))")
        // The graph has no sources any more.
        _ = bench.host.redefine(
            graph,
            as: try bench.definition(#"{"graph":"g","nodes":{"set":{"set":"number"}}}"#)
        )
        bench.pass(1_100)
        #expect(client.take().last?.hasSuffix(#","upstreams":[]}"#) == true)
    }

    // MARK: - Why

    /// What `why` says of upstreams.
    private func why(_ name: String, limit: Int = 16) throws -> String {
        bench.endTurn()
        let view = try GraphView(graph, for: .full)
        let text = String(
            decoding: try view.whyAlive(try #require(graph.node(name)), limit: limit),
            as: UTF8.self
        )
        return text.split(separator: #","upstreams":"#).dropFirst().first.map { String($0.dropLast(2)) } ?? ""
    }

    /// Follows the graph as what opens upstreams does.
    private final class Follower: DemandFollower {
        let patterns = ["*"]
        func note(_ name: String) {}
        func note(load name: String) {}
        func redefined() {}
    }

    @Test("S-10: why names the upstream, its state, and what keeps it open")
    func reasons() throws {
        let follower = Follower()
        _ = graph.begin(follower)
        #expect(try why("set") == "" && why("x") == #"[{"node":"x","state":"closed","for":[]}]"#)
        client.send(#"{"op":"sub","id":1,"graph":"g","node":"sum"}"#)
        client.send(#"{"op":"sub","id":2,"graph":"g","node":"x"}"#)
        client.send(#"{"op":"sub","id":3,"graph":"g","nodes":["*"]}"#)
        let failure = OpenUpstream.Failure("status 503", status: 503, retryAt: bench.clock.wall + 8_000)
        sight.open = [upstream(3, ["x"], state: "failed", failure: failure), upstream(4, ["y"])]
        let state =
            #""u":"u:3","from":"http://u.example:80","state":"failed","failure":"status 503","status":503,"#
            + #""retryAt":\#(bench.clock.wall + 8_000),"retryIn":8000"#
        let me = "c:\(client.session.number)"
        let found = try why("sum")
        #expect(
            found.hasPrefix(#"[{"node":"x",\#(state),"for":[{"l":"\#(me)","transport":"ws","subs":["#),
            "\(found)"
        )
        #expect(found.contains("1") && !found.contains("3]"), "a glob holds none")
        #expect(
            try why("alarm")
                == #"[{"node":"y","u":"u:4","from":"http://u.example:80","state":"open","for":[{"node":"alarm","because":"severity"}]}]"#
        )
        #expect(try why("log").contains(#""state":"refused","for":[{"node":"log","because":"history"}]"#))
        let other = bench.connect()
        other.send(#"{"op":"sub","id":1,"graph":"g","node":"x"}"#)
        #expect(try why("x", limit: 1).hasSuffix(#","more":true}]"#))
        #expect(try why("x").contains("\"c:\(other.session.number)\""))
        graph.end(follower)
    }

    @Test("S-10: what is held for a reason of its own is named with it")
    func held() throws {
        let follower = Follower()
        _ = graph.begin(follower)
        let changed = town.replacing(#""retain": "whileInUse""#, with: #""retain": "always""#)
        _ = bench.host.redefine(graph, as: try bench.definition(changed))
        #expect(try why("last").contains(#"{"node":"last","because":"retain"}"#))
        let memory = town.replacing(#", "retain": "whileInUse""#, with: "")
        _ = bench.host.redefine(graph, as: try bench.definition(memory))
        #expect(try why("x").contains(#"{"node":"last","because":"memory"}"#))
        graph.end(follower)
    }
}
