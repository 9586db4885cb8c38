internal import EventLoop
internal import Graphs

/// Counts unreachable nodes, for `/metrics` (I-3).
///
/// Only reading `/metrics` starts a round, so a server without monitoring does no work for it.
/// Nearly every round finishes at once. The rest is done in small steps while the server is quiet,
/// and the next reading shows the result.
final class LeakRounds {
    /// Milliseconds between two steps.
    private static var pause: UInt64 { 20 }

    private unowned let server: Server
    private var timer: LoopTimer?
    /// The total duration of all turns when the last step was over, in nanoseconds.
    private var spent: UInt64 = 0

    init(of server: Server) {
        self.server = server
    }

    /// The metrics are being read: starts a round, unless one is running.
    func begin() {
        guard timer?.isActive != true else { return }
        if !server.host.countLeaks(anew: true) { wait() }
    }

    private func wait() {
        if timer == nil {
            timer = try? LoopTimer(on: server.loop) { [unowned self] in act() }
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
