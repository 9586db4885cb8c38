/// Which values of a burst a debounce lets through (G-75, G-141).
///
/// For the newest value at a fixed rate there is ``Node/sample(every:dropsWhenCleared:control:)``.
public enum DebounceEdge: Sendable {
    /// The last, when the burst is over.
    case trailing
    /// The first, at once.
    case leading
    /// The first at once, and the last when the burst is over, if there was another.
    case both
}

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
    /// The latest value, once `interval` has passed without another (G-75).
    ///
    /// Example: 1, 2 within the interval, then silence, emits 2. The replay at creation counts as a value. A value
    /// followed by a clear is still emitted, unless emptiness travels: then it is dropped, and the emptiness goes
    /// on at once.
    ///
    /// - Parameters:
    ///   - interval: must be positive. The graph needs a clock.
    ///   - kind: which values of a burst are let through.
    ///   - dropsWhenCleared: whether a pending value is dropped when the source is cleared (G-141).
    ///   - control: counts what is dropped, and flushes.
    /// - Returns: the new node.
    public func debounce(
        for interval: Duration,
        edge kind: DebounceEdge = .trailing,
        dropsWhenCleared: Bool = false,
        control: TimedControl? = nil
    ) -> Node<Value> {
        timed("debounce", "Throttle", .debounce(kind), interval, dropsWhenCleared, control)
    }

    /// ``debounce(for:edge:dropsWhenCleared:control:)`` by the name it has in the model of this library (G-75).
    public func throttle(
        for interval: Duration,
        edge kind: DebounceEdge = .trailing,
        dropsWhenCleared: Bool = false,
        control: TimedControl? = nil
    ) -> Node<Value> {
        timed("throttle", "Throttle", .debounce(kind), interval, dropsWhenCleared, control)
    }

    /// The newest value not yet emitted, at most once per `interval` (G-141a).
    ///
    /// The first value starts the interval; when it is over the newest value is emitted and the next interval
    /// begins; an interval without a value ends it, until the next value.
    ///
    /// - Parameters:
    ///   - interval: must be positive. The graph needs a clock.
    ///   - dropsWhenCleared: whether a pending value is dropped when the source is cleared.
    ///   - control: counts what is dropped, and flushes.
    /// - Returns: the new node.
    public func sample(
        every interval: Duration,
        dropsWhenCleared: Bool = false,
        control: TimedControl? = nil
    ) -> Node<Value> {
        timed("sample", "Sample", .sample, interval, dropsWhenCleared, control)
    }

    private func timed(
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
private enum TimedKind {
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
            stop()
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

    func stop() {
        timers.cancel(timer)
        drop()
    }

    private func drop() {
        guard pending != nil else { return }
        control?.droppedCount += 1
        replace(&pending, with: nil)
    }

    private func keep(_ value: Value, _ edge: Edge) {
        drop()
        guard let graph = edge.graph else { return }
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
