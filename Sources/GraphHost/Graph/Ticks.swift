internal import ReactiveGraph

/// The graphs with timers or with members that expire, and the commits that these make.
///
/// There may be many graphs without, which cost nothing here.
final class Ticks {
    /// Those that have timers, or had some at the last check.
    private(set) var graphs: [LiveGraph] = []

    /// A graph has its first timer.
    func note(_ graph: LiveGraph) {
        guard !graph.isTimed else { return }
        graph.isTimed = true
        graphs.append(graph)
    }

    func add(_ graph: LiveGraph) {
        graph.timers.onFirst = { [unowned self, unowned graph] in note(graph) }
        if graph.nextTick != nil || graph.members.nextExpiry != nil { note(graph) }
    }

    func remove(_ graph: LiveGraph) {
        graphs.removeAll { $0 === graph }
        graph.timers.onFirst = {}
    }

    /// Makes the commits that are due at `wall`: for each graph one tick with all emissions of its
    /// definition's stages, and one for members that expire.
    func submitDue(at wall: UInt64, to submissions: Submissions) {
        graphs.removeAll { graph in
            graph.isTimed = graph.nextTick != nil || graph.members.nextExpiry != nil
            return !graph.isTimed
        }
        for graph in graphs {
            if graph.takesTicks, let due = graph.nextTick, due <= wall {
                var commit = Commit(graph: graph)
                commit.kind = .tick(wall)
                graph.isTickPending = true
                submissions.append(commit)
            }
            guard let commit = graph.members.expired(by: wall) else { continue }
            graph.isExpiring = true
            submissions.append(commit)
        }
    }

    /// The longest time in milliseconds until the wall clock is read again while waiting for a
    /// tick.
    private static let longestSleep: UInt64 = 60_000

    /// When the next of them is due, in milliseconds of the monotonic clock.
    func next(_ clock: any HostClock) -> UInt64? {
        var next: UInt64?
        for graph in graphs {
            let tick = graph.takesTicks ? graph.nextTick : nil
            let expiry = graph.takesExpiries ? graph.members.nextExpiry : nil
            guard let due = [tick, expiry].compactMap(\.self).min() else { continue }
            let wall = clock.wall
            // The wall clock may be changed in the meantime, so it is read again soon.
            let steady = clock.now + (due > wall ? min(due - wall, Self.longestSleep) : 0)
            next = min(next ?? steady, steady)
        }
        return next
    }
}
