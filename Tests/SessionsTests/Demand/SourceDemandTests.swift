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
    "n.{id}": {"from": "m.{id}"}, "count": {"all": "m.*", "reduce": "count"}, "counted": {"from": "count"},
    "both": {"combine": ["count", "n.a"]}
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

    @Test("X-9, S-1: with a computed name the upstream of the former member closes in the turn of the switch")
    func computedName() throws {
        let more =
            #","key":{"set":"any"},"shown":{"flatten":{"from":"key","node":"n.{value}"},"retain":"whileInUse"}"#
        let graph = try bench.define(text(nodes + more))
        let opener = Opener(graph)
        try bench.set(graph, [("key", #""a""#)])
        #expect(wanted(opener) == [])
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"shown"}"#)
        #expect(wanted(opener) == ["m.a"])
        try bench.set(graph, [("key", #""b""#)])
        #expect(opener.settle() == ["m.b"])
        try bench.set(graph, [("key", #""no key""#)])
        #expect(opener.settle() == [])
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
        #expect(client.ask(#"{"op":"sub","id":1,"graph":"g","nodes":["*"]}"#).last?.contains("snap") == true)
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

    // MARK: - Histories

    /// The definitions between which a history changes, each with what it keeps open by itself.
    private static let variants: [(nodes: String, kept: Set<String>)] = [
        (nodes, []),
        (nodes + #", "alarm": {"from": "y", "pipe": [{"map": "value > 1"}], "severity": "alarm"}"#, ["y"]),
        (nodes.replacing(#""x": {"#, with: #""x": {"history": 3, "#), ["x"]),
        (nodes + #", "last": {"from": "sum", "pipe": ["distinct"]}"#, ["x"]),
    ]

    /// What each name that clients listen to asks of upstreams, found from the definition alone.
    private static let asked: [String: Set<String>] = [
        "x": ["x"], "y": ["y"], "sum": ["x"], "set": [], "*": [], "m.*": [], "m.a": ["m.a"], "n.a": ["m.a"],
        "n.b": ["m.b"], "count": [], "counted": [], "both": ["m.a"],
    ]

    @Test(
        "S-1: after each turn of any history exactly that is wanted which listeners and the definition ask for"
    )
    func histories() throws {
        for seed in 1...UInt64(Nightly.isOn ? 100_000 : 150) {
            let bench = Bench()
            let graph = try bench.define(text(nodes))
            let opener = Opener(graph)
            var random = SeededGenerator(seed: seed)
            var clients: [(client: Client, names: [Int: String])] = []
            var variant = 0
            for step in 0..<40 {
                for _ in 0...Int.random(in: 0...2, using: &random) {
                    try act(bench, graph, &clients, &variant, &random)
                }
                bench.endTurn()
                let listened = clients.flatMap(\.names.values).reduce(into: Set<String>()) {
                    $0.formUnion(Self.asked[$1] ?? [])
                }
                let expected = listened.union(Self.variants[variant].kept)
                let wanted = opener.settle()
                try #require(wanted == expected, "seed \(seed), step \(step)")
                let members = listened.filter { $0.hasPrefix("m.") }
                let counted = bench.host.memory.members.wanted.count(of: nil)
                try #require(counted == members.count, "seed \(seed), step \(step)")
            }
            for (client, _) in clients { client.session.close() }
            _ = bench.host.redefine(graph, as: try bench.definition(text(nodes)))
            bench.endTurn()
            try #require(opener.settle().isEmpty && graph.isWhole, "seed \(seed)")
            try #require(bench.host.memory.members.wanted.isEmpty, "seed \(seed)")
        }
    }

    private func act(
        _ bench: Bench,
        _ graph: LiveGraph,
        _ clients: inout [(client: Client, names: [Int: String])],
        _ variant: inout Int,
        _ random: inout SeededGenerator
    ) throws {
        switch Int.random(in: 0..<10, using: &random) {
        case 0...3:
            if clients.count < 3 { clients.append((bench.connect(), [:])) }
            let place = clients.indices.randomElement(using: &random)!
            let id = Int.random(in: 1...4, using: &random)
            guard clients[place].names[id] == nil else { return }
            let name = Self.asked.keys.sorted().randomElement(using: &random)!
            let subject = name.contains("*") ? #""nodes":["\#(name)"]"# : #""node":"\#(name)""#
            clients[place].client.send(#"{"op":"sub","id":\#(id),"graph":"g",\#(subject)}"#)
            clients[place].names[id] = name
        case 4, 5:
            guard let place = clients.indices.randomElement(using: &random),
                let id = clients[place].names.keys.sorted().randomElement(using: &random)
            else { return }
            clients[place].client.send(#"{"op":"unsub","id":\#(id)}"#)
            clients[place].names[id] = nil
        case 6:
            guard let place = clients.indices.randomElement(using: &random) else { return }
            clients.remove(at: place).client.session.close(.reset)
        case 7, 8:
            let name = ["x", "y", "m.a", "m.b"].randomElement(using: &random)!
            guard let node = graph.node(name) else { return }
            var commit = Commit(fedTo: graph)
            commit.set.append(Assignment(node, try Datum.parse("\(Int.random(in: 0...3, using: &random))")))
            _ = bench.host.submit(commit)
        default:
            variant = Int.random(in: 0..<Self.variants.count, using: &random)
            let definition = try bench.definition(text(Self.variants[variant].nodes))
            _ = bench.host.redefine(graph, as: definition)
        }
    }
}
