import EventLoop
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// These look at figures of the whole process, so each runs in a process of its own.
@Suite("Descriptors")
struct DescriptorTests {
    @Test("connections that vanished leave none open")
    func noneLeft() async {
        await #expect(processExitsWith: .success) {
            let net = try Loopback()
            net.onServed = { [unowned net] peer, event in
                if event == .peerClosed { peer.connection.close() }
                if case .closed = event { net.served.removeAll { $0 === peer } }
            }
            // libuv opens one of its own with the first stream.
            try end(net.connect().client)
            net.run { net.served.isEmpty }
            let before = try #require(OwnProcess.openDescriptors)
            for cycle in 0..<1000 {
                try end(net.connect().client, byReset: !cycle.isMultiple(of: 2))
            }
            net.run { net.served.isEmpty }
            net.settle()
            // The test library may open or close one or two beside us.
            #expect(try #require(OwnProcess.openDescriptors) < before + 10)
        }
    }

    @Test("a listener out of them turns clients away and serves again as soon as there are some")
    func shortage() async {
        await #expect(processExitsWith: .success) {
            let net = try Loopback()
            var turnedAway = 0
            net.listener.onShortage = { count, error in
                turnedAway += count
                #expect(error.is(.tooManyOpenFiles))
            }
            // Clients first, so that only the server's ends are missing descriptors.
            var clients: [Peer] = []
            var connectors: [TCPConnector] = []
            net.listener.pause()
            for _ in 0..<20 {
                connectors.append(
                    TCPConnector(to: net.endpoint, on: net.loop) { result in
                        if let connection = try? result.get() { clients.append(Peer(connection)) }
                    }
                )
            }
            net.run { clients.count == 20 }
            // All numbers below the limit but five are in use. One that was given back just now is
            // not taken for the first free one: then there might be none at all.
            let highest = (0..<1024).last { fcntl($0, F_GETFD) >= 0 } ?? 0
            var free = dup(0)
            while free < highest { free = dup(0) }
            close(free)
            try #require(OwnProcess.lowerDescriptorLimit(to: Int(free) + 5))

            net.listener.resume()
            net.run { turnedAway + net.served.count == 20 }
            #expect((1...5).contains(net.served.count))
            net.run {
                clients.count { $0.connection.isPeerClosed || !$0.connection.isOpen } == turnedAway
            }

            clients.removeAll()
            net.served.removeAll()
            net.settle()
            let (client, server) = try net.connect()
            client.send("again")
            net.run { server.text == "again" }
            #expect(server.text == "again")
        }
    }

    @Test("a listener that lost even its reserve rests and tries again")
    func lostReserve() async {
        await #expect(processExitsWith: .success) {
            let net = try Loopback()
            var rests = 0
            net.listener.onShortage = { count, _ in if count == 0 { rests += 1 } }
            var clients: [TCPConnection] = []
            let connector = TCPConnector(to: net.endpoint, on: net.loop) { result in
                if let connection = try? result.get() { clients.append(connection) }
            }
            net.listener.pause()
            net.run { clients.count == 1 }
            _ = connector

            // Below the number of any descriptor in use nothing can be opened, closing the reserve
            // does not help.
            let usual = OwnProcess.descriptorLimit
            try #require(OwnProcess.lowerDescriptorLimit(to: 3))
            net.listener.resume()
            net.run { rests >= 2 }
            #expect(net.served.isEmpty)

            try #require(OwnProcess.lowerDescriptorLimit(to: usual))
            net.run { !net.served.isEmpty }
            #expect(net.served.count == 1)
        }
    }

    @Test("the limit is raised as far as the system lets it")
    func raise() async {
        await #expect(processExitsWith: .success) {
            try #require(OwnProcess.lowerDescriptorLimit(to: 100))
            #expect(OwnProcess.descriptorLimit == 100)
            let raised = OwnProcess.raiseDescriptorLimit()
            #expect(raised > 100)
            #expect(OwnProcess.descriptorLimit == raised)
        }
    }
}

/// Ends a connection while its delegate is held: a connection does not keep it.
private func end(_ peer: Peer, byReset: Bool = false) {
    withExtendedLifetime(peer) { byReset ? peer.connection.reset() : peer.connection.close() }
}
