import LogTestSupport
import Testing
import Values

@testable import Graphs
@testable import Sessions

/// The entry of a member without a value goes at the end of the turn: what waits longer finds the
/// member by its name.
@Suite("Requests that wait for members of families")
struct WaitingEntryTests {
    private static let families = #"{"graph":"g","nodes":{"s.{id}":{"set":"any"}}}"#

    @Test("F-1: a bare stream that begins in a later turn follows the member of that name")
    func bareStream() throws {
        let bench = Bench()
        let graph = try bench.define(Self.families)
        let client = bench.connect(form: .node(try #require(graph.node("s.a"))))
        bench.endTurn()
        #expect(graph.existing("s.a") == nil)
        try client.session.stream()
        try bench.set(graph, [("s.a", "1")])
        #expect(client.take() == ["1"])
        client.send("2")
        bench.endTurn()
        #expect(try bench.read(graph, "s.a") == "2" && client.take() == ["2"])
    }

    @Test("F-1: a bare stream whose family has gone in the meantime is refused")
    func goneFamily() throws {
        let bench = Bench()
        let graph = try bench.define(Self.families)
        let client = bench.connect(form: .node(try #require(graph.node("s.a"))))
        bench.endTurn()
        _ = bench.host.redefine(graph, as: try bench.definition(#"{"graph":"g","nodes":{}}"#))
        bench.endTurn()
        #expect(throws: HostError.self) { try client.session.stream() }
        #expect(graph.isWhole && graph.members.livingCount == 0)
    }

    @Test("F-1: a member claimed by a set that waited for a definition is cleared with its session")
    func presence() throws {
        let log = FaultyLog()
        let bench = Bench(log: log)
        let graph = try bench.define(Self.families)
        let client = bench.connect()
        log.isSlow = true
        let next = #"{"graph":"g","title":"t","nodes":{"s.{id}":{"set":"any"}}}"#
        _ = bench.host.redefine(graph, as: try bench.definition(next))
        client.ask(#"{"op":"set","id":1,"graph":"g","set":{"s.a":1},"presence":true}"#)
        #expect(graph.existing("s.a") == nil, "the commit waits, and its entry has gone")
        log.isSlow = false
        bench.endTurn()
        bench.endTurn()
        #expect(try bench.read(graph, "s.a") == "1")
        client.session.close()
        bench.endTurn()
        #expect(try bench.read(graph, "s.a") == "empty")
    }
}
