internal import EventLoop
internal import GraphHost

/// Counts the nodes that nothing leads to, for `/metrics` (I-3).
///
/// Each reading of `/metrics` begins a round, and nothing else does, so a server whose metrics nobody reads does nothing for it.
/// Nearly every round ends where it begins. What is left of it is done in small steps while the server is quiet, and the next reading
/// shows the result.
final class LeakRounds {
    /// Milliseconds between two steps.
    private static var pause: UInt64 { 20 }

    private unowned let server: Server
    private var timer: Timer?
    /// How long all turns have lasted when the last step was over, in nanoseconds.
    private var spent: UInt64 = 0

    init(of server: Server) {
        self.server = server
    }

    /// The metrics are being read: counts anew, unless the round before goes on.
    func begin() {
        guard timer?.isActive != true else { return }
        if !server.host.countLeaks(anew: true) { wait() }
    }

    private func wait() {
        if timer == nil {
            timer = try? Timer(on: server.loop) { [unowned self] in act() }
            timer?.keepsLoopAlive = false
        }
        spent = server.loopTimes.turn.sum
        timer?.start(after: .milliseconds(Int64(Self.pause)))
    }

    private func act() {
        let isQuiet = (server.loopTimes.turn.sum - spent) * 2 < Self.pause * 1_000_000
        server.beginTurn()
        if !isQuiet || !server.host.countLeaks(anew: false) { wait() }
    }
}
