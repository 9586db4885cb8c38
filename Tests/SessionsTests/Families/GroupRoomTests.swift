import LogTestSupport
import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions

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

    @Test("F-6: a fresh subscription has what there is room for, and so has get; what is named is in")
    func fresh() throws {
        let (bench, graph) = try bench()
        try bench.set(graph, ["a", "b", "c", "d", "e"].map { ("s.\($0)", "1") })
        let client = bench.connect()
        let snap = client.ask(#"{"op":"sub","id":1,"graph":"g","nodes":["s.*","s.e"]}"#)[0]
        #expect(snap.contains(#""m":{"s.a":{"v":1},"s.b":{"v":1},"s.e":{"v":1}},"more":2"#), "\(snap)")
        let silent = client.ask(#"{"op":"sub","id":2,"graph":"g","nodes":["s.*"],"initial":false}"#)[0]
        #expect(silent.contains(#""more":2"#) && !silent.contains(#""m":"#), "\(silent)")
        let get = client.ask(#"{"op":"get","id":3,"graph":"g","nodes":["s.*"]}"#)[0]
        #expect(get.hasSuffix(#""m":{"s.a":{"v":1},"s.b":{"v":1},"s.c":{"v":1}},"more":2}"#), "\(get)")
        let named = client.ask(#"{"op":"sub","id":4,"graph":"g","nodes":["s.a","s.b","s.c","s.d"]}"#)[0]
        #expect(named.contains("sub_limit") && named.contains(#""retry":false"#), "\(named)")
        // Those left out join as others go, in the order of their names.
        _ = bench.host.submit(Commit(dropping: try #require(graph.node("s.a"))))
        bench.endTurn()
        let came = news(client).joined()
        #expect(came.contains(#""id":1,"m":{"s.a":{"gone":true},"s.c":{"v":1}},"more":1"#), "\(came)")
        // Of nodes that may have been left out before, a client that comes back has no values.
        let rev = graph.rev
        let since = #""since":{"epoch":"\#(graph.epoch)","rev":\#(rev)}"#
        let again = client.ask(#"{"op":"sub","id":5,"graph":"g","nodes":["s.*"],\#(since)}"#)[0]
        #expect(again.contains(#""resumed":false"#) && again.contains(#""more":1"#), "\(again)")
    }

    @Test("Values of more nodes than one answer may have come in pages, by name, each at its rev")
    func pages() throws {
        let (bench, graph) = try bench(Self.families + #","a":{"set":"any","initial":0}"#)
        let names = (1...7).map { "s.\($0)" }
        try bench.set(graph, names.map { ($0, "1") })
        let view = try GraphView(graph, for: .full)
        func page(_ patterns: [String], _ page: ValuesPage?) throws -> String {
            String(decoding: try view.values(of: patterns, limit: 3, page: page), as: UTF8.self)
        }
        let first = try page(["s.*", "a"], nil)
        #expect(
            first.contains(#""m":{"a":{"v":0},"s.1":{"v":1},"s.2":{"v":1}},"next":"s.2"}"#),
            "\(first)"
        )
        let second = try page(["s.*", "a"], ValuesPage(after: "s.2", limit: nil))
        #expect(
            second.contains(#""m":{"s.3":{"v":1},"s.4":{"v":1},"s.5":{"v":1}},"next":"s.5"}"#),
            "\(second)"
        )
        let last = try page(["s.*", "a"], ValuesPage(after: "s.5", limit: nil))
        #expect(last.contains(#""m":{"s.6":{"v":1},"s.7":{"v":1}}}"#), "\(last)")
        let short = try page(["s.*", "s.1?", "s.4"], ValuesPage(after: nil, limit: 2))
        #expect(short.contains(#""m":{"s.1":{"v":1},"s.2":{"v":1}},"next":"s.2"}"#), "\(short)")
        #expect(throws: HostError.self) {
            try page((1...17).map { "s\($0)*" }, ValuesPage(after: "a", limit: 1))
        }
    }

    @Test("limits.held: names left out count for who asked; a subscription with too many ends")
    func held() throws {
        var limits = SessionLimits.ample
        (limits.matches, limits.held) = (3, 24 * 10)
        let bench = Bench(limits: limits)
        let graph = try bench.define(#"{"graph":"g","nodes":{\#(Self.families)}}"#)
        try bench.set(graph, (0..<9).map { ("s.\($0)", "1") })
        let (client, other) = (bench.connect(), bench.connect())
        func sub(_ client: Client, _ id: Int) -> String {
            client.ask(#"{"op":"sub","id":\#(id),"graph":"g","nodes":["s.*"]}"#)[0]
        }
        #expect(sub(client, 1).contains(#""more":6"#))
        let refused = sub(client, 2)
        #expect(refused.contains("sub_limit") && refused.contains(#""retry":false"#), "\(refused)")
        #expect(sub(other, 1).contains(#""more":6"#), "without tokens each connection has its own")
        try bench.set(graph, [("s.a", "1"), ("s.b", "1"), ("s.c", "1"), ("s.d", "1")])
        #expect(news(client).last?.contains(#""more":10"#) == true)
        try bench.set(graph, [("s.e", "1")])
        #expect(news(client).last?.contains(#""code":"slow""#) == true)
        #expect(client.session.account(makes: false)?.held == 0 && client.session.subscriptionCount == 0)
        other.session.close()
        #expect(graph.clients.subscriptions == 0 && graph.isWhole)
    }

    @Test("The first page of values costs what it holds, however many nodes match")
    func firstPage() throws {
        func work(_ count: Int) throws -> UInt64 {
            let (bench, graph) = try bench()
            try bench.set(graph, (0..<count).map { ("s.\(10_000 + $0)", "1") })
            let view = try GraphView(graph, for: .full)
            let before = bench.host.work
            let page = String(decoding: try view.values(of: ["s.*", "*"], limit: 3), as: UTF8.self)
            #expect(page.contains(#""next":"d.10002""#), "\(page)")
            return bench.host.work - before
        }
        let (few, many) = (try work(10), try work(3_000))
        #expect(many <= few, "\(many), \(few)")
    }

    @Test("F-6: an event stream takes globs, with the same room")
    func events() throws {
        let (bench, graph) = try bench()
        try bench.set(graph, ["a", "b", "c", "d"].map { ("s.\($0)", "1") })
        let client = bench.connect(form: .events)
        let view = try GraphView(graph, for: .full)
        client.session.start(try EventStream(of: view, nodes: ["s.*", "d.a"]))
        let begun = client.take()
        try #require(begun.count == 2, "\(begun)")
        #expect(begun[0].contains(#""id":1"#) && begun[0].contains(#""s.c":{"v":1}},"more":1"#), "\(begun)")
        #expect(begun[1].contains(#""id":2"#), "\(begun)")
        _ = bench.host.submit(Commit(dropping: try #require(graph.node("s.b"))))
        bench.endTurn()
        #expect(news(client).joined().contains(#""s.b":{"gone":true},"s.d":{"v":1}},"more":0"#))
        var piped = StreamOptions()
        piped.pipe = Array(#"["distinct"]"#.utf8)
        #expect(throws: HostError.self) { try EventStream(of: view, nodes: ["s.*"], piped) }
        client.session.close()
        #expect(graph.isWhole)
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
        #expect(bench.host.memory.members.count(of: nil) == 3 && graph.isWhole)
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
