import Testing

@testable import EventLoop

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Connections that come or go at once are shared out over turns")
struct SharedTurnTests {
    /// A client's socket, connected and not read.
    private func connect(_ port: UInt16) -> Int32 {
        let descriptor = socket(AF_INET, streamSocket, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                #if canImport(Glibc)
                    Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                #else
                    Darwin.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                #endif
            }
        }
        #expect(status == 0)
        return descriptor
    }

    private func reset(_ descriptor: Int32) {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        close(descriptor)
    }

    @Test("a turn accepts 64")
    func accepting() throws {
        let loop = try Loop()
        var accepted: [TCPConnection] = []
        let listener = try TCPListener(.tcp(host: "127.0.0.1", port: 0), on: loop) { accepted.append($0) }
        let clients = (0..<200).map { _ in connect(listener.boundPort) }
        defer { for client in clients { close(client) } }
        var steps: [Int] = []
        for _ in 0..<8 where accepted.count < 200 {
            let before = accepted.count
            loop.poll()
            steps.append(accepted.count - before)
        }
        #expect(steps == [64, 64, 64, 8])
        let late = connect(listener.boundPort)
        defer { close(late) }
        for _ in 0..<3 where accepted.count < 201 { loop.poll() }
        #expect(accepted.count == 201, "it goes on listening")
    }

    @Test("a turn reports 128 ends, resets and politely ended ones alike", arguments: [true, false])
    func ending(isReset: Bool) throws {
        let loop = try Loop()
        var ended: [Int] = []
        var peers: [Peer] = []
        let listener = try TCPListener(.tcp(host: "127.0.0.1", port: 0), on: loop) { connection in
            let number = peers.count
            peers.append(
                Peer(connection) { _, event in
                    if event == .peerClosed || event == .closed("ECONNRESET") { ended.append(number) }
                }
            )
        }
        let clients = (0..<300).map { _ in connect(listener.boundPort) }
        while peers.count < 300 { loop.poll() }
        let turnEnd = try TurnEnd(on: loop) {}
        for client in clients {
            if isReset { reset(client) } else { close(client) }
        }
        var steps: [Int] = []
        for _ in 0..<8 where ended.count < 300 {
            let before = ended.count
            loop.poll()
            steps.append(ended.count - before)
        }
        #expect(steps == [128, 128, 44])
        #expect(Set(ended).count == 300, "each is told once")
        withExtendedLifetime(turnEnd) {}
    }

    @Test(
        "an end that waits is not reported when the connection is closed meanwhile, nor are bytes lost before it"
    )
    func waiting() throws {
        let loop = try Loop()
        var peers: [Peer] = []
        let listener = try TCPListener(.tcp(host: "127.0.0.1", port: 0), on: loop) { peers.append(Peer($0)) }
        let clients = (0..<200).map { _ in connect(listener.boundPort) }
        while peers.count < 200 { loop.poll() }
        let turnEnd = try TurnEnd(on: loop) {}
        for client in clients {
            #expect(send(client, "x", 1, 0) == 1)
            close(client)
        }
        var rounds = 0
        while peers.filter({ $0.events.contains(.peerClosed) }).count < 128, rounds < 10 {
            loop.poll()
            rounds += 1
        }
        let left = peers.filter { !$0.events.contains(.peerClosed) }
        #expect(left.count == 72)
        for peer in left {
            #expect(peer.text == "x")
            peer.connection.close()
        }
        for _ in 0..<5 { loop.poll() }
        for peer in left { #expect(!peer.events.contains(.peerClosed)) }
        withExtendedLifetime(turnEnd) {}
    }
}
