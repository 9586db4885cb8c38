import EventLoop
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@Suite("A timer behind the poll")
struct PolledTimerTests {
    @Test("what lies on a socket is heard before the time is called, however late the loop is")
    func behindSockets() throws {
        let net = try Loopback()
        let (client, server) = try net.connect()
        var order: [String] = []
        net.onServed = { _, event in if event == .received { order.append("bytes") } }
        let polled = try PolledTimer(on: net.loop) { order.append("deadline") }
        polled.start(every: .milliseconds(20))
        client.send("in time")
        // The process stands still: both are due when it goes on.
        usleep(60_000)
        net.run { order.contains("deadline") }
        #expect(order.first == "bytes")
        #expect(server.text == "in time")
    }

    @Test("it calls again and again, not early, and without other events")
    func repeats() throws {
        let net = try Loopback()
        var times: [UInt64] = []
        let start = net.loop.now
        let polled = try PolledTimer(on: net.loop) { times.append(net.loop.now) }
        polled.start(every: .milliseconds(5))
        net.run { times.count == 3 }
        #expect(times.count == 3)
        for (place, time) in times.enumerated() { #expect(time >= start + 5 * UInt64(place + 1)) }
    }

    @Test("it may be stopped, started again and dropped by its own action, and leaves nothing behind")
    func stopping() throws {
        let loop = try Loop()
        var count = 0
        var polled: PolledTimer?
        polled = try PolledTimer(on: loop) {
            count += 1
            if count == 2 { polled?.stop() }
            if count == 3 { polled = nil }
        }
        let limit = try Timer(on: loop) { loop.stop() }
        limit.start(after: .milliseconds(30))
        polled?.start(every: .milliseconds(1))
        loop.run()
        #expect(count == 2, "a stopped one is silent, and a running one keeps no loop alive")
        polled?.start(every: .milliseconds(1))
        limit.start(after: .milliseconds(30))
        loop.run()
        #expect(count == 3)
        #expect(polled == nil)
        limit.stop()
        loop.poll()
        #expect(loop.handleCount == 1)
    }
}
