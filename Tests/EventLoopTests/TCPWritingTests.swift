import EventLoop
import Support
import Testing

@Suite("Writing to a connection")
struct TCPWritingTests {
    /// Bytes whose order can be checked.
    private static func pattern(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    }

    @Test("a stalled reader takes a part; the rest is queued and wroteAll is said once it is gone")
    func stalledReader() throws {
        let net = try Loopback()
        net.servedRead = false
        let (client, server) = try net.connect()
        let bytes = Self.pattern(4_000_000)
        client.connection.setSendBuffer(bytes: 16_384)

        let taken = bytes.withBorrowedBytes { client.connection.tryWrite($0) }
        #expect(taken > 0 && taken < bytes.count)
        bytes.withBorrowedBytes { client.connection.write(BorrowedBytes(rebasing: $0[taken...])) }
        #expect(client.connection.queuedBytes > 0)
        #expect(
            bytes.withBorrowedBytes { client.connection.tryWrite($0) } == 0,
            "nothing overtakes the queue"
        )
        net.settle()
        #expect(client.events.isEmpty)

        server.connection.resumeReading()
        net.run { server.bytes.count == bytes.count && !client.events.isEmpty }

        #expect(server.bytes == bytes)
        #expect(client.events == [.wroteAll])
        #expect(client.connection.queuedBytes == 0)
    }

    @Test("nothing to write is no error")
    func nothing() throws {
        let net = try Loopback()
        let (client, _) = try net.connect()
        let empty = BorrowedBytes(start: nil, count: 0)

        #expect(client.connection.tryWrite(empty) == 0)
        client.connection.write(empty)
        #expect(client.connection.queuedBytes == 0)
    }

    @Test("bytes written without a copy keep their keeper until they are gone")
    func keeper() throws {
        final class Keeper {
            let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 3_000_000, alignment: 1)
            deinit { bytes.deallocate() }
        }
        let net = try Loopback()
        net.servedRead = false
        let (client, server) = try net.connect()
        client.connection.setSendBuffer(bytes: 16_384)
        weak var weakKeeper: Keeper?
        do {
            let keeper = Keeper()
            weakKeeper = keeper
            keeper.bytes.copyBytes(from: Self.pattern(keeper.bytes.count))
            client.connection.write(BorrowedBytes(UnsafeRawBufferPointer(keeper.bytes)), keptBy: keeper)
        }
        net.settle()
        #expect(weakKeeper != nil)

        server.connection.resumeReading()
        net.run { weakKeeper == nil && server.bytes.count == 3_000_000 }
        #expect(weakKeeper == nil)
        #expect(server.bytes == Self.pattern(3_000_000))
    }

    @Test("closing gives up what is queued and frees it")
    func closeWithQueue() throws {
        final class Keeper { let bytes = [UInt8](repeating: 1, count: 1) }
        let net = try Loopback()
        net.servedRead = false
        let (client, _) = try net.connect()
        client.connection.setSendBuffer(bytes: 16_384)
        weak var weakKeeper: Keeper?
        do {
            let keeper = Keeper()
            weakKeeper = keeper
            client.send([UInt8](repeating: 2, count: 4_000_000))
            keeper.bytes.withBorrowedBytes { client.connection.write($0, keptBy: keeper) }
        }
        #expect(client.connection.queuedBytes > 0)

        client.connection.close()
        net.settle()

        #expect(client.events == [.closed(nil)])
        #expect(weakKeeper == nil)
    }

    @Test("queued bytes are written before the end that shutdown says")
    func shutdownAfterQueue() throws {
        let net = try Loopback()
        net.servedRead = false
        let (client, server) = try net.connect()
        client.connection.setSendBuffer(bytes: 16_384)

        client.send(Self.pattern(4_000_000))
        client.connection.shutdown()
        server.connection.resumeReading()
        net.run { server.connection.isPeerClosed }

        #expect(server.bytes.count == 4_000_000)
    }

    @Test("a reset while bytes are queued is reported even when nothing is being read")
    func resetWhileQueued() throws {
        let net = try Loopback()
        net.servedRead = false
        let (client, server) = try net.connect(reading: false)
        client.connection.setSendBuffer(bytes: 16_384)
        client.send([UInt8](repeating: 3, count: 4_000_000))
        net.settle()

        server.connection.reset()
        net.run { !client.connection.isOpen }

        #expect([[.closed("ECONNRESET")], [.closed("EPIPE")]].contains(client.events))
    }

    @Test("writing after shutdown breaks the connection, but not inside the call")
    func writeAfterShutdown() throws {
        let net = try Loopback()
        let (client, _) = try net.connect()
        client.connection.shutdown()

        client.send("too late")
        #expect(client.events.isEmpty)
        net.run { !client.events.isEmpty }

        #expect(client.events == [.closed("EPIPE")])
    }
}
