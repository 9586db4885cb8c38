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

    private let host: Host
    private let turns: Turns
    private var timer: LoopTimer?
    /// The total duration of all turns when the last step was over, in nanoseconds.
    private var spent: UInt64 = 0

    init(_ host: Host, _ turns: Turns) {
        (self.host, self.turns) = (host, turns)
    }

    /// The metrics are being read: starts a round, unless one is running.
    func begin() {
        guard timer?.isActive != true else { return }
        if !host.countLeaks(anew: true) { wait() }
    }

    private func wait() {
        if timer == nil {
            timer = try? LoopTimer(on: turns.loop) { [unowned self] in act() }
            timer?.keepsLoopAlive = false
        }
        spent = turns.times.turn.sum
        timer?.start(after: .milliseconds(Int64(Self.pause)))
    }

    private func act() {
        let isQuiet = (turns.times.turn.sum - spent) * 2 < Self.pause * 1_000_000
        turns.begin()
        if !isQuiet || !host.countLeaks(anew: false) { wait() }
    }
}
