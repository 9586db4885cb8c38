import Testing

@testable import Definitions
@testable import Graphs
@testable import Sessions

private let graphText = #"{"graph":"g","nodes":{"x":{"set":"any","initial":1}}}"#

@Suite("What kept chains hold and cost")
struct KeptHeldTests {
    private func bench(_ change: (inout SessionLimits) -> Void = { _ in }) throws -> (Bench, LiveGraph) {
        var limits = SessionLimits.ample
        change(&limits)
        let bench = Bench(limits: limits)
        return (bench, try bench.define(graphText))
    }

    private func named(_ name: String) -> Access {
        Access(Principal(name: name, grants: [Principal.Grant(can: .all)]))
    }

    @Test("K-3, limits.held: what is kept for clients without a name is bounded for all of them together")
    func nameless() throws {
        let (bench, graph) = try bench { $0.held = 5_000 }
        let pipe = #"[{"window":{"last":"1h","of":"list"}}]"#
        for _ in 1...20 {
            var keeper = Keeper(bench, pipe: pipe)
            #expect(keeper.begin().contains("ticket"))
            keeper.client.session.close()
        }
        let kept = bench.clients.sessions.kept
        #expect((1...8).contains(graph.clients.keptChains), "\(graph.clients.keptChains)")
        #expect(kept.nameless(in: bench.host).held <= 5_000 && kept.kept.count == graph.clients.keptChains)
        bench.leap(30_000)
        #expect(kept.isEmpty && kept.nameless(in: bench.host).held == 0 && graph.isWhole)
    }

    @Test(
        "K-3, limits.held: a principal that needs room loses what is kept for it, oldest first, and is not refused"
    )
    func room() throws {
        let (bench, graph) = try bench { $0.held = 8_000 }
        let long = "\"" + String(repeating: "t", count: 1_000) + "\""
        var tickets: [String?] = []
        for id in 1...3 {
            var keeper = Keeper(
                bench,
                pipe: #"[{"map":"value"},{"scan":{"start":\#(id),"with":"value"}}]"#,
                as: named("a")
            )
            keeper.begin()
            tickets.append(keeper.ticket)
            keeper.client.session.close()
        }
        let account = try #require(bench.host.pipelines.accounts.find("a"))
        #expect(graph.clients.keptChains == 3 && account.held < 8_000)
        try bench.set(graph, [("x", long)])
        var other = Keeper(bench, pipe: #"[{"window":{"count":9,"of":"list"}}]"#, as: named("a"))
        for _ in 1...8 where account.held < 8_000 {
            var more = Keeper(bench, pipe: #"[{"delay":\#(account.held)}]"#, as: named("a"))
            more.begin()
            more.client.session.close()
        }
        #expect(account.held >= 8_000)
        #expect(other.begin().contains(#""op":"snap""#))
        #expect(bench.clients.sessions.kept.find(Ticket(tickets[0] ?? "")!, of: "a") == nil, "the oldest")
        #expect(graph.clients.keptChains > 0)
    }

    @Test("limits.pipelines: what kept chains compute is the principal's, as of any pipeline")
    func work() throws {
        let (bench, graph) = try bench { $0.pipelineUnits = 50_000 }
        var keeper = Keeper(
            bench,
            pipe: #"[{"map":"[1,2,3,4,5,6,7,8,9].map(i, i * value)"},{"scan":{"start":0,"with":"acc + 1"}}]"#,
            as: named("a")
        )
        keeper.begin()
        keeper.client.session.close()
        for number in 2...5 { try bench.set(graph, [("x", "\(number)")]) }
        let account = try #require(bench.host.pipelines.accounts.find("a"))
        #expect(account.room <= 0, "\(account.room)")
        bench.settle()
        keeper.client = bench.connect(named("a"))
        #expect(keeper.resume().contains(#""resumed":true,"v":5"#))
    }

    @Test(
        "K-1: 10,000 kept chains that are taken over or expire leave nothing",
        arguments: [(true, 10), (false, 100)]
    )
    func leaks(isShared: Bool, clients: Int) throws {
        let (bench, graph) = try bench { $0.held = 1 << 30 }
        let start = graph.statistics
        let pipe = isShared ? #"[{"filter":"value > 0"}]"# : #"[{"window":{"last":"1h","of":"avg"}}]"#
        var tickets: [String] = []
        for _ in 1...clients {
            let client = bench.connect()
            for id in 1...100 {
                let mode = id % 2 == 0 ? "all" : "latest"
                let snap = client.ask(
                    #"{"op":"sub","id":\#(id),"graph":"g","node":"x","pipe":\#(pipe),"mode":"\#(mode)","keep":"30s"}"#
                )
                tickets.append(try #require(Keeper.text("ticket", of: snap.first ?? "")))
            }
            client.session.close()
        }
        #expect(
            Set(tickets).count == 100 * clients && graph.clients.keptChains == 100 * clients
                && graph.clients.subscriptions == 0
        )
        #expect(bench.clients.statistics.sessions == 0 && bench.clients.statistics.subscriptions == 0)
        try bench.set(graph, [("x", "2")])
        for part in 0..<clients / 4 {
            let client = bench.connect()
            for id in 1...200 {
                let place = part * 400 + id
                let mode = place % 2 == 0 ? "all" : "latest"
                let snap = client.ask(
                    #"{"op":"sub","id":\#(id),"graph":"g","node":"x","pipe":\#(pipe),"mode":"\#(mode)","since":{"epoch":"e1","rev":1,"ticket":"\#(tickets[place - 1])"}}"#
                )
                if snap.first?.contains(#""resumed":true"#) != true { Issue.record("\(snap)") }
            }
            client.session.close()
        }
        bench.endTurn()
        #expect(graph.clients.keptChains == 100 * clients - 200 * (clients / 4))
        bench.leap(30_000)
        var turns = 0
        while bench.host.nextDeadline == bench.clock.now {
            turns += 1
            bench.leap(0)
        }
        #expect(clients < 100 || turns > 5, "many are released in slices")
        let kept = bench.clients.sessions.kept
        #expect(kept.isEmpty && kept.nameless(in: bench.host).held == 0 && graph.clients.keptChains == 0)
        #expect(bench.host.nextDeadline == nil && bench.clients.sessions.all.isEmpty)
        let end = graph.statistics
        #expect(end.nodes == start.nodes && end.edges == start.edges && end.listeners == 0 && graph.isWhole)
    }
}
