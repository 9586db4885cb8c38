import ReactiveGraph
import TestSupport
import Testing

@testable import Definitions
@testable import Graphs
@testable import Sessions

/// The names of ``RetainedNames`` in a graph that a host runs.
private final class Names: RetainedNames {
    private let bench: Bench
    private let graph: LiveGraph
    private var retained: [String: Retention] = [:]
    private var removed: Set<String> = []

    init(limit: Int) {
        var limits = SessionLimits.ample
        limits.kept = limit
        bench = Bench(limits: limits)
        do {
            graph = try bench.define(Self.text([:], without: []))
        } catch {
            preconditionFailure("\(error)")
        }
    }

    private static func text(_ retained: [String: Retention], without removed: Set<String>) -> String {
        let sum = #"{"from": "x", "pipe": [{"scan": {"start": 0, "with": "acc + value"}}]"#
        var nodes = [
            ("loose", #"{"from": "x", "pipe": [{"map": "value"}]"#, Retention.whileInUse),
            ("sum", sum, .untilPressure),
            ("more", #"{"from": "sum", "pipe": [{"map": "value + 1"}]"#, .untilPressure),
            ("fixed", #"{"from": "x", "pipe": [{"map": "value"}]"#, .always),
        ]
        nodes += (0..<4).map { ("k\($0)", #"{"from": "x", "pipe": [{"map": "value"}]"#, .untilPressure) }
        let texts = nodes.filter { !removed.contains($0.0) }.map { name, body, retention in
            #""\#(name)": \#(body), "retain": "\#((retained[name] ?? retention).rawValue)"}"#
        }
        return #"{"graph": "g", "nodes": {"x": {"set": "number", "initial": 1}, "#
            + texts.joined(separator: ", ") + "}}"
    }

    private func redefine() {
        do {
            _ = bench.host.redefine(graph, as: try bench.definition(Self.text(retained, without: removed)))
        } catch {
            Issue.record(error)
        }
    }

    func set(_ value: Int) { #expect(throws: Never.self) { try bench.set(graph, [("x", "\(value)")]) } }

    func read(_ name: String) -> Int? { (try? bench.read(graph, name)).flatMap { Int($0) } }

    func listen(_ name: String) -> () -> Void {
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"\#(name)"}"#)
        return { client.session.close() }
    }

    func retain(_ name: String, _ retention: Retention) {
        retained[name] = retention
        redefine()
    }

    func remove(_ name: String) {
        // What is made from it goes as well.
        removed.formUnion(name == "sum" ? ["sum", "more"] : [name])
        redefine()
    }

    func flush() { bench.host.flushUnused() }
    func number(of name: String) -> UInt64? { graph.node(name)?.living?.id }
    var nodes: Int { graph.statistics.nodes }
}

@Suite("Retention on a server")
struct RetentionTests {
    private typealias Rules = RetentionRules<Names>

    @Test("G-126: a named node with a listener lives") func listened() { #expect(Rules.listened() == []) }
    @Test("G-127: one node per name, while anything holds it") func one() { #expect(Rules.one() == []) }
    @Test("G-128, G-129: what each policy keeps") func policies() { #expect(Rules.policies() == []) }
    @Test("G-129: another policy holds from now on") func change() { #expect(Rules.change() == []) }
    @Test("G-130: survivors are held again when looked up") func survivors() {
        #expect(Rules.survivors() == [])
    }
    @Test("G-130: all references are given up at once") func together() { #expect(Rules.together() == []) }
    @Test("G-131: the soft limit") func limit() { #expect(Rules.limit() == []) }
    @Test("G-133a: a name that was taken out") func removed() { #expect(Rules.removed() == []) }
    @Test("G-134: a kept node keeps its upstream, and is made anew") func anew() {
        #expect(Rules.anew() == [])
    }
}
