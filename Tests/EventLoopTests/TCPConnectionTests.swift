import EventLoop
import Testing

@Suite("A TCP connection")
struct TCPConnectionTests {
    @Test(
        "echoes what it is sent, over IPv4, IPv6 and a Unix socket",
        arguments: ["127.0.0.1:0", "[::1]:0", "localhost:0"]
    )
    func echo(endpoint: String) throws {
        let net = try Loopback(endpoint) { peer, event in
            if event == .received {
                peer.send(peer.bytes)
                peer.bytes = []
            }
        }
        var client: Peer?
        net.connect { result in
            client = (try? result.get()).map { connection in
                Peer(connection) { peer, _ in if peer.text == "hello" { net.loop.stop() } }
            }
            client?.send("hello")
        }

        net.run()

        #expect(client?.text == "hello")
        #expect(net.listener.openConnections == 1)
    }
}
