import EventLoop
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@Suite("A timer after the poll")
struct PolledTimerTests {
    @Test("what lies on a socket is read before the timer is called, however late the loop is")
    func behindSockets() throws {
        let net = try Loopback()
        let (client, server) = try net.connect()
        var order: [String] = []
        net.onServed = { _, event in if event == .received { order.append("bytes") } }
        let polled = try PolledTimer(on: net.loop) { order.append("deadline") }
        polled.start(after: .milliseconds(20))
        client.send("in time")
        // The process stands still: both are due when it goes on.
        usleep(60_000)
        net.run { order.contains("deadline") }
        #expect(order.first == "bytes")
        #expect(server.text == "in time")
    }

    @Test("it calls once for each start, not early, and without other events")
    func once() throws {
        let net = try Loopback()
        var times: [UInt64] = []
        let start = net.loop.now
        var polled: PolledTimer?
        polled = try PolledTimer(on: net.loop) {
            times.append(net.loop.now)
            if times.count < 3 { polled?.start(after: .milliseconds(5)) }
        }
        polled?.start(after: .milliseconds(1_000))
        polled?.start(after: .milliseconds(5))
        net.run { times.count == 3 }
        #expect(times.count == 3)
        for (place, time) in times.enumerated() { #expect(time >= start + 5 * UInt64(place + 1)) }
        polled = nil
    }

    @Test("it may be dropped by its own action, keeps no loop running, and leaves nothing behind")
    func dropping() throws {
        let loop = try Loop()
        var count = 0
        var polled: PolledTimer?
        polled = try PolledTimer(on: loop) {
            count += 1
            polled = nil
        }
        polled?.start(after: .milliseconds(1))
        loop.run()
        #expect(count == 0)
        let limit = try LoopTimer(on: loop) { loop.stop() }
        limit.start(after: .milliseconds(30))
        loop.run()
        #expect(count == 1)
        #expect(polled == nil)
        limit.stop()
        loop.poll()
        #expect(loop.handleCount == 1)
    }
}
