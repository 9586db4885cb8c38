/// A look at a debounce or a sample, and a hand on it (G-141).
///
/// It keeps nothing alive.
public final class TimedControl {
    /// Values that were superseded, or pending when the edge ended, and so never emitted.
    public internal(set) var droppedCount = 0
    var onFlush: (() -> Void)?
    var onHasPending: (() -> Bool)?

    /// A control to be handed to an operator.
    public init() {}

    /// Whether a value waits to be emitted.
    public var hasPending: Bool { onHasPending?() ?? false }

    /// Emits the pending value at once, if there is one, and ends the running interval.
    public func flush() {
        onFlush?()
    }
}

extension Node {
    /// A node behind a debounce or a sample.
    func timed(
        _ operation: String,
        _ name: String,
        _ kind: TimedKind,
        _ interval: Duration,
        _ dropsWhenCleared: Bool,
        _ control: TimedControl?
    ) -> Node<Value> {
        precondition(interval > .zero, "\(operation): the interval must be positive")
        let clock = graph.requireClock(operation)
        let target = Node<Value>(graph: graph, .empty)
        let state = Timed<Value>(kind, interval, clock, graph.timers, dropsWhenCleared, control)
        let edge = Edge(name, kind.isAsynchronous ? .asynchronous : []) { edge in state.receive(edge) }
        state.edge = .passUnretained(edge)
        edge.needSide().onDetach = { state.stop() }
        graph.derive(target, from: self, edge)
        return target
    }
}

/// Which operator keeps values back.
enum TimedKind {
    case debounce(DebounceEdge)
    case sample

    /// Whether nothing goes on at once.
    var isAsynchronous: Bool {
        switch self {
        case .debounce(let edges): edges == .trailing
        case .sample: true
        }
    }
}

/// What a debounce or a sample keeps back, and its timer.
private final class Timed<Value> {
    private let kind: TimedKind
    private let interval: Duration
    private let clock: any LoopClock
    private let timers: TimerQueue
    private let dropsWhenCleared: Bool
    private let control: TimedControl?
    private var pending: PendingEntry<Value>?
    private lazy var timer = Timer { [unowned self] in fire() }
    var edge: EdgeRef?

    init(
        _ kind: TimedKind,
        _ interval: Duration,
        _ clock: any LoopClock,
        _ timers: TimerQueue,
        _ dropsWhenCleared: Bool,
        _ control: TimedControl?
    ) {
        self.kind = kind
        self.interval = interval
        self.clock = clock
        self.timers = timers
        self.dropsWhenCleared = dropsWhenCleared
        self.control = control
        control?.onFlush = { [weak self] in self?.flush() }
        control?.onHasPending = { [weak self] in self?.pending != nil }
    }

    func receive(_ edge: Edge) -> Outcome {
        guard case .value(let value) = edge.input(Value.self) else {
            guard edge.traits.contains(.propagatesEmpty) else {
                if dropsWhenCleared { drop() }
                return .nothing
            }
            _ = stop()
            return edge.forwardEmpty(to: Value.self)
        }
        let isQuiet = !timer.isRunning
        switch kind {
        case .debounce(let edges):
            timers.start(timer, at: clock.now + interval, on: clock)
            if edges != .trailing, isQuiet { return edge.store(value) }
            if edges == .leading { control?.droppedCount += 1 } else { keep(value, edge) }
        case .sample:
            if isQuiet { timers.start(timer, at: clock.now + interval, on: clock) }
            keep(value, edge)
        }
        return .nothing
    }

    /// Gives the value that waited, if one did.
    func stop() -> AnyObject? {
        timers.cancel(timer)
        guard let entry = exchange(&pending, with: nil) else { return nil }
        control?.droppedCount += 1
        return Remains(entry)
    }

    private func drop() {
        guard pending != nil else { return }
        control?.droppedCount += 1
        replace(&pending, with: nil)
    }

    private func keep(_ value: Value, _ edge: Edge) {
        drop()
        guard edge.traits.contains(.complete), let graph = edge.graph else { return }
        pending = PendingEntry(
            emission: .value(value),
            trail: graph.captureTrail(),
            context: graph.currentContext
        )
    }

    private func fire() {
        if case .sample = kind, pending != nil { timers.start(timer, at: clock.now + interval, on: clock) }
        emit()
    }

    private func flush() {
        timers.cancel(timer)
        emit()
    }

    private func emit() {
        guard let edge, let entry = pending.take() else { return }
        let graph = edge._withUnsafeGuaranteedRef { $0.graph }
        graph?.resume(edge, trail: entry.trail, context: entry.context) { $0.store(emission: entry.emission) }
    }
}
