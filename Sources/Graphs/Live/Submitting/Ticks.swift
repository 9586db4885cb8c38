internal import ReactiveGraph

/// The graphs with timers or with members that expire, and the commits that these make.
///
/// There may be many graphs without, which cost nothing here.
final class Ticks {
    /// Those that have timers, or had some at the last check.
    private(set) var graphs: [LiveGraph] = []

    /// A graph has its first timer.
    func note(_ graph: LiveGraph) {
        guard !graph.due.isTimed else { return }
        graph.due.isTimed = true
        graphs.append(graph)
    }

    func add(_ graph: LiveGraph) {
        graph.timers.onFirst = { [unowned self, unowned graph] in note(graph) }
        if graph.nextTick != nil || graph.members.nextExpiry != nil { note(graph) }
    }

    func remove(_ graph: LiveGraph) {
        graphs.removeAll { $0 === graph }
        graph.due.isTimed = false
        graph.timers.onFirst = {}
    }

    /// Makes the commits that are due: for each graph one tick with all emissions of its
    /// definition's stages, and one for members that expire.
    ///
    /// They are due by the clock that stamps them (``LiveGraph/stampTime``). A tick's time is thus
    /// never later than its stamp, which is what operators see as the time. `now` is the monotonic
    /// clock, by which pauses are counted.
    func submitDue(at now: UInt64, to submissions: Submissions) {
        graphs.removeAll { graph in
            graph.due.isTimed = graph.nextTick != nil || graph.members.nextExpiry != nil
            return !graph.due.isTimed
        }
        for graph in graphs where graph.due.notBefore <= now {
            let time = graph.stampTime
            if graph.takesTicks, let due = graph.nextTick, due <= time {
                graph.due.isTickPending = true
                submissions.append(Commit(.tick(time), of: graph))
            }
            guard let commit = graph.members.expired(by: time) else { continue }
            graph.due.isExpiring = true
            submissions.append(commit)
        }
    }

    /// The longest time in milliseconds until the clock that stamps is read again while waiting for
    /// a tick.
    private static let longestSleep: UInt64 = 60_000

    /// When the next of them is due, in milliseconds of the monotonic clock.
    ///
    /// That clock shows `now`, and the one that stamps shows `time`.
    func next(at now: UInt64, _ time: UInt64) -> UInt64? {
        var next: UInt64?
        for graph in graphs {
            let tick = graph.takesTicks ? graph.nextTick : nil
            let expiry = graph.takesExpiries ? graph.members.nextExpiry : nil
            guard let due = [tick, expiry].compactMap(\.self).min() else { continue }
            // The clock that stamps may be set in the meantime, so it is read again before long.
            let wait = due > max(graph.time, time) ? min(due - time, Self.longestSleep) : 0
            let steady = max(now + wait, graph.due.notBefore)
            next = min(next ?? steady, steady)
        }
        return next
    }
}
