import Graphs
import Sessions
import HTTP
import LogTestSupport
import Testing

@testable import SluiceServer
import Support

private let long = String(repeating: "x", count: 30_000)
private let set = #"{"op":"set","id":1,"graph":"g","set":{"any":"\#(long)"}}"#
private let post =
    "POST /v1/graphs/g/nodes/any HTTP/1.1\r\nHost: localhost\r\nContent-Length: 30002\r\n\r\n\"\(long)"

@Suite("W-83: what the requests of one principal may hold together")
struct SlowPeerTests {
    private func server(_ commits: FaultyLog? = nil) throws -> TestServer {
        try TestServer(commits: commits) {
            $0.held = 115_000
            $0.body = 30_010
            $0.message = 40_000
        }
    }

    /// The answer to a request that is refused because others of its client are not complete.
    private func isRefused(_ answer: RawAnswer) -> Bool {
        answer.status == 429 && answer.body.contains(#""code":"rate_limited""#)
            && answer.fields["connection"] == "close"
    }

    @Test("bodies that are not sent to the end, until they are")
    func bodies() throws {
        let server = try server()
        let peers = try (0..<4).map { _ in try server.connect() }
        for peer in peers[..<3] { peer.send(post) }
        #expect(server.until { server.server.hub.traffic.receivedBytes > 90_000 })
        #expect(server.server.hub.slowPeers.resets == 0)
        peers[0].send("\"")
        #expect(peers[0].answer().status == 200)
        peers[3].send(post)
        #expect(server.until { server.server.hub.traffic.receivedBytes > 120_000 })
        #expect(server.server.hub.slowPeers.resets == 0, "the first is complete and counts no more")
        peers[0].send(post)
        #expect(server.until { server.server.hub.slowPeers.resets == 1 })
        for peer in peers { peer.send("\"") }
        let answers = peers.map { $0.answer() }
        #expect(answers.count { $0.status == 200 } == 3)
        #expect(answers.count(where: isRefused) == 1)
    }

    @Test("messages that are not sent to the end, until they are")
    func messages() throws {
        let server = try server()
        let peers = try (0..<4).map { _ in try server.connect() }
        for peer in peers { _ = peer.upgrade() }
        func begin(_ peer: RawPeer) { peer.frame(1, Array(set.utf8.dropLast()), isFinal: false) }
        func end(_ peer: RawPeer) { peer.frame(0, [UInt8(ascii: "}")]) }
        for peer in peers[..<3] { begin(peer) }
        end(peers[0])
        #expect(peers[0].message().contains(#""op":"ok""#))
        begin(peers[3])
        #expect(server.until { server.server.hub.traffic.receivedBytes > 120_000 })
        #expect(server.server.hub.slowPeers.resets == 0, "the first is complete and counts no more")
        begin(peers[0])
        #expect(server.until { server.server.hub.slowPeers.resets == 1 })
        for peer in peers { end(peer) }
        let ends = peers.map { $0.message() }
        #expect(ends.count { $0.contains(#""op":"ok""#) } == 3)
        #expect(ends.count { $0.hasPrefix("closed 4580") } == 1)
    }

    @Test("requests that wait for a slow log, until they are answered")
    func pending() throws {
        let log = FaultyLog()
        let server = try server(log)
        let peers = try (0..<4).map { _ in try server.connect() }
        for peer in peers { _ = peer.upgrade() }
        for peer in peers[..<3] {
            peer.text(set)
            #expect(peer.message().contains(#""op":"ok""#))
        }
        log.isSlow = true
        for peer in peers[..<3] { peer.text(set) }
        peers[3].text(#"{"op":"ping","id":1}"#)
        #expect(peers[3].message().contains(#""op":"ok""#))
        #expect(server.server.hub.slowPeers.resets == 0)
        peers[3].text(set)
        #expect(server.until { server.server.hub.slowPeers.resets == 1 })
        log.isSlow = false
        log.confirm()
        let ends = peers.map { $0.message() }
        #expect(ends.count { $0.contains(#""op":"ok""#) } == 3)
        #expect(ends.count { $0.hasPrefix("closed 4580") } == 1)
    }

    @Test("a client whose connection has ended holds nothing, though its peer does not close")
    func ended() throws {
        let log = FaultyLog()
        let server = try server(log)
        log.isSlow = true
        let peers = try (0..<5).map { _ in try server.connect() }
        for peer in peers[..<3] {
            _ = peer.upgrade()
            peer.text(set)
            peer.frame(3, [])
        }
        #expect(server.until { server.server.hub.traffic.receivedBytes > 90_000 })
        for peer in peers[3...] { peer.send(post) }
        #expect(server.until { server.server.hub.traffic.receivedBytes > 150_000 })
        #expect(server.server.hub.slowPeers.resets == 0)
        log.isSlow = false
        log.confirm()
        for peer in peers[3...] {
            peer.send("\"")
            #expect(peer.answer().status == 200)
        }
    }

    @Test("a parser that holds a part of a request is not used again, nor kept")
    func pooled() {
        let pool = ParserPool(limits: HTTP.Limits())
        let parser = pool.take()
        let isComplete = Array(post.utf8).withBorrowedBytes { bytes in
            var input = bytes
            if case .more = parser.parse(&input) { return false }
            return true
        }
        #expect(!isComplete)
        pool.give(parser)
        #expect(pool.take() !== parser)
    }

    @Test("a body that is announced and not sent takes nothing")
    func announced() throws {
        let server = try server()
        let peers = try (0..<10).map { _ in try server.connect() }
        for peer in peers { peer.send(String(post.prefix(200))) }
        #expect(server.until { server.server.hub.traffic.receivedBytes >= 2000 })
        #expect(server.server.hub.slowPeers.resets == 0)
    }
}
