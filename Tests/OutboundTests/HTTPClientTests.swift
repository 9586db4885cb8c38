import EventLoop
import HTTP
import Outbound
import Support
import Testing

@Suite("Requests to a server")
struct HTTPClientTests {
    @Test("share one connection, and carry the address and the body")
    func keptConnection() throws {
        let service = try FakeService()
        let answers = service.statuses(of: [(.get, "/a", nil), (.put, "/b?c=1", "21.5")])
        #expect(answers == ["200", "200"])
        #expect(service.peers.count == 1)
        let text = service.text
        #expect(text.contains("GET /base/a HTTP/1.1\r\n"))
        #expect(text.contains("Host: 127.0.0.1:"))
        #expect(text.contains("PUT /base/b?c=1 HTTP/1.1\r\n"))
        #expect(text.hasSuffix("\r\n\r\n21.5"))
    }

    @Test(
        "are sent again only if twice does no harm (RFC 9112 §9.3.1)",
        arguments: [(HTTP.Method.put, false, true), (.post, false, false), (.post, true, true)]
    )
    func repeated(method: HTTP.Method, hasKey: Bool, isRepeated: Bool) throws {
        let service = try FakeService()
        // The second request meets a connection that ends.
        service.ends = [1]
        let answers = service.statuses(
            of: [(.get, "/a", nil), (method, "/b", "1")],
            fields: hasKey ? [("Idempotency-Key", "k")] : []
        )
        #expect(answers == ["200", isRepeated ? "200" : "\(ClientFailure.lost)"])
        #expect(service.peers.count == (isRepeated ? 2 : 1))
    }

    @Test("say why a server cannot be reached")
    func unreachable() throws {
        let service = try FakeService()
        service.listener = nil
        let answer = try #require(service.statuses(of: [(.get, "/", nil)]).first)
        #expect(answer.hasPrefix("no connection to http://127.0.0.1:"))
    }

    @Test("name the problem that a server answers with")
    func problem() {
        let body = #"{"code":"unknown_node","detail":"no such node","hint":"did you mean 'mode'?"}"#
        let failure = ClientFailure.refused(status: 404, body: Array(body.utf8))
        #expect(
            "\(failure)" == "refused with status 404: unknown_node: no such node (did you mean 'mode'?)"
        )
        #expect(ProblemText.sentence(in: Array("[]".utf8)) == nil)
    }
}

/// A server that answers each piece of bytes with 200, on a loop with the client.
private final class FakeService {
    let loop: Loop
    var listener: TCPListener?
    var peers: [FakePeer] = []
    /// The numbers of the requests that end their connection instead.
    var ends: Set<Int> = []
    var text = ""
    private var requests = 0
    private let url: ServiceURL

    init() throws {
        loop = try Loop()
        let endpoint = try #require(Endpoint("127.0.0.1:0"))
        let listener = try TCPListener(endpoint, on: loop)
        url = try #require(ServiceURL("http://127.0.0.1:\(listener.boundPort)/base"))
        self.listener = listener
        listener.onConnection = { [unowned self] in peers.append(FakePeer($0, self)) }
    }

    func received(_ bytes: BorrowedBytes, on connection: TCPConnection) {
        text += String(decoding: bytes, as: UTF8.self)
        defer { requests += 1 }
        if ends.contains(requests) { return connection.close() }
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        _ = answer.withBorrowedBytes { connection.send($0) }
    }

    /// Sends requests one after the other, and returns the status or the failure of each.
    func statuses(
        of requests: [(HTTP.Method, String, String?)],
        fields: [(name: StaticString, value: String)] = []
    ) -> [String] {
        let client = HTTPClient(url, on: loop)
        var answers: [String] = []
        for (method, target, body) in requests {
            client.send(method, target, body: body.map { Array($0.utf8) }, fields: fields) { [loop] result in
                switch result {
                case .success(let answer): answers.append("\(answer.status)")
                case .failure(let failure): answers.append("\(failure)")
                }
                if answers.count == requests.count { loop.stop() }
            }
        }
        loop.run()
        return answers
    }
}

/// The server's end of a connection.
private final class FakePeer: ConnectionDelegate {
    private let connection: TCPConnection
    private unowned let service: FakeService

    init(_ connection: TCPConnection, _ service: FakeService) {
        self.connection = connection
        self.service = service
        connection.delegate = self
        connection.resumeReading()
    }

    func received(_ bytes: BorrowedBytes) { service.received(bytes, on: connection) }
    func peerClosed() {}
    func wroteAll() {}
    func closed(error: UVError?) {}
}
