import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions

@Suite("Idempotency keys")
struct IdempotencyKeyTests {
    private func bench(_ limit: Int) throws -> (Bench, LiveGraph) {
        var limits = SessionLimits.ample
        limits.idempotencyKeys = limit
        let bench = Bench(limits: limits)
        return (bench, try bench.define(#"{"graph": "g", "nodes": {"x": {"set": "number", "max": 1000}}}"#))
    }

    /// Sets with a key; whether that was answered as a repeat, or nil where it was refused.
    private func set(
        _ graph: LiveGraph,
        _ key: String,
        by: String? = nil,
        _ value: String = "1"
    ) throws -> Bool? {
        var commit = Commit(graph: graph)
        commit.set.append(Assignment(try #require(graph.node("x")), try Datum.parse(value)))
        commit.key = key
        commit.by = by
        guard case .applied(let applied) = graph.host.submit(commit) else { return nil }
        return applied.isReplay
    }

    @Test("limits.idempotencyKeys: with one more the oldest goes, and no more are ever kept")
    func limit() throws {
        let (bench, graph) = try bench(3)
        for key in ["a", "b", "c", "d"] { #expect(try set(graph, key) == false) }
        #expect(bench.host.submissions.keys.count == 3)
        for key in ["b", "c", "d"] { #expect(try set(graph, key) == true, "\(key)") }
        #expect(try set(graph, "a") == false, "it was forgotten")
        for number in 0..<500 { _ = try set(graph, "k\(number)") }
        #expect(bench.host.submissions.keys.count == 3)
    }

    @Test("A principal that adds beyond its share loses its own oldest key; the keys of others stay")
    func flood() throws {
        let (bench, graph) = try bench(10)
        for key in ["a", "b"] { #expect(try set(graph, key, by: "quiet") == false) }
        for number in 0..<100 { #expect(try set(graph, "k\(number)", by: "loud") == false) }
        #expect(
            bench.host.submissions.keys.count == 10 && bench.host.submissions.keys.count(of: "quiet") == 2
        )
        #expect(try set(graph, "a", by: "quiet") == true && set(graph, "b", by: "quiet") == true)
        #expect(try set(graph, "k99", by: "loud") == true && set(graph, "k91", by: "loud") == false)
    }

    @Test("A principal with less than its share takes from the one with most, until all have theirs")
    func shares() throws {
        let (bench, graph) = try bench(12)
        for number in 0..<12 { _ = try set(graph, "k\(number)", by: "first") }
        for name in ["second", "third"] {
            for number in 0..<12 { _ = try set(graph, "k\(number)", by: name) }
        }
        let counts = ["first", "second", "third"].map { bench.host.submissions.keys.count(of: $0) }
        #expect(counts == [4, 4, 4])
        #expect(try set(graph, "k11", by: "first") == true, "its newest stayed")
        #expect(try set(graph, "k7", by: "first") == false)
    }

    @Test("More principals than keys: each new one takes the place of another, nothing grows")
    func crowd() throws {
        let (bench, graph) = try bench(5)
        for number in 0..<200 { #expect(try set(graph, "k", by: "p\(number)") == false) }
        #expect(bench.host.submissions.keys.count == 5)
    }

    @Test("Keys are over after ten minutes, also those of principals that went away; refusals leave none")
    func time() throws {
        let (bench, graph) = try bench(100)
        _ = try set(graph, "a", by: "gone")
        for _ in 0..<50 { #expect(try set(graph, "bad", "5000") == nil) }
        #expect(bench.host.submissions.keys.count == 1)
        bench.clock.advance(by: 599_999)
        #expect(try set(graph, "a", by: "gone") == true)
        bench.clock.advance(by: 10_000)
        _ = try set(graph, "b", by: "here")
        #expect(bench.host.submissions.keys.count == 1 && bench.host.submissions.keys.count(of: "gone") == 0)
        #expect(try set(graph, "a", by: "gone") == false)
    }

    @Test("Without names all connections are one principal: a repeat on another one is a repeat")
    func nameless() throws {
        let (bench, _) = try bench(10)
        let message = #"{"op":"set","id":1,"graph":"g","set":{"x":1},"key":"k"}"#
        #expect(bench.connect().ask(message).first?.contains("replayed") == false)
        #expect(bench.connect().ask(message).first?.contains("replayed") == true)
    }
}
