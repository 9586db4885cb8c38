import HostTestSupport
import Testing

@testable import GraphHost

/// A subscription to globs has room for `limits.matches` nodes: the others stay out until some go.
@Suite("Room in subscriptions to globs")
struct GroupRoomTests {
    private static let families = #""s.{id}":{"set":"number","expire":"10s"},"d.{id}":{"from":"s.{id}"}"#

    private func bench(_ nodes: String = families) throws -> (Bench, LiveGraph) {
        var limits = SessionLimits.ample
        limits.matches = 3
        let bench = Bench(limits: limits)
        return (bench, try bench.define(#"{"graph":"g","nodes":{\#(nodes)}}"#))
    }

    private func redefine(_ bench: Bench, _ nodes: String) throws {
        let graph = try #require(bench.host["g"])
        _ = bench.host.redefine(graph, as: try bench.definition(#"{"graph":"g","nodes":{\#(nodes)}}"#))
        bench.endTurn()
    }

    /// What came, from the `d` of each message on.
    private func news(_ client: Client) -> [String] {
        client.take().map { message in
            message.firstRange(of: #""d":"#).map { String(message[$0.lowerBound...]) } ?? message
        }
    }

    @Test("F-6: a glob takes in what was left out when members go", arguments: ["latest", "all"])
    func goes(mode: String) throws {
        let (bench, graph) = try bench()
        try bench.set(graph, [("s.a", "1"), ("s.b", "2"), ("s.c", "3")])
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","nodes":["s.*"],"mode":"\#(mode)"}"#)
        try bench.set(graph, [("s.d", "4")])
        try bench.set(graph, [("s.e", "5")])
        let more = news(client)
        try #require(more.count == 2, "\(more)")
        #expect(more[0].contains(#""more":1"#) && more[1].contains(#""more":2"#), "\(more)")
        // One that is left out is not delivered.
        try bench.set(graph, [("s.e", "6")])
        #expect(news(client).isEmpty)
        _ = bench.host.submit(Commit(dropping: try #require(graph.node("s.a"))))
        bench.endTurn()
        let first = news(client)
        try #require(first.count == 1, "\(first)")
        #expect(first[0].contains(#""s.a":{"gone":true}"#), "\(first)")
        #expect(first[0].contains(#""s.d":{"v":4}"#) && first[0].contains(#""more":1"#), "\(first)")
        try bench.submit(graph, [], clear: ["s.b", "s.c"])
        bench.endTurn()
        let second = try #require(news(client).first)
        #expect(second.contains(#""s.e":{"v":6}"#) && second.contains(#""more":0"#), "\(second)")
        // They are members like the others, and there is room for one more.
        try bench.set(graph, [("s.d", "7"), ("s.e", "8"), ("s.f", "9")])
        #expect(news(client).joined().contains(#""s.d":{"v":7},"s.e":{"v":8},"s.f":{"v":9}"#))
    }

    @Test("F-6: those left out that go themselves only lower the number; derived members count as well")
    func leftGoes() throws {
        let (bench, graph) = try bench()
        try bench.set(graph, [("s.a", "1"), ("s.b", "2"), ("s.c", "3")])
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","nodes":["d.*"]}"#)
        try bench.set(graph, [("s.d", "4"), ("s.e", "5")])
        #expect(news(client).last?.contains(#""more":2"#) == true)
        try bench.submit(graph, [], clear: ["s.d"])
        bench.endTurn()
        #expect(news(client) == [#""d":[{"id":1,"m":{},"more":1}]}"#])
        try bench.submit(graph, [], clear: ["s.a"])
        bench.endTurn()
        let came = news(client).joined()
        #expect(came.contains(#""d.a":{"gone":true}"#) && came.contains(#""d.e":{"v":5}"#), "\(came)")
        #expect(came.contains(#""more":0"#), "\(came)")
        client.session.close()
        #expect(bench.host.memberAccounts.count(of: nil) == 3 && graph.isWhole)
    }

    @Test("F-6: a change of the definition takes in what was left out, and forgets what it removes")
    func redefined() throws {
        let declared = ["a", "b", "c", "d"].map { #""x.\#($0)":{"set":"number","initial":0}"# }
        let (bench, graph) = try bench(declared[0..<3].joined(separator: ",") + "," + Self.families)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","nodes":["x.*","s.*"]}"#)
        try bench.set(graph, [("s.m", "1"), ("s.n", "2")])
        #expect(news(client).last?.contains(#""more":2"#) == true)
        // One goes, and a declared node comes: those left out come first.
        try redefine(bench, declared[1...].joined(separator: ",") + "," + Self.families)
        let came = news(client).joined()
        #expect(came.contains(#""x.a":{"gone":true}"#) && came.contains(#""s.m":{"v":1}"#), "\(came)")
        #expect(!came.contains("more"), "as many as before: \(came)")
        // The family goes, and with it one that is left out.
        try redefine(bench, declared[1...].joined(separator: ","))
        let left = news(client).joined()
        #expect(left.contains(#""s.m":{"gone":true}"#) && left.contains(#""x.d":{"v":0}"#), "\(left)")
        #expect(left.contains(#""more":0"#), "\(left)")
    }
}
