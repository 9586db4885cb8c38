import LogTestSupport
import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions

private let graphText =
    #"{"graph":"g","nodes":{"x":{"set":"number","initial":10},"y":{"set":"number","initial":1}}}"#
private let average = #"[{"window":{"last":"10m","of":"avg"}}]"#
private let sum = #"[{"scan":{"start":0,"with":"acc + value"}}]"#

private func principal(_ name: String, can rights: Rights = .all) -> Access {
    Access(Principal(name: name, grants: [Principal.Grant(can: rights)]))
}

@Suite("Keeping a client's chain across a reconnect")
struct KeepingTests {
    @Test(
        "K-1, K-2: within the time of keep a window continues with its average, also with what came meanwhile"
    )
    func goesOn() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        var keeper = Keeper(bench, pipe: average)
        let snap = keeper.begin()
        #expect(snap.contains(#""v":10,"ticket":""#) && snap.contains(#""keep":"30s""#), "\(snap)")
        #expect(keeper.ticket?.utf8.count == 24)
        try bench.set(graph, [("x", "20")])
        #expect(keeper.client.take().first?.contains(#"{"id":1,"v":15}"#) == true)
        let former = keeper.ticket
        keeper.reconnect()
        #expect(graph.clients.keptChains == 1 && graph.clients.subscriptions == 0)
        try bench.set(graph, [("x", "30")])
        bench.leap(29_999)
        let again = keeper.resume()
        #expect(again.contains(#""resumed":true,"v":20,"ticket":""#), "\(again)")
        #expect(keeper.ticket != former)
        try bench.set(graph, [("x", "40")])
        #expect(keeper.client.take().first?.contains(#"{"id":2,"v":25}"#) == true)
        #expect(graph.clients.keptChains == 0 && graph.clients.subscriptions == 1)
        bench.leap(60_000)
        #expect(
            keeper.client.session.subscriptionCount == 1,
            "the time is over only for chains without a client"
        )
    }

    @Test("K-2: a client that comes back asks for facets anew", arguments: [false, true])
    func facets(asksLater: Bool) throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        let (with, without) = (
            #""graph":"g","node":"x","keep":"30s","facets":true"#, #""graph":"g","node":"x","keep":"30s""#
        )
        var keeper = Keeper(bench, asksLater ? without : with)
        keeper.begin()
        var again = Keeper(bench, asksLater ? with : without)
        (again.ticket, again.rev) = (keeper.ticket, keeper.rev)
        keeper.reconnect()
        #expect(again.resume().contains(#""state":{"#) == asksLater)
        let load = #"{"op":"load","graph":"g","node":"x","loading":true}"#
        #expect(again.client.ask(load).contains { $0.contains(#""loading":true"#) } == asksLater)
        again.client.ask(#"{"op":"unsub","id":2}"#)
        #expect(!graph.facets.isWatched, "nothing of it is left")
    }

    @Test("K-1: after it, the chain is released, and a new one starts anew")
    func endsWithItsTime() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        let start = graph.statistics.nodes
        var keeper = Keeper(bench, pipe: average)
        keeper.begin()
        try bench.set(graph, [("x", "20")])
        keeper.reconnect()
        bench.leap(29_999)
        #expect(graph.statistics.nodes > start)
        bench.leap(1)
        #expect(graph.statistics.nodes == start && graph.clients.keptChains == 0)
        bench.leap(1_000)
        let again = keeper.resume()
        #expect(again.contains(#""resumed":false,"v":20,"#), "\(again)")
        keeper.client.session.close()
        bench.leap(30_000)
        #expect(bench.clients.statistics.sessions == 0 && bench.clients.sessions.kept.isEmpty)
    }

    @Test(
        "K-2: stages that count, run on, keep time or wait continue",
        arguments: [
            (#"[{"skip":3}]"#, #""ticket""#, "50"), (sum, #""v":60"#, "110"),
            (#"[{"take":3}]"#, #""v":30"#, nil), (#"["delta"]"#, #""v":10"#, "20"),
            (#"[{"window":{"count":2,"of":"list"}}]"#, #""v":[20,30]"#, "[30,50]"),
            (
                #"[{"map":"value * 2"},{"scan":{"start":0,"with":"acc + value"}},{"map":"value + 1"}]"#,
                #""v":121"#, "221"
            ),
        ]
    )
    func everyState(pipe: String, held: String, next: String?) throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        var keeper = Keeper(bench, pipe: pipe)
        keeper.begin()
        try bench.set(graph, [("x", "20")])
        keeper.reconnect()
        try bench.set(graph, [("x", "30")])
        let snap = keeper.resume()
        #expect(snap.contains(#""resumed":true,"#) && snap.contains(held), "\(snap)")
        try bench.set(graph, [("x", "50")])
        #expect(keeper.client.take().first.flatMap { Keeper.value($0) } == next)
    }

    @Test(
        "K-2: a value that the client has is left out",
        arguments: [
            average, #"[{"skip":1},{"filter":"value < 100"}]"#, #"[{"debounce":"1s"},{"delay":"1s"}]"#,
        ]
    )
    func unchanged(pipe: String) throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        var keeper = Keeper(bench, pipe: pipe)
        keeper.begin()
        try bench.set(graph, [("x", "20")])
        bench.leap(1_000)
        bench.leap(1_000)
        try bench.set(graph, [("y", "2")])
        keeper.client.ask(#"{"op":"get","id":9,"graph":"g","node":"y"}"#)
        keeper.rev = Int(graph.rev)
        for _ in 1...2 {
            keeper.reconnect()
            let snap = keeper.resume()
            #expect(snap.contains(#""resumed":true,"ticket""#), "\(snap)")
        }
        keeper.reconnect()
        try bench.set(graph, [("x", "120")])
        let isNews = pipe == average
        let snap = keeper.resume()
        #expect(snap.contains(#""resumed":true,"v":50,"#) == isNews, "\(snap)")
        #expect(snap.contains(#""resumed":true,"ticket""#) == !isNews, "\(snap)")
    }

    @Test("K-2: a delay lets out what it held when the connection broke")
    func timers() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        var keeper = Keeper(bench, pipe: #"[{"delay":"10s"}]"#)
        keeper.begin()
        bench.leap(10_000)
        try bench.set(graph, [("x", "20")])
        keeper.reconnect()
        bench.leap(5_000)
        #expect(keeper.resume().contains(#""resumed":true,"v":10,"#))
        keeper.reconnect()
        bench.leap(5_000)
        #expect(keeper.resume().contains(#""resumed":true,"v":20,"#), "at the same rev, so the value is told")
    }

    @Test("K-2: a chain taken over by a connection with many subscriptions is found by its new id only")
    func amongMany() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        var keeper = Keeper(bench, pipe: #"[{"prefix":3}]"#)
        keeper.begin()
        keeper.reconnect()
        for id in 100..<150 { keeper.client.ask(#"{"op":"sub","id":\#(id),"graph":"g","node":"x"}"#) }
        keeper.client.ask(#"{"op":"unsub","id":100}"#)
        keeper.resume(2)
        #expect(keeper.client.ask(#"{"op":"unsub","id":1}"#).first?.contains("unknown_id") == true)
        #expect(keeper.client.ask(#"{"op":"unsub","id":2}"#).first?.contains(#""code":"done""#) == true)
        #expect(keeper.client.session.subscriptionCount == 49 && graph.isWhole)
    }

    @Test("K-2: with prefix the last value may come without a connection; then the subscription ends")
    func prefix() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        let start = graph.statistics
        for valuesAway in 0...1 {
            var keeper = Keeper(bench, pipe: #"[{"prefix":3}]"#)
            keeper.begin()
            try bench.set(graph, [("x", "20")])
            keeper.reconnect()
            if valuesAway == 1 { try bench.set(graph, [("x", "30")]) }
            let snap = keeper.resume()
            #expect(snap.contains(#""resumed":true,"v":\#(valuesAway == 1 ? 30 : 20)"#), "\(snap)")
            if valuesAway == 0 { try bench.set(graph, [("x", "30")]) }
            #expect(keeper.client.session.subscriptionCount == 0)
            keeper.client.session.close()
            try bench.set(graph, [("x", "10")])
        }
        #expect(graph.statistics.nodes == start.nodes && graph.isWhole)
    }

    @Test("K-2: a ticket is good once, and for the principal that got it")
    func onceForOne() throws {
        let bench = Bench()
        try bench.define(graphText)
        var keeper = Keeper(bench, pipe: sum, as: principal("a"))
        keeper.begin()
        let ticket = keeper.ticket
        keeper.reconnect(as: principal("b"))
        #expect(keeper.resume().contains(#""resumed":false"#))
        keeper.reconnect()
        keeper.ticket = ticket
        #expect(keeper.resume().contains(#""resumed":false"#), "without a name it is another principal")
        keeper.reconnect(as: principal("a"))
        keeper.ticket = ticket
        #expect(keeper.resume().contains(#""resumed":true"#), "what others have tried has not spent it")
        keeper.reconnect(as: principal("a"))
        keeper.ticket = ticket
        #expect(keeper.resume().contains(#""resumed":false"#))
    }

    @Test("K-2: a ticket is no good for another pipeline, node or graph, nor is any other text")
    func otherwise() throws {
        let bench = Bench()
        try bench.define(graphText)
        try bench.define(graphText.replacing("\"g\"", with: "\"h\""))
        var keeper = Keeper(bench, pipe: sum)
        keeper.begin()
        let ticket = try #require(keeper.ticket)
        keeper.reconnect()
        let since = #","since":{"epoch":"e1","rev":1,"ticket":"\#(ticket)"}}"#
        for other in [
            #""graph":"g","node":"y","pipe":\#(sum)"#, #""graph":"h","node":"x","pipe":\#(sum)"#,
            #""graph":"g","node":"x","pipe":["delta"]"#, #""graph":"g","zip":["x","y"]"#,
        ] {
            let snap = keeper.client.ask(#"{"op":"sub","id":9,\#(other)\#(since)"#)[0]
            #expect(snap.contains(#""resumed":false"#), "\(snap)")
            keeper.client.ask(#"{"op":"unsub","id":9}"#)
        }
        keeper.ticket = "q8"
        #expect(keeper.resume(3).contains(#""resumed":false"#))
        keeper.ticket = ticket
        #expect(keeper.resume(4).contains(#""resumed":true"#))
        let refused = keeper.client.ask(
            #"{"op":"sub","id":5,"graph":"g","node":"x","since":{"epoch":"e1","rev":1,"ticket":7}}"#
        )
        #expect(refused[0].contains("bad_field") && refused[0].contains("ticket"))
    }

    @Test("K-1: keep is a time; a longer one is shortened, and snap says to what")
    func shortened() throws {
        var limits = SessionLimits.ample
        limits.keepMilliseconds = 1_500
        let bench = Bench(limits: limits)
        let graph = try bench.define(graphText)
        for (asked, told) in [(#""30s""#, "1500ms"), (#""1s""#, "1s"), ("40", "40ms"), ("2000", "1500ms")] {
            var keeper = Keeper(bench, pipe: sum, ",\"keep\":\(asked)")
            let snap = keeper.begin()
            #expect(Keeper.text("keep", of: snap) == told, "\(snap)")
            keeper.client.session.close()
        }
        bench.leap(1_499)
        #expect(graph.clients.keptChains == 2)
        bench.leap(1)
        #expect(graph.clients.keptChains == 0)
        for wrong in [#""soon""#, "0", "true", "null", "-1", #""1w""#] {
            var keeper = Keeper(bench, pipe: sum, ",\"keep\":\(wrong)")
            #expect(keeper.begin().contains(#""code":"bad_field","msg":"keep:"#), "\(wrong)")
        }
        var several = Keeper(bench, #""graph":"g","nodes":["x"],"keep":"1s""#)
        #expect(several.begin().contains("bad_field"))
        limits.keepMilliseconds = 0
        let other = Bench(limits: limits)
        try other.define(graphText)
        var keeper = Keeper(other, pipe: sum)
        #expect(keeper.begin().contains(#""op":"snap""#) && keeper.ticket == nil)
    }

    @Test("K-1: auto keeps what has a memory for 30 seconds, and nothing else")
    func automatic() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        let plain = #"[{"map":"value + 1"},{"ifEmpty":0}]"#
        for (subject, kept) in [
            (#""node":"x","pipe":\#(sum)"#, "30s"), (#""merge":["x"]"#, "30s"),
            (#""node":"x","pipe":\#(plain)"#, nil), (#""combine":["x"]"#, nil), (#""node":"x""#, nil),
        ] {
            var keeper = Keeper(bench, #""graph":"g",\#(subject),"keep":"auto""#)
            let snap = keeper.begin()
            #expect(Keeper.text("keep", of: snap) == kept, "\(snap)")
            #expect(snap.contains("ticket") == (kept != nil))
            keeper.client.session.close()
        }
        #expect(graph.clients.keptChains == 2)
    }

    @Test("K-1: only the end of the connection keeps: unsub, release and slow end the chain at once")
    func onlyTheConnection() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        let start = graph.statistics.nodes
        for request in [#"{"op":"unsub","id":1}"#, #"{"op":"release","id":7,"owner":"p"}"#] {
            var keeper = Keeper(bench, pipe: sum, #","keep":"30s","owner":"p""#)
            keeper.begin()
            keeper.client.ask(request)
            #expect(graph.statistics.nodes == start && bench.clients.sessions.kept.isEmpty)
            keeper.reconnect()
            #expect(keeper.resume().contains(#""resumed":false"#))
            keeper.client.session.close()
            bench.leap(30_000)
        }
    }

    @Test("K-1, O-4: owners end with their connection, and the next one names others")
    func owners() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        var keeper = Keeper(bench, #""graph":"g","node":"x","pipe":\#(sum),"keep":"30s","owner":["p","q"]"#)
        keeper.begin()
        keeper.reconnect()
        #expect(graph.clients.keptChains == 1)
        #expect(keeper.resume().contains(#""resumed":true"#))
        #expect(keeper.client.session.ownerNames == ["p", "q"])
        keeper.client.ask(#"{"op":"release","id":7,"owner":"p"}"#)
        #expect(keeper.client.session.subscriptionCount == 1)
        keeper.client.ask(#"{"op":"release","id":8,"owner":"q"}"#)
        #expect(keeper.client.session.subscriptionCount == 0 && graph.isWhole)
    }

    @Test("K-2: a client may be back before the server knows that it was away")
    func stillOpen() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        var keeper = Keeper(bench, pipe: sum)
        keeper.begin()
        let former = keeper.client
        former.ask(#"{"op":"sub","id":9,"graph":"g","node":"y"}"#)
        try bench.submit(graph, [("x", "20"), ("y", "2")])
        keeper.client = bench.connect()
        #expect(keeper.resume().contains(#""resumed":true,"v":30"#))
        let told = former.take()
        #expect(told.contains(#"{"op":"end","id":1,"code":"done","released":0}"#), "\(told)")
        #expect(told.contains { $0.contains(#"{"id":9,"v":2}"#) }, "\(told)")
        try bench.set(graph, [("x", "30")])
        #expect(former.take() == [] && keeper.client.take().first?.contains(#"{"id":2,"v":60}"#) == true)
        former.session.close()
        #expect(graph.clients.subscriptions == 1 && bench.clients.sessions.kept.kept.isEmpty && graph.isWhole)
    }

    @Test("K-2: a shared chain is kept for one client while another one continues with it")
    func shared() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        let pipe = #"[{"filter":"value > 15"}]"#
        var one = Keeper(bench, pipe: pipe)
        var two = Keeper(bench, pipe: pipe)
        one.begin()
        #expect(two.begin().contains(#""shared":2"#))
        try bench.set(graph, [("x", "20")])
        one.reconnect()
        two.client.session.close()
        let nodes = graph.statistics.nodes
        try bench.set(graph, [("x", "11")])
        let snap = one.resume()
        #expect(snap.contains(#""resumed":true,"v":20"#) && snap.contains(#""shared":2"#), "\(snap)")
        bench.leap(30_000)
        #expect(graph.statistics.nodes == nodes && graph.clients.keptChains == 0)
        try bench.set(graph, [("x", "21")])
        #expect(one.client.take().last?.contains(#"{"id":2,"v":21}"#) == true)
    }

    @Test(
        "K-3: limits.keptChains tickets for a principal; beyond it snap has none. Without tokens all are one"
    )
    func limit() throws {
        var limits = SessionLimits.ample
        limits.keptChains = 2
        let bench = Bench(limits: limits)
        let graph = try bench.define(graphText)
        for access in [Access.full, principal("a")] {
            var keepers = (0...2).map { _ in Keeper(bench, pipe: sum, as: access) }
            for place in 0...2 { keepers[place].begin() }
            #expect(keepers.map { $0.ticket != nil } == [true, true, false])
            for keeper in keepers { keeper.client.session.close() }
            #expect(graph.clients.keptChains == 2)
            var late = Keeper(bench, pipe: sum, as: access)
            #expect(late.begin().contains(#""v":10"#) && late.ticket == nil)
            late.client.session.close()
            bench.leap(30_000)
            late = Keeper(bench, pipe: sum, as: access)
            late.begin()
            #expect(late.ticket != nil)
            late.client.session.close()
            bench.leap(30_000)
        }
    }

    @Test("K-3: when memory is short, kept chains go first, and nothing of living clients")
    func pressure() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        let start = graph.statistics.nodes
        var keeper = Keeper(bench, pipe: sum)
        var other = Keeper(bench, pipe: average)
        keeper.begin()
        other.begin()
        keeper.reconnect()
        #expect(bench.host.flushUnused() == 1)
        #expect(graph.statistics.nodes == start + 1 && graph.clients.keptChains == 0)
        #expect(keeper.resume().contains(#""resumed":false"#))
        #expect(other.client.session.subscriptionCount == 1)
    }

    @Test("K-1: a change of the definition treats a kept chain as one with a client")
    func redefinition() throws {
        let bench = Bench()
        let graph = try bench.define(
            #"{"graph":"g","nodes":{"a":{"set":"number","initial":10},"x":{"from":"a","pipe":[{"map":"value"}]}}}"#
        )
        var keeper = Keeper(bench, pipe: sum)
        keeper.begin()
        keeper.reconnect()
        let twice = try bench.definition(
            #"{"graph":"g","nodes":{"a":{"set":"number","initial":10},"x":{"from":"a","pipe":[{"map":"value * 2"}]}}}"#
        )
        guard case .applied = bench.host.redefine(graph, as: twice) else { return #expect(Bool(false)) }
        #expect(graph.clients.keptChains == 1)
        #expect(keeper.resume().contains(#""resumed":true,"v":30"#), "10, then 20")
        keeper.reconnect()
        let without = try bench.definition(#"{"graph":"g","nodes":{"a":{"set":"number","initial":10}}}"#)
        guard case .applied = bench.host.redefine(graph, as: without) else { return #expect(Bool(false)) }
        bench.endTurn()
        #expect(graph.clients.keptChains == 0 && bench.clients.sessions.kept.isEmpty && graph.isWhole)
        #expect(keeper.resume().contains("unknown_node"))
        guard case .applied = bench.host.redefine(graph, as: twice) else { return #expect(Bool(false)) }
        #expect(keeper.resume().contains(#""resumed":false,"v":20"#))
        keeper.reconnect()
        #expect(graph.clients.keptChains == 1)
        guard case .applied = bench.host.remove(graph) else { return #expect(Bool(false)) }
        bench.endTurn()
        #expect(graph.clients.keptChains == 0 && bench.clients.sessions.kept.isEmpty)
    }

    @Test("K-2: after a restart tickets are invalid, and a server that stops releases what it keeps")
    func restart() throws {
        let log = FaultyLog()
        let bench = Bench(log: log)
        let graph = try bench.define(graphText)
        let start = graph.statistics.nodes
        var keeper = Keeper(bench, pipe: sum)
        keeper.epoch = graph.epoch
        keeper.begin()
        keeper.reconnect()
        keeper.client.session.close()
        bench.host.close()
        #expect(graph.statistics.nodes == start && bench.clients.sessions.kept.isEmpty)
        let next = Bench(log: FaultyLog(after: log))
        _ = try next.host.restore(graph: "g")
        keeper.client = next.connect()
        let snap = keeper.client.ask(
            #"{"op":"sub","id":1,\#(keeper.what),"since":{"epoch":"\#(keeper.epoch)","rev":1,"ticket":"\#(keeper.ticket ?? "")"}}"#
        )
        #expect(snap[0].contains(#""resumed":false,"v":10"#), "\(snap)")
    }

    @Test("K-1: a server that says goodbye keeps nothing")
    func shutdown() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        var keeper = Keeper(bench, pipe: sum)
        keeper.begin()
        keeper.client.session.shutDown(after: 10)
        #expect(graph.clients.keptChains == 0 && bench.clients.sessions.kept.isEmpty)
    }

    @Test("K-2: rights that go while a chain is kept end it")
    func rights() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        let narrow = Access(Principal(name: "a", grants: [Principal.Grant(nodes: ["y"], can: .all)]))
        for revised in [narrow, nil] {
            var keeper = Keeper(bench, pipe: sum, as: principal("a"))
            keeper.begin()
            keeper.client.session.close()
            #expect(graph.clients.keptChains == 1)
            bench.clients.reviseAccess { _ in revised }
            bench.endTurn()
            #expect(graph.clients.keptChains == 0 && bench.clients.statistics.sessions == 0 && graph.isWhole)
        }
        // The same while the connection is still there.
        var keeper = Keeper(bench, pipe: sum, as: principal("a"))
        keeper.begin()
        bench.clients.reviseAccess { _ in nil }
        bench.endTurn()
        #expect(keeper.client.sink.closes == ["4401 unauthenticated"] && graph.clients.keptChains == 0)
    }
}

extension Keeper {
    /// The value of the only entry of an `upd`.
    static func value(_ message: String) -> String? {
        guard let datum = try? Datum.parse(message) else { return nil }
        return datum.withBytes { bytes in
            JSONReader(validated: bytes)["d"]?.elements.first { _ in true }.map { View.value(of: $0) }
        }
    }
}
