extension Node {
    /// Every value, `interval` later, in order; nothing is coalesced (G-74).
    ///
    /// Path and context as when set.
    ///
    /// Values on the way are dropped when the edge is cancelled or the new node is freed; they keep nothing alive.
    ///
    /// - Parameter interval: must be positive. The graph needs a clock.
    /// - Returns: the new node.
    public func delay(for interval: Duration) -> Node<Value> {
        precondition(interval > .zero, "delay: the interval must be positive")
        let clock = graph.requireClock("delay")
        let target = Node<Value>(graph: graph, .empty)
        let state = Delay<Value>(interval, clock, graph.timers)
        let edge = Edge("Delay", .asynchronous) { edge in state.receive(edge) }
        state.edge = .passUnretained(edge)
        edge.needSide().onDetach = { state.stop() }
        graph.derive(target, from: self, edge)
        return target
    }
}

/// The values on their way through a delay.
private final class Delay<Value> {
    private struct Entry {
        let deadline: Duration
        let number: UInt64
        let pending: PendingEntry<Value>
    }

    private let interval: Duration
    private let clock: any LoopClock
    private let timers: TimerQueue
    private var entries = Queue<Entry>()
    private lazy var timer = Timer { [unowned self] in fire() }
    var edge: EdgeRef?

    init(_ interval: Duration, _ clock: any LoopClock, _ timers: TimerQueue) {
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
        entries.append(entry)
        if !timer.isRunning { timers.start(timer, at: entry.deadline, number: entry.number, on: clock) }
        return .nothing
    }

    func stop() {
        timers.cancel(timer)
        entries.removeAll()
    }

    private func fire() {
        guard let edge, let entry = entries.popFirst() else { return }
        if let next = entries.first {
            timers.start(timer, at: next.deadline, number: next.number, on: clock)
        }
        let graph = edge._withUnsafeGuaranteedRef { $0.graph }
        graph?.resume(edge, trail: entry.pending.trail, context: entry.pending.context) {
            $0.store(emission: entry.pending.emission)
        }
    }
}
