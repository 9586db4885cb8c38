import EventLoop
import Graphs
import Sessions
import LogTestSupport
import Testing

@testable import SluiceServer

@Suite("The audit")
struct AuditTests {
    private func refusal(_ action: String, by name: String) -> AuditEntry {
        var entry = AuditEntry(action: action)
        (entry.by, entry.error) = (name, "forbidden")
        return entry
    }

    @Test("the first refusal of a kind has a line, the others are counted")
    func folding() {
        var refusals = FoldedRefusals()
        let actions = ["backup", "backup", "backup", "reload"]
        let first = actions.map { refusals.isFirst(refusal($0, by: "bob")) }
        #expect(first == [true, false, false, true])
        let counted = refusals.take()
        #expect(counted.map(\.action) == ["backup"] && counted.map(\.repeated) == [2])
        let again = refusals.isFirst(refusal("backup", by: "bob"))
        #expect(again, "the next minute begins anew")
    }

    @Test("names that an attacker makes up do not fill the memory")
    func madeUpNames() {
        var refusals = FoldedRefusals()
        let most = FoldedRefusals.mostKinds
        let lines = (0..<3 * most).count { refusals.isFirst(refusal("backup", by: "n\($0)")) }
        #expect(lines == most)
        let counted = refusals.take()
        #expect(counted.map(\.repeated) == [2 * most])
    }

    @Test("a change whose client has left before the answer has a line")
    func unanswered() throws {
        let log = FaultyLog()
        let server = try TestServer(commits: log) { $0.auditAlso = ["sets"] }
        let file = server.folder.path + "/audit.log"
        server.server.hub.audit = Audit(
            .file(try AuditFile(file, .text)),
            [.sets],
            on: server.loop,
            server.server.log
        )
        log.isSlow = true
        let peer = try server.connect()
        peer.send("PUT /v1/graphs/g/nodes/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n5")
        #expect(
            server.until {
                server.server.hub.connections.contains { ($0 as? HTTPConnection)?.waitingFor != 0 }
            }
        )
        // One that has only ended its side still gets its answer.
        peer.reset()
        #expect(server.until { server.server.hub.connections.isEmpty })
        server.server.hub.audit?.finish()
        let text = String(decoding: try Files.read(file, limit: 10_000).bytes, as: UTF8.self)
        #expect(text.contains("action=putNode") && text.contains("node=x result=unanswered"))
    }
}
