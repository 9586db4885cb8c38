import ReactiveGraph
import Support
import TestSupport
import Testing

@testable import Graphs
@testable import Sessions

/// Very many clients with named owners come, need members of families and `all` of them, and vanish
/// in every way there is.
@Suite("Clients with owners come and vanish")
struct FleetChurnTests {
    private static let clients = Nightly.isOn ? 100_000 : 2_000
    private static let atOnce = 100
    private static let keep: UInt64 = 30_000

    private static let definition = #"""
        {"graph": "g", "nodes": {
          "s.{id}": {"set": "number", "expire": "24h"},
          "d.{id}": {"from": "s.{id}", "pipe": [{"map": "value * 2"}, "distinct"]},
          "e.{id}": {"combine": {"a": "d.{id}", "b": "s.base-1"}},
          "mean": {"all": "s.*", "reduce": "avg"}
        }}
        """#

    private let bench = Bench()
    private let graph: LiveGraph
    private var dice = SeededGenerator(seed: 91)

    init() throws {
        graph = try bench.define(Self.definition)
        for number in 0..<20 { try bench.set(graph, [("s.base-\(number)", "\(number)")]) }
    }

    @Test("O-1 to O-4, F-3, F-5, K-1: clients that vanish leave no node, listener, member, name or session")
    mutating func churn() throws {
        let start = counters
        var vanished: [String: Int] = [:]
        for round in 0..<(Self.clients / Self.atOnce) {
            let clients = (0..<Self.atOnce).map { _ in bench.connect() }
            for (number, client) in clients.enumerated() { subscribe(client, round * Self.atOnce + number) }
            bench.endTurn()
            // Members that are there by now are set, and go again.
            let name = "s.\(round * Self.atOnce + 7)"
            try bench.submit(graph, [(name, "3"), ("s.base-1", "\(round % 7)")])
            bench.endTurn()
            for client in clients.shuffled(using: &dice) { vanished[vanish(client), default: 0] += 1 }
            _ = bench.host.submit(Commit(dropping: try #require(graph.node(name))))
            bench.endTurn()
            bench.leap(Self.keep)
            bench.leap(0)
            guard counters == start else {
                Issue.record("round \(round): \(counters), not \(start)")
                return
            }
            if round % 100 == 0 { #expect(graph.isWhole && graph.core.leakedRings().isEmpty) }
        }
        #expect(graph.isWhole && vanished.count == 6, "\(vanished)")
    }

    private mutating func subscribe(_ client: Client, _ number: Int) {
        let targets = [
            #""node":"d.\#(number)""#, #""node":"e.\#(number)","pipe":[{"map":"value.b"}]"#,
            #""node":"mean""#,
            #""nodes":["d.\#(number)","s.base-1*"]"#, #""all":"s.*","reduce":"max""#,
            #""all":"s.base-*","reduce":"sum","pipe":[{"debounce":5}]"#,
            #""node":"s.\#(number)","mode":"all""#,
        ]
        for id in 1...(1 + dice.below(3)) {
            let target = targets[dice.below(targets.count)]
            let owners = ["", #","owner":"panel""#, #","owner":["panel","dialog"]"#][dice.below(3)]
            let keeps = !target.contains("nodes") && dice.chance(1, in: 5) ? #","keep":\#(Self.keep)"# : ""
            client.send(#"{"op":"sub","id":\#(id),"graph":"g",\#(target)\#(owners)\#(keeps)}"#)
        }
    }

    private mutating func vanish(_ client: Client) -> String {
        switch dice.below(6) {
        case 0:
            client.session.close(.closed)
            return "left"
        case 1:
            client.session.close(.reset)
            return "reset"
        case 2:
            client.session.close(.timeout)
            return "timeout"
        case 3:
            for owner in ["panel", "dialog"] { client.send(#"{"op":"release","id":90,"owner":"\#(owner)"}"#) }
            client.session.close(.closed)
            return "release"
        case 4:
            for id in 1...3 { client.send(#"{"op":"unsub","id":\#(id)}"#) }
            client.session.close(.closed)
            return "unsub"
        default:
            client.sink.failsNext = true
            client.session.heartbeat()
            client.session.close(.reset)
            return "broken"
        }
    }

    /// What there is of everything.
    private var counters: [String: Int] {
        let (statistics, sessions) = (graph.statistics, bench.clients.sessions)
        return [
            "nodes": statistics.nodes, "edges": statistics.edges, "listeners": statistics.listeners,
            "subscriptions": statistics.subscriptions, "kept": statistics.keptChains,
            "members": graph.members.livingCount,
            "visible": graph.members.names.count, "names": graph.registry.declaredEntries.count,
            "followed": graph.members.watchers.count, "chains": graph.chains.all.count,
            "sessions": sessions.all.count,
            "tickets": sessions.kept.isEmpty ? 0 : 1, "held": sessions.kept.nameless(in: bench.host).held,
            "hidden": graph.chains.hiddenCount, "leftovers": graph.members.leftovers.count,
        ]
    }
}
