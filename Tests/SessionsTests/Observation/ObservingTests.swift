import ReactiveGraph
import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions

private let house = """
    {"graph": "g", "nodes": {
      "x": {"set": "number", "initial": 1},
      "lazy": {"from": "x", "pipe": [{"map": "value * 2"}, {"map": "value + 1"}]},
      "kept": {"from": "x", "pipe": [{"delay": 1000}]}
    }}
    """

@Suite("Looking without owning")
struct ObservingTests {
    private let bench = Bench()
    private let graph: LiveGraph
    private let watcher: Client

    init() throws {
        graph = try bench.define(house)
        watcher = bench.connect()
    }

    private func observe(_ every: Int = 100) -> String {
        watcher.ask(#"{"op":"observe","id":7,"graph":"g","every":\#(every)}"#).first ?? ""
    }

    private func next(_ milliseconds: UInt64 = 100) -> [String] {
        bench.pass(milliseconds)
        return watcher.take()
    }

    /// The member of a message, as it stands there.
    private func part(_ message: String?, _ path: String...) throws -> String {
        let datum = try Datum.parse(try #require(message))
        return datum.withBytes { bytes in
            var reader: JSONReader? = JSONReader(validated: bytes)
            for key in path { reader = reader?.members.first { $0.key.string == key }?.value }
            return reader.map { String(decoding: $0.bytes, as: UTF8.self) } ?? "nothing"
        }
    }

    @Test("topo shows everything and makes nothing; an observer counts as no listener")
    func first() throws {
        let before = graph.statistics
        let topo = observe()
        #expect(
            topo.hasPrefix(
                #"{"op":"topo","id":7,"seq":1,"epoch":"e1","rev":1,"t":5000000,"nodes":[{"n":1,"kind":"mutable","name":"x","type":"number","retain":"always","role":"setting","c":1,"t":5000000,"v":1,"count":1,"born":5000000,"owners":[]},"#
            ),
            "\(topo)"
        )
        #expect(topo.contains(#"{"kind":"derived","name":"lazy","exists":false,"#))
        #expect(!topo.contains(#""exists":false,"v""#))
        #expect(topo.contains(#""listeners":[]"#))
        #expect(graph.statistics == before)
        #expect(graph.statistics.listeners == 0)
        #expect(next(500) == [], "nothing happens")
    }

    @Test("Births, owners, values, and deaths with their reason, age and last value")
    func life() throws {
        _ = observe()
        let client = bench.connect()
        client.ask(#"{"op":"hello","client":"tablet/1"}"#)
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"lazy"}"#)
        let birth = next()
        #expect(birth.count == 1)
        #expect(
            birth[0].hasPrefix(#"{"op":"topod","id":7,"seq":2,"rev":1,"t":5000000,"add":{"nodes":[{"n":"#)
        )
        let added = try part(birth[0], "add", "nodes")
        #expect(added.contains(#""name":"lazy""#) && added.contains(#""v":3"#))
        #expect(
            added.contains(
                #""kind":"derived","c":1,"t":5000000,"of":"lazy","op":"map","label":"value * 2","v":2"#
            )
        )
        #expect(added.contains(#""owners":["c:2"]"#))
        #expect(try part(birth[0], "add", "edges").contains(#""queued":0}"#))
        let listeners = try part(birth[0], "add", "listeners")
        #expect(
            listeners.hasPrefix(#"[{"l":"c:2","client":"tablet/1","transport":"ws","since":5000000,"on":["#),
            "\(listeners)"
        )
        #expect(try part(birth[0], "own") == #"[[1,["c:2"]]]"#, "x is needed by it as well")

        try bench.set(graph, [("x", "5")])
        let change = next()
        #expect(change.count == 1)
        let values = try part(change[0], "val")
        #expect(values.contains(#"[1,{"v":5},2,2]"#) && values.contains(#"{"v":11},"#), "\(values)")
        #expect(try part(change[0], "add", "nodes") == "[]")

        client.session.close(.reset)
        let death = next()
        #expect(death.count == 1)
        let gone = try part(death[0], "del", "nodes")
        #expect(gone.contains(#""reason":"last_owner","lived":200,"last":{"v":11}}"#), "\(gone)")
        #expect(gone.contains(#""last":{"v":10}}"#))
        #expect(try part(death[0], "del", "listeners") == #"[{"l":"c:2","reason":"reset"}]"#)
        #expect(try part(death[0], "del", "edges") != "[]")
        #expect(try part(death[0], "own") == "[[1,[]]]")
        #expect(try part(death[0], "seq") == "4")
    }

    @Test("What was born and died between two messages is in both lists")
    func flash() throws {
        _ = observe()
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x","pipe":[{"map":"value * 100"}]}"#)
        client.session.close()
        let news = next()
        #expect(news.count == 1)
        let added = try part(news[0], "add", "nodes")
        let gone = try part(news[0], "del", "nodes")
        #expect(
            added.contains(#""kind":"chain""#) && added.contains(#""label":"value * 100","chain":""#),
            "\(added)"
        )
        #expect(gone.contains(#""last":{"v":100}"#))
        #expect(try part(news[0], "add", "listeners").contains(#""l":"c:2""#))
        #expect(try part(news[0], "del", "listeners") == #"[{"l":"c:2","reason":"closed"}]"#)
        #expect(next(300) == [], "told once")
    }

    @Test("An observer keeps nothing alive, and two observers are told the same")
    func weightless() throws {
        let other = bench.connect()
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"lazy"}"#)
        #expect(observe().contains(#""l":"c:3""#))
        let first = other.ask(#"{"op":"observe","id":1,"graph":"g","every":100}"#)
        #expect(first[0].contains(#""name":"lazy""#))
        let alive = graph.statistics.nodes
        client.session.close()
        #expect(graph.statistics.nodes < alive)
        let mine = next()
        let others = other.take()
        #expect(mine.count == 1 && others.count == 1)
        #expect(mine[0].dropFirst(22) == others[0].dropFirst(22))
        #expect(graph.isWhole)
    }

    @Test("you: an observer that listens as well sees itself")
    func you() throws {
        watcher.ask(#"{"op":"sub","id":1,"graph":"g","node":"x"}"#)
        #expect(observe().contains(#""listeners":[{"l":"c:1","you":true,"transport":"ws""#))
        watcher.ask(#"{"op":"unsub","id":1}"#)
        let news = next()
        #expect(try part(news.last, "del", "listeners") == #"[{"l":"c:1","reason":"done"}]"#)
    }

    @Test("What a stage holds back is shown on its edge")
    func waiting() throws {
        _ = observe()
        try bench.set(graph, [("x", "2")])
        try bench.set(graph, [("x", "3")])
        let picture = String(decoding: PictureText(of: graph, live: true).json(), as: UTF8.self)
        #expect(picture.contains(#""queued":3"#), "\(picture)")
        bench.pass(2000)
        #expect(
            !String(decoding: PictureText(of: graph, live: true).json(), as: UTF8.self).contains(
                #""queued":3"#
            )
        )
    }

    @Test("At most four per connection; ids, mod and unsub as for subscriptions")
    func protocolRules() throws {
        _ = observe()
        #expect(watcher.ask(#"{"op":"observe","id":7,"graph":"g"}"#)[0].contains("id_in_use"))
        #expect(watcher.ask(#"{"op":"sub","id":7,"graph":"g","node":"x"}"#)[0].contains("id_in_use"))
        for id in 8...10 {
            #expect(watcher.ask(#"{"op":"observe","id":\#(id),"graph":"g"}"#)[0].contains("topo"))
        }
        let fifth = watcher.ask(#"{"op":"observe","id":11,"graph":"g"}"#)[0]
        #expect(fifth.contains("sub_limit") && fifth.contains(#""retry":false"#))
        #expect(watcher.ask(#"{"op":"observe","id":11,"graph":"none"}"#)[0].contains("unknown_graph"))
        #expect(watcher.ask(#"{"op":"observe","graph":"g"}"#)[0].contains("bad_field"))
        #expect(
            bench.connect().ask(#"{"op":"observe","id":1,"graph":"g","every":1}"#)[0].contains("bad_field")
        )
        #expect(watcher.ask(#"{"op":"mod","id":20,"sub":7,"every":500}"#) == [#"{"op":"ok","id":20}"#])
        try bench.set(graph, [("x", "9")])
        let early = next(300).filter { $0.contains(#""id":7,"#) }
        #expect(early == [])
        #expect(next(300).contains { $0.contains(#""id":7,"#) })
        #expect(
            watcher.ask(#"{"op":"unsub","id":7}"#) == [#"{"op":"end","id":7,"code":"done","released":0}"#]
        )
        try bench.set(graph, [("x", "10")])
        #expect(next(1000).allSatisfy { !$0.contains(#""id":7,"#) })
        watcher.session.close()
        #expect(graph.releases.watch == nil, "nobody looks any more")
    }

    @Test("A client that does not read is told everything in one message later")
    func slow() throws {
        _ = observe()
        watcher.sink.unsentBytes = 1 << 17
        for value in 0..<50 {
            try bench.set(graph, [("x", "\(value)")])
            bench.pass(100)
        }
        #expect(watcher.take() == [])
        watcher.sink.unsentBytes = 0
        let news = next()
        #expect(news.count == 1)
        #expect(try part(news[0], "seq") == "2")
        #expect(try part(news[0], "val").contains(#"[1,{"v":49},51,"#))
    }

    @Test("However much dies between two messages, what is held back is bounded, and what was shown is gone")
    func manyDeaths() throws {
        var limits = SessionLimits.ample
        limits.hardBytes = 1 << 17
        let bench = Bench(limits: limits)
        let graph = try bench.define(house)
        let watcher = bench.connect()
        let shown = bench.connect()
        shown.ask(#"{"op":"sub","id":1,"graph":"g","node":"lazy"}"#)
        let number = try #require(graph.node("lazy")?.living).id
        watcher.ask(#"{"op":"observe","id":7,"graph":"g","every":100}"#)
        shown.session.close()
        // Each of them holds 8 KiB, and their client leaves as well.
        let text = String(repeating: "x", count: 8192)
        for _ in 0..<100 {
            let client = bench.connect()
            client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x","pipe":[{"map":"'\#(text)'"}]}"#)
            client.session.close()
        }
        bench.pass(100)
        let news = watcher.take()
        #expect(news.count == 1 && watcher.sink.closes == [])
        #expect(news[0].utf8.count < limits.hardBytes, "\(news[0].utf8.count)")
        let gone = try part(news[0], "del", "nodes")
        #expect(gone.contains(#"{"n":\#(number),"reason":"last_owner","lived":0}"#), "without what it held")
        #expect(gone.contains(#""last":{"v":"xxx"#), "the newest in full")
        #expect(try part(news[0], "del", "listeners").contains(#""l":"c:2""#))
    }

    @Test("A node that was shown is reported as gone, though ten thousand others came and went since")
    func noGhosts() throws {
        watcher.session.close()
        let watcher = bench.connect()
        let shown = bench.connect()
        shown.ask(#"{"op":"sub","id":1,"graph":"g","node":"x","pipe":[{"map":"value"}]}"#)
        let topo = watcher.ask(#"{"op":"observe","id":7,"graph":"g","every":100}"#)
        let known = Watched()
        known.read(topo)
        shown.session.close()
        let client = bench.connect()
        for _ in 0..<10_050 {
            // A turn each: one has no room for the work of all.
            client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x","pipe":[{"skip":1}]}"#)
            client.ask(#"{"op":"unsub","id":1}"#)
        }
        client.session.close()
        bench.pass(100)
        known.read(watcher.take())
        let fresh = Watched()
        fresh.read(bench.connect().ask(#"{"op":"observe","id":7,"graph":"g","every":100}"#))
        #expect(known.lines == fresh.lines)
        #expect(known.complaints == [])
    }

    @Test("A graph that ends, and a server that stops, end the observation")
    func ends() throws {
        _ = observe()
        _ = bench.host.remove(graph)
        #expect(watcher.take() == [#"{"op":"end","id":7,"code":"node_removed","released":0}"#])
        let other = try bench.define(house.replacing("\"g\"", with: "\"h\""))
        watcher.ask(#"{"op":"observe","id":7,"graph":"h"}"#)
        watcher.session.shutDown(after: 1)
        #expect(watcher.take() == [#"{"op":"end","id":7,"code":"shutdown","released":0}"#])
        #expect(other.releases.watch == nil)
    }

    @Test("A graph too large for one message is refused")
    func tooLarge() throws {
        var limits = SessionLimits.ample
        limits.hardBytes = 500
        let bench = Bench(limits: limits)
        _ = try bench.define(house)
        let answer = bench.connect().ask(#"{"op":"observe","id":7,"graph":"g"}"#)
        #expect(answer[0].contains(#""code":"too_large""#))
    }

    @Test("The node that shows why a flatten follows nothing dies like any other")
    func withoutName() throws {
        let graph = try bench.define(
            """
            {"graph": "f", "nodes": {"key": {"set": "any", "initial": "nobody"}, "a": {"set": "any", "initial": 1},
              "chosen": {"flatten": {"from": "key", "to": {"a": "a"}}}}}
            """
        )
        let topo = watcher.ask(#"{"op":"observe","id":8,"graph":"f","every":100}"#)[0]
        #expect(topo.contains("not_a_key"))
        for key in [#""a""#, #""nobody""#, #""a""#] {
            try bench.set(graph, [("key", key)])
            _ = next()
        }
        #expect(try bench.read(graph, "chosen") == "1")
    }

    @Test("An observer that may not see a new node learns nothing of it")
    func newNode() throws {
        let grants = [Principal.Grant(nodes: ["x"], can: [.read, .observe])]
        let ann = bench.connect(Access(Principal(name: "ann", grants: grants)))
        _ = try bench.define(#"{"graph":"r","nodes":{"x":{"set":"any","initial":1}}}"#)
        #expect(ann.ask(#"{"op":"observe","id":1,"graph":"r","every":100}"#)[0].contains("topo"))
        let wider = try bench.definition(
            #"{"graph":"r","nodes":{"x":{"set":"any","initial":1},"secret":{"set":"any","initial":42}}}"#
        )
        _ = bench.host.redefine(try #require(bench.host["r"]), as: wider)
        bench.pass(300)
        #expect(ann.take() == [#"{"op":"end","id":1,"code":"forbidden","released":0}"#])
    }
}

extension String {
    fileprivate func replacing(_ part: String, with other: String) -> String {
        var result = ""
        var rest = self[...]
        while let found = rest.firstRange(of: part) {
            result += rest[..<found.lowerBound] + other
            rest = rest[found.upperBound...]
        }
        return result + rest
    }
}
