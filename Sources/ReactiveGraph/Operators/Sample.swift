/// A value at most once per interval: the newest, or the first (G-141a).
public struct Sample<Value>: HoldingOperator {
    @usableFromInline let interval: Duration
    @usableFromInline let edge: DebounceEdge
    public var pending: PendingValue<Value>

    /// See ``Node/sample(every:edge:dropsWhenCleared:control:)``.
    @inlinable
    public init(
        _ interval: Duration,
        edge: DebounceEdge = .trailing,
        dropsWhenCleared: Bool = false,
        control: TimedControl? = nil
    ) {
        precondition(interval > .zero, "sample: the interval must be positive")
        self.interval = interval
        self.edge = edge
        pending = PendingValue(dropsWhenCleared: dropsWhenCleared, control: control)
    }

    @inlinable public var name: String { "Sample" }
    @inlinable public var isAsynchronous: Bool { edge == .trailing }

    @inlinable
    public mutating func receive(_ value: Value, at site: Site) -> Emission<Value>? {
        if pending.held == nil, pending.end.map(site.hasPassed) ?? true {
            pending.end = site.deadline(after: interval)
            if edge != .trailing { return .value(value) }
        }
        if edge == .leading {
            control?.dropped()
        } else {
            pending.hold(value, at: site)
        }
        return nil
    }

    @inlinable
    public mutating func wake(at site: Site) -> HeldEmission<Value>? {
        pending.end = site.deadline(after: interval)
        return pending.held.take()
    }
}

extension Node {
    /// A value at most once per `interval` (G-141a).
    ///
    /// The first value starts the interval; when it is over the newest value not yet emitted is
    /// emitted and the next interval begins; an interval without a value ends it, until the next
    /// value. With the edge `leading`, the value that starts an interval is emitted at once, and
    /// the others are dropped: what Rx calls `throttleFirst`. With `both` it does both.
    ///
    /// - Parameters:
    ///   - interval: must be positive. The graph needs a clock.
    ///   - edge: which values of an interval are let through.
    ///   - dropsWhenCleared: whether a pending value is dropped when the source is cleared.
    ///   - control: counts what is dropped, and flushes.
    /// - Returns: the new node.
    @inlinable
    public func sample(
        every interval: Duration,
        edge: DebounceEdge = .trailing,
        dropsWhenCleared: Bool = false,
        control: TimedControl? = nil
    ) -> Node<Value> {
        apply(Sample(interval, edge: edge, dropsWhenCleared: dropsWhenCleared, control: control))
    }
}
