/// Which values of a burst a debounce lets through, and which of an interval a sample does (G-75,
/// G-141).
///
/// For the newest value at a fixed rate there is
/// ``Node/sample(every:edge:dropsWhenCleared:control:)``.
public enum DebounceEdge: String, Sendable, CaseIterable {
    /// The last, when the burst is over.
    case trailing
    /// The first, at once.
    case leading
    /// The first at once, and the last when the burst is over, if there was another.
    case both
}

/// The latest value, once an interval has passed without another (G-75).
public struct Debounce<Value>: HoldingOperator {
    @usableFromInline let interval: Duration
    @usableFromInline let edge: DebounceEdge
    public var pending: PendingValue<Value>

    /// See ``Node/debounce(for:edge:dropsWhenCleared:control:)``.
    @inlinable
    public init(
        _ interval: Duration,
        edge: DebounceEdge = .trailing,
        dropsWhenCleared: Bool = false,
        control: TimedControl? = nil
    ) {
        precondition(interval > .zero, "debounce: the interval must be positive")
        self.interval = interval
        self.edge = edge
        pending = PendingValue(dropsWhenCleared: dropsWhenCleared, control: control)
    }

    @inlinable public var name: String { "Throttle" }
    @inlinable public var isAsynchronous: Bool { edge == .trailing }

    @inlinable
    public mutating func receive(_ value: Value, at site: Site) -> Emission<Value>? {
        let isFirst = pending.held == nil && pending.end.map(site.hasPassed) ?? true
        pending.end = site.deadline(after: interval)
        if isFirst, edge != .trailing { return .value(value) }
        if edge == .leading {
            control?.dropped()
        } else {
            pending.hold(value, at: site)
        }
        return nil
    }

    @inlinable
    public mutating func wake(at site: Site) -> HeldEmission<Value>? {
        pending.held.take()
    }
}

extension Node {
    /// The latest value, once `interval` has passed without another (G-75).
    ///
    /// Example: 1, 2 within the interval, then silence, emits 2. The replay at creation counts as a
    /// value. A value followed by a clear is still emitted, unless emptiness travels: then it is
    /// dropped, and the emptiness goes on at once.
    ///
    /// - Parameters:
    ///   - interval: must be positive. The graph needs a clock.
    ///   - kind: which values of a burst are let through.
    ///   - dropsWhenCleared: whether a pending value is dropped when the source is cleared (G-141).
    ///   - control: counts what is dropped, and flushes.
    /// - Returns: the new node.
    @inlinable
    public func debounce(
        for interval: Duration,
        edge kind: DebounceEdge = .trailing,
        dropsWhenCleared: Bool = false,
        control: TimedControl? = nil
    ) -> Node<Value> {
        apply(Debounce(interval, edge: kind, dropsWhenCleared: dropsWhenCleared, control: control))
    }
}

/// A look at a debounce or a sample, and a hand on it (G-141).
///
/// It keeps nothing alive.
public final class TimedControl {
    /// Values that were superseded, or pending when the edge ended, and so never emitted.
    public private(set) var droppedCount = 0
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

    /// A value was dropped.
    @usableFromInline
    func dropped() {
        droppedCount += 1
    }
}
