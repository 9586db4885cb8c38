import Support
import Testing

@testable import SluiceServer

@Suite("what connections write while sessions are flushed")
struct OneAtATimeTests {
    @Test("each gets its own bytes, in order, though one was flushed between two of its messages")
    func flushedBetween() throws {
        let server = try TestServer()
        let peers = try (0..<2).map { _ in try server.connect() }
        #expect(server.until { server.server.hub.connections.count == 2 })
        let (first, second) = (server.server.hub.connections[0], server.server.hub.connections[1])
        server.server.hub.oneAtATime {
            first.write { $0.append("a") }
            first.flush()
            first.write { $0.append("b") }
            second.write { $0.append("c") }
            first.write { $0.append("d") }
        }
        for connection in [first, second] { connection.closeAfterWriting() }
        let received = peers.map { String(decoding: $0.readToEnd(), as: UTF8.self) }
        #expect(received.sorted() == ["abd", "c"])
    }
}
