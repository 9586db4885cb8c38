import Testing

@testable import Definitions
@testable import Graphs
@testable import Sessions

private let graphText =
    #"{"graph":"g","nodes":{"x":{"set":"any","initial":1},"y":{"set":"any","initial":1}}}"#

@Suite("Keeping a client's chain in mode all")
struct KeepingModeAllTests {
    private func keeper(_ bench: Bench, _ pipe: String, _ more: String = "") -> Keeper {
        Keeper(bench, pipe: pipe, #","mode":"all","keep":"30s"\#(more)"#)
    }

    @Test("K-2: all that came after the cursor is in d, also what was sent and did not arrive")
    func replay() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        var keeper = keeper(bench, #"[{"map":"value * 2"}]"#)
        keeper.begin()
        try bench.set(graph, [("x", "2")])
        try bench.set(graph, [("x", "3")])
        #expect(keeper.client.take().count == 2)
        // The second one is lost.
        keeper.rev = 2
        keeper.reconnect()
        try bench.submit(graph, [("x", "4")])
        try bench.submit(graph, [("x", "5")])
        bench.endTurn()
        let snap = keeper.resume()
        let missed =
            #","d":[{"rev":3,"t":5000000,"v":6},{"rev":4,"t":5000000,"v":8},{"rev":5,"t":5000000,"v":10}],"ticket":""#
        #expect(snap.contains(#""resumed":true\#(missed)"#), "\(snap)")
        try bench.set(graph, [("x", "6")])
        #expect(keeper.client.take().first?.contains(#""rev":6,"t":5000000,"d":[{"id":2,"v":12}]"#) == true)
        keeper.rev = 6
        keeper.reconnect()
        let again = keeper.resume()
        #expect(again.contains(#""resumed":true,"ticket""#), "nothing was missed: \(again)")
    }

    @Test("K-2: a node without a history, in mode all")
    func plainNode() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        var keeper = Keeper(bench, #""graph":"g","node":"x","mode":"all","keep":"30s""#)
        keeper.begin()
        keeper.reconnect()
        try bench.set(graph, [("x", "2")])
        try bench.submit(graph, [], clear: ["x"])
        let snap = keeper.resume()
        let missed = #""d":[{"rev":2,"t":5000000,"v":2},{"rev":3,"t":5000000,"empty":true}]"#
        #expect(snap.contains(#""resumed":true,\#(missed)"#), "\(snap)")
        keeper.client.session.close()
        bench.leap(30_000)
        #expect(graph.statistics.listeners == 0 && bench.clients.sessions.kept.isEmpty)
    }

    @Test("K-2: more than queue is not kept: resumed false with the present value, and the chain continues")
    func tooMany() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        var keeper = keeper(bench, #"[{"scan":{"start":0,"with":"acc + value"}}]"#, #","queue":3"#)
        keeper.begin()
        for count in [3, 4] {
            keeper.reconnect()
            for _ in 1...count { try bench.set(graph, [("x", "10")]) }
            let snap = keeper.resume()
            #expect(snap.contains(#""resumed":\#(count == 3)"#), "\(snap)")
            #expect(snap.contains(count == 3 ? #""v":31}],"ticket""# : #","v":71,"ticket""#), "\(snap)")
        }
        keeper.client.ask(#"{"op":"mod","id":9,"sub":2,"queue":4}"#)
        keeper.reconnect()
        for _ in 1...4 { try bench.set(graph, [("x", "10")]) }
        #expect(keeper.resume().contains(#""resumed":true"#), "mod has changed it")
    }

    @Test("K-2: a cursor between two values of one rev is ambiguous: resumed false")
    func ambiguous() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        var keeper = keeper(bench, #"[{"delay":10}]"#)
        keeper.begin()
        bench.leap(10)
        try bench.set(graph, [("x", "2")])
        keeper.reconnect()
        bench.leap(10)
        keeper.rev = 2
        let snap = keeper.resume()
        #expect(snap.contains(#""resumed":false,"v":2"#), "\(snap)")
        try bench.set(graph, [("x", "3")])
        keeper.reconnect()
        try bench.set(graph, [("y", "3")])
        bench.leap(10)
        keeper.rev = 3
        let again = keeper.resume()
        #expect(
            again.contains(#""resumed":true,"d":[{"rev":4,"t":5000020,"v":3}]"#),
            "with rev 3 came nothing: \(again)"
        )
        #expect(graph.isWhole)
    }

    @Test("K-2: mode all may follow mode latest; only what came since is kept")
    func otherMode() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        let pipe = #"[{"scan":{"start":0,"with":"acc + value"}}]"#
        var keeper = Keeper(bench, pipe: pipe)
        keeper.begin()
        keeper.client.ask(#"{"op":"mod","id":9,"sub":1,"mode":"all"}"#)
        try bench.set(graph, [("x", "2")])
        let ticket = keeper.ticket
        keeper.reconnect()
        try bench.set(graph, [("x", "3")])
        var all = self.keeper(bench, pipe)
        (all.ticket, all.rev) = (ticket, 1)
        #expect(
            all.resume().contains(
                #""resumed":true,"d":[{"rev":2,"t":5000000,"v":3},{"rev":3,"t":5000000,"v":6}]"#
            )
        )
        all.client.ask(#"{"op":"mod","id":9,"sub":2,"mode":"latest"}"#)
        all.reconnect()
        try bench.set(graph, [("x", "4")])
        #expect(all.resume().contains(#""resumed":false,"v":10"#), "what latest folds, d cannot have")
    }

    @Test("K-3, limits.held: what is kept in mode all counts; where it is too much, none of it is")
    func held() throws {
        var limits = SessionLimits.ample
        limits.held = 20_000
        let bench = Bench(limits: limits)
        let graph = try bench.define(graphText)
        var keeper = keeper(bench, #"[{"filter":"value != 1"}]"#)
        keeper.begin()
        let before = keeper.client.session.extras?.ownAccount?.held ?? 0
        let long = "\"" + String(repeating: "t", count: 4_000) + "\""
        for _ in 1...3 { try bench.set(graph, [("x", long)]) }
        let held = (keeper.client.session.extras?.ownAccount?.held ?? 0) - before
        #expect((12_000..<14_000).contains(held), "\(held)")
        let own = try #require(keeper.client.session.extras?.ownAccount)
        keeper.rev = 1
        keeper.reconnect()
        let nameless = bench.clients.sessions.kept.nameless(in: bench.host)
        #expect(own.held == 0 && nameless.held == before + held)
        for _ in 1...3 { try bench.set(graph, [("x", long)]) }
        #expect(nameless.held < 20_000)
        #expect(keeper.resume().contains(#""resumed":false"#))
        #expect(nameless.held == 0)
        keeper.client.session.close()
        bench.leap(30_000)
        #expect(nameless.held == 0 && graph.isWhole)
    }
}
