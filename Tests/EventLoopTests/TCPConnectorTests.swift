import EventLoop
import Support
import Testing

@Suite("Connecting")
struct TCPConnectorTests {
    private static func answer(to endpoint: Endpoint) throws -> Result<TCPConnection, UVError>? {
        let loop = try Loop()
        var answer: Result<TCPConnection, UVError>?
        let connector = TCPConnector(to: endpoint, on: loop) { answer = $0 }
        #expect(answer == nil, "no answer from within the initialiser")
        loop.run()
        _ = connector
        return answer
    }

    private static func failure(to endpoint: Endpoint) throws -> UVError? {
        if case .failure(let error) = try answer(to: endpoint) { error } else { nil }
    }

    @Test("to a port without a listener is refused")
    func refused() throws {
        let port: UInt16
        do {
            let net = try Loopback()
            port = net.listener.boundPort
        }
        let error = try #require(try Self.failure(to: .tcp(host: "127.0.0.1", port: port)))
        #expect(error.is(.connectionRefused))
        #expect(error.description == "connect: connection refused (ECONNREFUSED)")
    }

    @Test("to a missing Unix socket says so")
    func missingPath() throws {
        #expect(try Self.failure(to: .unix(path: "/tmp/sluice-nobody-here.sock"))?.is(.notFound) == true)
    }

    @Test("to a name that does not exist says so")
    func unknownName() throws {
        let error = try #require(try Self.failure(to: .tcp(host: "does-not-exist.invalid", port: 80)))
        #expect(error.call == "getaddrinfo")
        #expect(error.name.hasPrefix("EAI_"))
    }

    @Test(
        "tries only addresses that are permitted, whether they are given or a name leads to them",
        arguments: ["127.0.0.1", "localhost"]
    )
    func permitted(host: String) throws {
        let net = try Loopback()
        let endpoint = Endpoint.tcp(host: host, port: net.listener.boundPort)
        let (v4, v6) = (try #require(IPAddress("127.0.0.1")), try #require(IPAddress("::1")))
        var asked: Set<IPAddress> = []
        var answers: [Result<TCPConnection, UVError>] = []
        let refused = TCPConnector(to: endpoint, on: net.loop) { address in
            asked.insert(address)
            return false
        } answer: {
            answers.append($0)
        }
        // With the listener at rest only the answer is left to wait for.
        net.listener.pause()
        net.loop.run()
        _ = refused
        guard case .failure(let error)? = answers.first, answers.count == 1 else {
            Issue.record("one failure: \(answers)")
            return
        }
        #expect(error.is(.permissionDenied) && asked.contains(v4) && asked.isSubset(of: [v4, v6]))
    }

    @Test("given up is not answered, whether it has begun or not", arguments: [false, true])
    func dropped(begun: Bool) throws {
        let net = try Loopback()
        var answered = false
        var connectors = ["127.0.0.1", "localhost"].map { host in
            TCPConnector(to: .tcp(host: host, port: net.listener.boundPort), on: net.loop) { _ in
                answered = true
            }
        }
        #expect(connectors.count == 2)
        if begun {
            net.loop.soon { connectors = [] }
        } else {
            connectors = []
        }
        // With the listener at rest only the look-up is left to wait for.
        net.listener.pause()
        net.loop.run()
        #expect(!answered)
    }
}
