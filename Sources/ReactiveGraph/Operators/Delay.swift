extension Node {
    /// Every value, `interval` later, in order; nothing is coalesced (G-74).
    ///
    /// Path and context as when set.
    ///
    /// Values on the way are dropped when the edge is cancelled or the new node is freed; they keep nothing alive.
    ///
    /// - Parameters:
    ///   - interval: must be positive. The graph needs a clock.
    ///   - buffer: how many values may be on their way (G-142).
    ///   - control: counts what waits and what is dropped.
    /// - Returns: the new node.
    public func delay(
        for interval: Duration,
        buffer: BufferPolicy = .unbounded,
        control: BufferControl? = nil
    ) -> Node<Value> {
        precondition(interval > .zero, "delay: the interval must be positive")
        buffer.require(for: "delay")
        let clock = graph.requireClock("delay")
        let target = Node<Value>(graph: graph, .empty)
        let state = Delay<Value>(interval, clock, graph.timers, Backlog(buffer, control))
        let edge = Edge("Delay", .asynchronous) { edge in state.receive(edge) }
        state.edge = .passUnretained(edge)
        edge.needSide().onDetach = { state.stop() }
        graph.derive(target, from: self, edge)
        return target
    }
}

/// The values on their way through a delay.
private final class Delay<Value> {
    struct Entry {
        let deadline: Duration
        let number: UInt64
        let pending: PendingEntry<Value>
    }

    private let interval: Duration
    private let clock: any LoopClock
    private let timers: TimerQueue
    private let entries: Backlog<Entry>
    private lazy var timer = Timer { [unowned self] in fire() }
    var edge: EdgeRef?

    init(
        _ interval: Duration,
        _ clock: any LoopClock,
        _ timers: TimerQueue,
        _ entries: Backlog<Entry>
    ) {
        self.entries = entries
        self.interval = interval
        self.clock = clock
        self.timers = timers
    }

    func receive(_ edge: Edge) -> Outcome {
        let emission = edge.input(Value.self)
        if emission.isEmpty, !edge.traits.contains(.propagatesEmpty) { return .nothing }
        guard let graph = edge.graph else { return .nothing }
        let pending = PendingEntry(
            emission: emission,
            trail: graph.captureTrail(),
            context: graph.currentContext
        )
        let entry = Entry(deadline: clock.now + interval, number: timers.nextNumber(), pending: pending)
        entries.append(entry, of: edge)
        startTimer()
        return .nothing
    }

    func stop() -> AnyObject? {
        timers.cancel(timer)
        return entries.removeAll()
    }

    /// The timer is the one of the first entry, with its deadline and its place among ties.
    private func startTimer() {
        guard let first = entries.first else { return }
        if timer.isRunning, timer.number == first.number { return }
        timers.start(timer, at: first.deadline, number: first.number, on: clock)
    }

    private func fire() {
        guard let edge, let entry = entries.popFirst() else { return }
        startTimer()
        let graph = edge._withUnsafeGuaranteedRef { $0.graph }
        graph?.resume(edge, trail: entry.pending.trail, context: entry.pending.context) {
            $0.store(emission: entry.pending.emission)
        }
    }
}
