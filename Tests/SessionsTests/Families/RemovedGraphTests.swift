import Commits
import LogTestSupport
import ReactiveGraph
import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions

private let families = #"{"graph":"g","nodes":{"s.{id}":{"set":"any"},"d.{id}":{"from":"s.{id}"}}}"#
private let otherFamilies = #"{"graph":"g","nodes":{"s.{id}":{"set":"any"},"e.{id}":{"from":"s.{id}"}}}"#

/// What a host keeps about a graph ends with the graph.
@Suite("Members of graphs that are removed")
struct RemovedGraphTests {
    /// A graph with a member that was set, removed, defined again, and redefined.
    private func history() throws -> (Bench, FaultyLog) {
        let log = FaultyLog()
        let bench = Bench(log: log)
        try bench.set(try bench.define(families), [("s.7", "1")])
        _ = bench.host.remove(try #require(bench.host["g"]))
        bench.endTurn()
        let graph = try bench.define(families)
        _ = bench.host.redefine(graph, as: try bench.definition(otherFamilies))
        bench.endTurn()
        try #require(graph.rev == 5)
        return (bench, log)
    }

    @Test("F-1, I-4: a replay lets the members of a removed graph go, before another one has its name")
    func replayed() throws {
        let (bench, log) = try history()
        let host = Host(store: .memory(epoch: ""), clock: ManualHostClock())
        var graph: LiveGraph?
        weak var member: NamedNode?
        weak var former: LiveGraph?
        try host.restorer.replay("g", 1...5, in: Epochs("e1"), on: &graph, from: log.reader) { (present, _) in
            if present.rev == 2 { (member, former) = (present.existing("s.7"), present) }
            guard present.rev == 4 else { return true }
            #expect(member == nil && former == nil, "the host holds what a graph has left")
            return member == nil
        }
        #expect(graph?.digest == bench.host["g"]?.digest)
    }

    @Test("F-1: a replay, a look at the past and a start get by a graph that was removed and redefined")
    func lookedAt() throws {
        let (bench, log) = try history()
        let present = try #require(bench.host["g"])
        let past = Past(log.reader, limits: .ample) { DefinitionOptions() }
        for rev in [2, 4, 5] as [UInt64] {
            let question = try PastQuestion(
                .values(of: [], limit: 10),
                at: .rev(rev),
                in: GraphView(present, for: .full)
            )
            guard case .body = past.answer(question, while: { true }) else {
                Issue.record("no values at \(rev)")
                continue
            }
        }
        let replay = try Replay("g", from: log.reader, to: nil) { DefinitionOptions() }
        #expect(try replay.run().digest == present.digest)
        let other = try replay.run { _ in try bench.definition(families) }
        #expect(other.commits == 5)
        let next = Bench(log: FaultyLog(after: log))
        #expect(try next.host.restore(graph: "g")?.digest == present.digest)
        next.endTurn()
    }

    @Test("F-1: members that were only asked for in the turn in which the graph is removed go with it")
    func asked() throws {
        let bench = Bench()
        weak var member: NamedNode?
        weak var graph: LiveGraph?
        func ask() throws {
            let defined = try bench.define(families)
            #expect(try bench.read(defined, "s.7") == "empty")
            (member, graph) = (defined.existing("s.7"), defined)
            _ = bench.host.remove(defined)
        }
        try ask()
        #expect(member == nil, "the host holds the entry")
        bench.endTurn()
        #expect(member == nil && graph == nil)
    }

    @Test("F-7: the members of a removed graph count for no principal, whoever still holds their nodes")
    func accounts() throws {
        var limits = SessionLimits.ample
        limits.membersPerPrincipal = 2
        let bench = Bench(limits: limits)
        let graph = try bench.define(families)
        try bench.submit(graph, [("s.a", "1"), ("s.b", #""long""#)], by: "ann")
        let held = try #require(graph.existing("s.a")?.living)
        let other = try bench.define(#"{"graph":"h","nodes":{"s.{id}":{"set":"any"}}}"#)
        #expect(throws: HostError.self) { try bench.submit(other, [("s.c", "1")], by: "ann") }
        _ = bench.host.remove(graph)
        #expect(bench.host.memory.members.count(of: "ann") == 0)
        #expect(bench.host.memory.members.account(of: "ann").bytes == 0)
        try bench.submit(other, [("s.c", "1"), ("s.d", "1")], by: "ann")
        withExtendedLifetime(held) {}
    }

    @Test("F-7: a snapshot that cannot be read leaves no members that count")
    func damaged() throws {
        let bench = Bench()
        let graph = try bench.define(families)
        try bench.submit(graph, [("s.a", "1")], by: "ann")
        let saved = try SavedGraph(graph: graph).save()
        let next = Bench()
        // Fewer bytes are no graph, and more are none either.
        for bytes in [saved.dropLast(), saved + [0]] {
            #expect(throws: StoreError.self) {
                try next.host.restorer.restore(Array(bytes), epochs: Epochs("e1"))
            }
            #expect(next.host.memory.members.count(of: "ann") == 0)
            #expect(next.host.memory.members.account(of: "ann").bytes == 0)
        }
        _ = try next.host.restorer.restore(saved, epochs: Epochs("e1"))
        #expect(next.host.memory.members.count(of: "ann") == 1)
    }

    @Test("A session whose presence was a member of a removed graph ends without clearing anything")
    func presence() throws {
        let bench = Bench()
        let client = bench.connect()
        weak var graph: LiveGraph?
        func claim() throws -> NamedNode {
            let defined = try bench.define(families)
            graph = defined
            client.ask(#"{"op":"set","id":1,"graph":"g","set":{"s.a":1},"presence":true}"#)
            let member = try #require(defined.existing("s.a"))
            #expect(member.source?.value?.text == "1")
            _ = bench.host.remove(defined)
            return member
        }
        let member = try claim()
        bench.endTurn()
        #expect(!member.exists && graph == nil)
        client.session.close()
        bench.endTurn()
    }

    @Test("D-1: a demand ends with its graph, though nobody listens to it")
    func demand() throws {
        let bench = Bench()
        let client = bench.connect()
        weak var graph: LiveGraph?
        func ask() throws {
            let defined = try bench.define(families)
            graph = defined
            client.ask(#"{"op":"demand","id":4,"graph":"g","nodes":["s.*"]}"#)
            _ = bench.host.remove(defined)
        }
        try ask()
        bench.endTurn()
        #expect(client.take().last == #"{"op":"end","id":4,"code":"node_removed","released":0}"#)
        #expect(graph == nil && bench.host.turn.demanded.isEmpty && bench.clients.demandNews.isEmpty)
    }

    @Test("A bare stream that opens later than its graph is removed is closed, and so is one that sets")
    func bareStream() throws {
        let bench = Bench()
        var streams: [Client] = []
        func open() throws {
            let graph = try bench.define(#"{"graph":"g","nodes":{"x":{"set":"number"}}}"#)
            streams = try (0..<2).map { _ in bench.connect(form: .node(try #require(graph.node("x")))) }
            _ = bench.host.remove(graph)
        }
        try open()
        bench.endTurn()
        streams[0].send("5")
        #expect(streams[0].sink.closes.count == 1 && streams[0].session.isClosed)
        #expect(throws: HostError.self) {
            try streams[1].session.stream(StreamOptions(pipe: Array(#"["distinct"]"#.utf8)))
        }
    }

    @Test("F-2, F-5: a declared `all` that a family takes over follows its members no longer")
    func demoted() throws {
        let bench = Bench()
        let graph = try bench.define(
            #"{"graph":"g","nodes":{"s.{id}":{"set":"any"},"t.x":{"all":"s.*","reduce":"count"}}}"#
        )
        try bench.set(graph, [("s.a", "1")])
        #expect(try bench.read(graph, "t.x") == "1" && graph.members.watchers.count == 1)
        weak let former = graph.existing("t.x")
        let next = #"{"graph":"g","nodes":{"s.{id}":{"set":"any"},"t.{id}":{"from":"s.{id}"}}}"#
        _ = bench.host.redefine(graph, as: try bench.definition(next))
        bench.endTurn()
        #expect(graph.members.joining.isEmpty && graph.members.watchers.isEmpty && former == nil)
        _ = bench.host.submit(Commit(dropping: try #require(graph.node("s.a"))))
        #expect(try bench.read(graph, "t.x") == "empty")
    }
}
