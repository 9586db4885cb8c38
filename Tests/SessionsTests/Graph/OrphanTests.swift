import Commits
import LogTestSupport
import Testing

@testable import Graphs
@testable import Sessions

private let text =
    #"{"graph":"g","nodes":{"x":{"set":"any"},"late":{"from":"x","retain":"always","pipe":[{"delay":100}]}}}"#

@Suite("Orphans: graphs whose files are gone")
struct OrphanTests {
    /// A graph of a file, with a value that is on its way through a delay.
    private func begin(_ bench: Bench) throws -> LiveGraph {
        if case .refused(let error) = bench.host.define(try bench.definition(text), from: .file) {
            throw error
        }
        bench.host.settle()
        #expect(bench.host.note(files: ["g"]).isEmpty)
        let graph = try #require(bench.host["g"])
        try bench.set(graph, [("x", "7")])
        return graph
    }

    @Test("It is not served and makes no ticks, and goes on when the file is back")
    func comingBack() throws {
        let bench = Bench()
        let graph = try begin(bench)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x"}"#)
        #expect(bench.host.note(files: []).map(\.name) == ["g"])
        #expect(bench.host["g"] == nil && bench.host.graphs.isEmpty && graph.valueCount == 1)
        bench.endTurn()
        #expect(client.take().last?.contains("node_removed") == true)
        #expect(client.ask(#"{"op":"set","id":2,"graph":"g","set":{"x":8}}"#)[0].contains("unknown_graph"))
        #expect(bench.host.nextDeadline == nil)
        bench.clock.advance(by: 1_000)
        bench.host.advance()
        #expect(graph.rev == 2)
        // A second look changes nothing.
        #expect(bench.host.note(files: []).isEmpty && bench.host.orphans.count == 1)

        #expect(bench.host.note(files: ["g"]).isEmpty)
        #expect(bench.host["g"] === graph && bench.host.orphans.isEmpty)
        bench.host.advance()
        bench.endTurn()
        #expect(try bench.read(graph, "x") == "7" && bench.read(graph, "late") == "7")
        #expect(graph.rev == 3)
        #expect(client.ask(#"{"op":"set","id":3,"graph":"g","set":{"x":8}}"#)[0].contains(#""rev":4"#))
    }

    @Test("A commit that waits for the log when the file goes is applied and answered")
    func pending() throws {
        let log = FaultyLog()
        let bench = Bench(log: log)
        let graph = try begin(bench)
        let client = bench.connect()
        log.isSlow = true
        client.send(#"{"op":"set","id":1,"graph":"g","set":{"x":8}}"#)
        bench.endTurn()
        _ = bench.host.note(files: [])
        log.isSlow = false
        bench.endTurn()
        #expect(client.take().contains { $0.contains(#""op":"ok","id":1"#) })
        #expect(try bench.read(graph, "x") == "8")
        // What is stored is whole: a later start has it too.
        #expect(bench.host.log?.graphs.map(\.name) == ["g"])
    }

    @Test("With an expiry it is removed, counted from the loss of its file; otherwise never")
    func expiry() throws {
        for age in [UInt64(0), 10_000] {
            let bench = Bench()
            bench.host.expireOrphans(after: age)
            var expired: [String] = []
            bench.host.handlers.onExpiredOrphan = { expired.append("\($0) \($1)") }
            _ = try begin(bench)
            _ = bench.host.note(files: [])
            bench.clock.advance(by: 9_999)
            bench.host.advance()
            #expect(bench.host.orphans.count == 1)
            bench.clock.advance(by: 1)
            bench.host.advance()
            #expect(bench.host.orphans.count == (age == 0 ? 1 : 0))
            #expect(expired == (age == 0 ? [] : ["g 1"]))
        }
    }

    @Test("Where servers share the log, the last file of a living server counts")
    func shared() throws {
        let log = FaultyLog()
        log.instance = "here"
        log.filesElsewhere = ["g"]
        let bench = Bench(log: log)
        let graph = try begin(bench)
        #expect(log.files == ["g"])
        #expect(bench.host.note(files: []).isEmpty && bench.host["g"] === graph)
        // A server that has just started has not said which files it has.
        log.filesElsewhere = nil
        for _ in 0..<3 { log.follower?.logFilesChanged() }
        #expect(bench.host["g"] === graph)
        // A look may come too early for a file that was just written.
        log.filesElsewhere = []
        for _ in 0..<2 { log.follower?.logFilesChanged() }
        log.filesElsewhere = ["g"]
        log.follower?.logFilesChanged()
        log.filesElsewhere = []
        for _ in 0..<2 { log.follower?.logFilesChanged() }
        #expect(bench.host["g"] === graph)
        var gone: [String] = []
        bench.host.handlers.onOrphans = { gone += $0.map(\.name) }
        log.follower?.logFilesChanged()
        #expect(bench.host["g"] == nil && gone == ["g"])
        // It stays the same as at the servers that still serve it.
        var entry = LogEntry(graph: "g")
        entry.set = [LogEntry.Assignment("x", Array("9".utf8))]
        log.receive(entry, wall: 5_000_000)
        #expect(try bench.read(graph, "x") == "9")
        log.filesElsewhere = ["g"]
        log.follower?.logFilesChanged()
        #expect(bench.host["g"] === graph)
    }

    @Test("A client that defines it takes it over with its values")
    func takenOver() throws {
        let bench = Bench()
        let graph = try begin(bench)
        _ = bench.host.note(files: [])
        _ = bench.host.redefine(graph, as: graph.definition, from: .client)
        #expect(bench.host["g"] === graph && bench.host.orphans.isEmpty)
        #expect(bench.host.note(files: []).isEmpty && bench.host["g"] === graph)
    }
}
