import Commits
import Definitions
import EventLoop
import Graphs
import LogTestSupport
import Testing
import Values

@testable import SluiceServer
import Support

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@Suite("Reading the graphs again")
struct ReloadTests {
    /// Another graph file of a server, with as many nodes, one of which multiplies by `factor`.
    private func write(_ server: TestServer, _ name: String, factor: Int, nodes: Int = 300) {
        var text = "graph: \(name)\nnodes:\n  n0: { set: number, initial: 1 }\n"
        text += "  n1: { from: n0, pipe: [ { map: \"value * \(factor)\" } ] }\n"
        for number in 2..<nodes { text += "  n\(number): { from: n\(number - 1) }\n" }
        server.folder.write("graphs/\(name).yaml", text)
    }

    /// Asks for a reload and turns the loop to its end; `turn` is called after each turn.
    private func reload(_ server: TestServer, each turn: () throws -> Void = {}) throws -> ReloadReport {
        var report: ReloadReport?
        server.server.reload { report = $0 }
        #expect(report == nil, "nothing is read while the caller waits")
        let end = OwnProcess.nanoseconds + patience
        while report == nil, OwnProcess.nanoseconds < end {
            server.loop.poll()
            try turn()
        }
        return try #require(report)
    }

    @Test("one graph a turn: however many there are, no client waits longer than for the largest")
    func oneGraphATurn() throws {
        let server = try TestServer()
        let names = (0..<6).map { "many\($0)" }
        for name in names { write(server, name, factor: 2) }
        let first = try reload(server)
        #expect(first.entries.count { $0.result == .added } == 6 && first.problems.isEmpty)
        for name in names { write(server, name, factor: 3) }
        let peer = try server.connect()
        let request = Array("GET /v1/graphs/g/nodes/x HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        var before = (changed: 0, requests: server.server.hub.traffic.requests)
        var served: [Int] = []
        let report = try reload(server) {
            let changed = names.count { server.server.host[$0]?.rev == 2 }
            #expect(changed - before.changed <= 1)
            // Others are served between two graphs.
            if server.server.hub.traffic.requests > before.requests, changed < 6 { served.append(changed) }
            before = (changed, server.server.hub.traffic.requests)
            _ = request.withBorrowedBytes { send(peer.descriptor, $0.baseAddress, $0.count, 0) }
        }
        #expect(Set(served).isSuperset(of: 1...5))
        #expect(report.changes == 6 && report.entries.map(\.graph) == ["g"] + names)
        #expect(names.allSatisfy { server.server.host[$0]?.rev == 2 }, "one change is one commit")
    }

    @Test("a request while files are read gets a reload after that one, and all such requests get the same")
    func askedMeanwhile() throws {
        let server = try TestServer()
        write(server, "a", factor: 2)
        var reports: [(who: Int, changes: Int)] = []
        server.server.reload { reports.append((1, $0.changes)) }
        server.server.reload { reports.append((2, $0.changes)) }
        write(server, "b", factor: 2)
        server.server.reload { reports.append((3, $0.changes)) }
        #expect(server.until { reports.count == 3 })
        #expect(reports.map(\.who) == [1, 2, 3])
        #expect(reports[0].changes + reports[1].changes == 2 && reports[1].changes == reports[2].changes)
        #expect(server.server.host["a"] != nil && server.server.host["b"] != nil)
    }

    @Test("a file with the bytes that made its graph is not compiled; after anything else it is")
    func known() throws {
        let server = try TestServer()
        let path = try #require(GraphFolder.paths(in: server.folder.path + "/graphs")?.first)
        let options = server.server.host.definitions
        let file = GraphFolder.file(path, options)
        #expect(file.definition != nil)
        let digest = try #require(file.digest)
        let again = GraphFolder.file(path, known: digest, options)
        #expect(again.definition == nil && again.problems.isEmpty && again.digest == digest)

        let known = try #require(server.server.service.files.knownTexts[path])
        #expect(server.server.service.files.stands(known, of: path))
        #expect(try reload(server).entries.map(\.result) == [.unchanged])
        // The API has taken the graph over: the file is a problem, although it is the same.
        let graph = try #require(server.server.host["g"])
        if case .refused = server.server.host.redefine(graph, as: graph.definition, from: .client) {
            Issue.record("not taken over")
        }
        server.server.service.files.owners["g"] = nil
        #expect(try reload(server).problems.map(\.code) == ["in_use"])
        // And when it is gone, the file makes it anew.
        if case .refused = server.server.host.remove(server.server.host["g"]!) { Issue.record("not removed") }
        #expect(try reload(server).entries.map(\.result) == [.added])
        server.folder.write("graphs/g.yaml", "graph: g\nnodes: { y: { set: any } }\n")
        #expect(try reload(server).entries.map(\.result) == [.changed])
        server.folder.write("graphs/g.yaml", "graph: [")
        #expect(try reload(server).problems.count == 1)
        server.folder.write("graphs/g.yaml", "graph: g\nnodes: { y: { set: any } }\n")
        #expect(try reload(server).entries.map(\.result) == [.unchanged])
        unlink(path)
        #expect(try reload(server).entries.map(\.result) == [.orphaned])
        #expect(server.server.service.files.knownTexts.isEmpty)
    }

    @Test("a file that came under another name, and one whose graph came from another file in between")
    func moved() throws {
        let server = try TestServer()
        server.folder.write("graphs/z.yaml", TestServer.graph)
        #expect(try reload(server).problems.map(\.file) == [server.folder.path + "/graphs/z.yaml"])
        unlink(server.folder.path + "/graphs/g.yaml")
        #expect(try reload(server).entries.map(\.result) == [.unchanged])
        #expect(server.server.service.files.owners["g"] == server.folder.path + "/graphs/z.yaml")
        server.folder.write("graphs/g.yaml", TestServer.graph)
        let report = try reload(server)
        #expect(report.problems.map(\.file) == [server.folder.path + "/graphs/g.yaml"])
        #expect(server.server.host["g"]?.rev == 1)
    }

    @Test("where a file is missing, the other servers are asked before its graph is set aside")
    func missing() throws {
        let log = FaultyLog()
        log.instance = "here"
        let server = try TestServer(commits: log)
        // Another server has started with the file, and this one does not know that yet.
        log.onAskedForFiles = { log.filesElsewhere = ["g"] }
        #expect(unlink(server.folder.path + "/graphs/g.yaml") == 0)
        let kept = try reload(server)
        #expect(kept.entries.map(\.result) == [.unchanged] && server.server.host["g"] != nil)
        server.folder.write("graphs/g.yaml", TestServer.graph)
        _ = try reload(server)
        log.onAskedForFiles = { log.filesElsewhere = [] }
        #expect(unlink(server.folder.path + "/graphs/g.yaml") == 0)
        #expect(try reload(server).entries.map(\.result) == [.orphaned])
        #expect(server.server.host["g"] == nil)
    }

    @Test("a server that stops while its files are read releases everything")
    func stopping() throws {
        let server = try TestServer()
        for number in 0..<5 { write(server, "a\(number)", factor: 2) }
        var isDone = false
        server.server.reload { _ in isDone = true }
        server.server.reload { _ in isDone = true }
        server.server.stop()
        for _ in 0..<100 {
            server.loop.poll()
            usleep(200)
        }
        #expect(
            server.server.service.files.reloading == nil && !isDone
                && server.server.service.files.requests.isEmpty
        )
    }

    private func write(tokens: Int, _ folder: TemporaryFolder, can: String = "read") {
        let hash = String(repeating: "0", count: 56)
        let entries = (0..<tokens).map { number in
            let end = String(number + 0x1000_0000, radix: 16)
            return "- { name: 'device:\(number)', hash: 'sha256:\(hash)\(end)', can: [\(can)] }\n"
        }
        folder.write("tokens.yaml", entries.joined())
    }

    private func principal(_ server: TestServer, _ number: Int) throws -> Principal? {
        let digest =
            Array(repeating: UInt8(0), count: 28) + [0x10, 0, UInt8(number >> 8), UInt8(number & 255)]
        return try #require(server.server.hub.credentials.authenticator)
            .principal(like: Principal(name: "", grants: [], digest: digest))
    }

    @Test("limits.tokens: the file of tokens is read on another thread, and a longer one is refused by name")
    func tokens() throws {
        let folder = try TemporaryFolder()
        write(tokens: 300, folder)
        let server = try TestServer { configuration in
            configuration.auth = folder.path + "/tokens.yaml"
            configuration.fixed.tokens = 1 << 16
        }
        #expect(try principal(server, 299)?.grants[0].can == .read)
        write(tokens: 200, folder, can: "set")
        // As soon as it returns, and until the thread has answered, the old tokens count.
        var isDone = false
        server.server.reload { _ in isDone = true }
        #expect(try principal(server, 299)?.grants[0].can == .read)
        #expect(server.until { isDone })
        #expect(try principal(server, 199)?.grants[0].can == .set && principal(server, 200) == nil)

        write(tokens: 1000, folder)
        let problem = try #require(try reload(server).problems.first)
        #expect(problem.message.contains("64KiB (limits.tokens); the old tokens stay"), "\(problem)")
        #expect(try principal(server, 199) != nil)
    }

    @Test("no more than a hundred problems of a file of tokens are listed")
    func manyProblems() throws {
        let folder = try TemporaryFolder()
        write(tokens: 250, folder, can: "reed")
        do throws(StartFailure) {
            _ = try TokenTable.read(folder.path + "/tokens.yaml", limit: 1 << 20)
            Issue.record("accepted")
        } catch {
            #expect(error.problems.count == 101)
            #expect(error.problems.last?.message == "and 150 further problems")
        }
    }

    @Test("tokens are released in parts")
    func release() throws {
        let folder = try TemporaryFolder()
        write(tokens: 300, folder)
        let table = try TokenTable.read(folder.path + "/tokens.yaml", limit: 1 << 20)
        var parts = 0
        while table.releaseSome() { parts += 1 }
        #expect(parts == 256)
    }
}
