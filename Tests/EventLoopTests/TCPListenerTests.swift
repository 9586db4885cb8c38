import EventLoop
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("A listener")
struct TCPListenerTests {
    @Test("refuses an address in use, naming the call and the reason")
    func inUse() throws {
        let net = try Loopback()
        let error = #expect(throws: UVError.self) {
            _ = try TCPListener(net.endpoint, on: net.loop)
        }
        #expect(error?.is(.addressInUse) == true)
        #expect(error?.description == "bind: address already in use (EADDRINUSE)")
    }

    @Test("shares its port with others that also said reusePort")
    func reusePort() throws {
        let loop = try Loop()
        let first = try TCPListener(.tcp(host: "127.0.0.1", port: 0), on: loop, reusePort: true)
        let second = try TCPListener(first.endpoint, on: loop, reusePort: true)
        #expect(first.boundPort == second.boundPort)
    }

    @Test("takes over a socket file left behind, and removes its own when dropped")
    func leftover() throws {
        let path = "/tmp/sluice-leftover-\(OwnProcess.identifier).sock"
        do {
            let net = try Loopback("unix:\(path)")
            #expect(try Files.info(path).kind == .other)
            #expect(throws: UVError.self) { _ = try TCPListener(.unix(path: path), on: net.loop) }
        }
        #expect(throws: UVError.self) { try Files.info(path) }
    }

    @Test("leaves a file alone that is no socket, and says that the address is in use")
    func someFile() throws {
        let path = "/tmp/sluice-some-file-\(OwnProcess.identifier).txt"
        let file = fopen(path, "w")
        fputs("precious", file)
        fclose(file)
        defer { unlink(path) }
        let loop = try Loop()
        let error = #expect(throws: UVError.self) { _ = try TCPListener(.unix(path: path), on: loop) }
        #expect(error?.is(.addressInUse) == true)
        #expect(try Files.read(path, limit: 100).bytes == Array("precious".utf8))
    }

    @Test("lets connections wait while it is paused")
    func pause() throws {
        let net = try Loopback()
        net.listener.pause()
        var connected = false
        var held: TCPConnection?
        let connector = TCPConnector(to: net.endpoint, on: net.loop) {
            connected = true
            held = try? $0.get()
        }
        net.run { connected }
        net.settle()
        #expect(net.served.isEmpty)

        net.listener.resume()
        net.run { !net.served.isEmpty }
        #expect(net.served.count == 1)
        #expect(held?.isOpen == true)
        _ = connector
    }

    @Test("stops when dropped; its connections live on")
    func drop() throws {
        let loop = try Loop()
        var server: Peer?
        var listener: TCPListener? = try TCPListener(.tcp(host: "127.0.0.1", port: 0), on: loop)
        listener?.onConnection = { server = Peer($0) }
        let endpoint = try #require(listener).endpoint
        var client: Peer?
        let connector = TCPConnector(to: endpoint, on: loop) { client = (try? $0.get()).map { Peer($0) } }
        while server == nil || client == nil { loop.runOnce() }

        listener = nil
        client?.send("still here")
        while server?.bytes.isEmpty == true { loop.runOnce() }

        #expect(server?.text == "still here")
        _ = connector
    }

    @Test("a thousand connections that vanish in three ways leave no handle behind")
    func churn() throws {
        let net = try Loopback()
        net.onServed = { [unowned net] peer, event in
            if event == .peerClosed { peer.connection.close() }
            if case .closed = event { net.served.removeAll { $0 === peer } }
        }
        let before = net.loop.handleCount

        for cycle in 0..<1000 {
            let (client, _) = try net.connect()
            client.send("hello")
            switch cycle % 3 {
            case 0: client.connection.close()
            case 1: client.connection.reset()
            default: break  // dropped
            }
        }
        net.run { net.served.isEmpty }
        net.settle()

        #expect(net.listener.acceptedConnections == 1000)
        #expect(net.loop.handleCount == before)
    }
}

extension TCPListener {
    var endpoint: Endpoint { .tcp(host: address.host, port: boundPort) }
}
