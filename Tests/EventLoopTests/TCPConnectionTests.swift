import EventLoop
import Testing

@Suite("A TCP connection")
struct TCPConnectionTests {
    @Test(
        "echoes what it is sent, over IPv4, IPv6, a name and a Unix socket",
        arguments: [
            "127.0.0.1:0", "[::1]:0", "localhost:0", "unix:/tmp/sluice-echo-\(OwnProcess.identifier).sock",
        ]
    )
    func echo(endpoint: String) throws {
        let net = try Loopback(endpoint)
        net.onServed = { peer, event in
            guard event == .received else { return }
            peer.send(peer.bytes)
            peer.bytes = []
        }
        let (client, _) = try net.connect()

        client.send("hello")
        net.run { client.text == "hello" }
        client.send(", world")
        net.run { client.text == "hello, world" }

        #expect(client.text == "hello, world")
    }

    @Test("knows both ends' addresses")
    func addresses() throws {
        let net = try Loopback()
        let (client, server) = try net.connect()

        #expect(client.connection.peerAddress == net.listener.address)
        #expect(client.connection.localAddress == server.connection.peerAddress)
        #expect(server.connection.localAddress == net.listener.address)
        #expect(net.listener.address.description == "127.0.0.1:\(net.listener.boundPort)")

        client.connection.close()
        #expect(client.connection.peerAddress == nil)
    }

    @Test("half-closed by the peer still sends; the answer arrives whole")
    func halfClose() throws {
        let net = try Loopback()
        net.onServed = { peer, event in
            guard event == .peerClosed else { return }
            peer.send("you said " + peer.text)
            peer.connection.shutdown()
        }
        let (client, server) = try net.connect()

        client.send("good bye")
        client.connection.shutdown()
        net.run { client.connection.isPeerClosed }

        #expect(client.text == "you said good bye")
        #expect(client.events == [.received, .peerClosed])
        #expect(server.events == [.received, .peerClosed])
        #expect(server.connection.isOpen)
    }

    @Test("calls the delegate at once, exactly once and with nil when it is closed from here")
    func ownClose() throws {
        let net = try Loopback()
        let (client, server) = try net.connect()

        client.connection.close()
        client.connection.close()
        client.connection.reset()
        #expect(client.events == [.closed(nil)])
        #expect(!client.connection.isOpen)

        net.run { server.connection.isPeerClosed }
        #expect(server.events == [.peerClosed])
        #expect(server.connection.isOpen)
        server.connection.close()
    }

    @Test("reports the peer's reset as an error")
    func resetSeen() throws {
        let net = try Loopback()
        let (client, server) = try net.connect()

        client.connection.reset()
        net.run { !server.connection.isOpen }

        #expect(client.events == [.closed(nil)])
        #expect(server.events == [.closed("ECONNRESET")])
    }

    @Test("resets also after it was shut down")
    func resetAfterShutdown() throws {
        let net = try Loopback()
        net.servedRead = false
        let (client, server) = try net.connect()

        client.connection.shutdown()
        client.connection.reset()
        server.connection.resumeReading()
        net.run { !server.events.isEmpty }

        #expect([[.closed("ECONNRESET")], [.peerClosed]].contains(server.events))
    }

    @Test("receives nothing more once it is dropped, and the peer sees the end")
    func drop() throws {
        let net = try Loopback()
        let (client, server) = try net.connect()

        net.served.removeAll()
        weak let weakServer = server
        client.send("into the void")
        _ = consume server
        net.run { client.connection.isPeerClosed || !client.connection.isOpen }

        #expect(weakServer == nil)
    }

    @Test(
        "may be destroyed by its own callbacks",
        arguments: ["received", "peerClosed", "closed", "wroteAll"]
    )
    func destroyedByCallback(callback: String) throws {
        let net = try Loopback()
        net.onServed = { [unowned net] peer, event in
            switch (callback, event) {
            case ("received", .received), ("peerClosed", .peerClosed), ("closed", .closed),
                ("wroteAll", .wroteAll):
                net.served.removeAll()
            default: break
            }
        }
        var (client, server) = try net.connect()
        weak let gone = server
        if callback == "wroteAll" {
            server.connection.setSendBuffer(bytes: 4096)
            server.send([UInt8](repeating: 7, count: 8_000_000))
        }
        server = client

        switch callback {
        case "received": client.send("x")
        case "peerClosed": client.connection.shutdown()
        case "closed": client.connection.reset()
        default: break
        }
        net.run { gone == nil }

        #expect(gone == nil)
        client.connection.close()
        server = client
    }

    @Test("a paused reader receives nothing, then everything")
    func pause() throws {
        let net = try Loopback()
        let (client, server) = try net.connect()

        server.connection.pauseReading()
        client.send("one")
        client.connection.shutdown()
        net.settle()
        #expect(server.events.isEmpty)

        server.connection.resumeReading()
        net.run { server.connection.isPeerClosed }
        #expect(server.text == "one")
    }

    @Test("TCP_NODELAY and the user timeout are accepted on TCP and ignored on a Unix socket")
    func options() throws {
        for endpoint in ["127.0.0.1:0", "unix:/tmp/sluice-options-\(OwnProcess.identifier).sock"] {
            let net = try Loopback(endpoint)
            let (client, _) = try net.connect()
            client.connection.setNoDelay(true)
            client.connection.setUserTimeout(.seconds(50))
            #expect(client.connection.isOpen)
        }
    }
}
