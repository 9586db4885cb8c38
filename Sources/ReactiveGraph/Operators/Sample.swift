/// The newest value not yet emitted, at most once per interval (G-141a).
public struct Sample<Value>: HoldingOperator {
    @usableFromInline let interval: Duration
    public var pending: PendingValue<Value>

    /// See ``Node/sample(every:dropsWhenCleared:control:)``.
    @inlinable
    public init(_ interval: Duration, dropsWhenCleared: Bool = false, control: TimedControl? = nil) {
        precondition(interval > .zero, "sample: the interval must be positive")
        self.interval = interval
        pending = PendingValue(dropsWhenCleared: dropsWhenCleared, control: control)
    }

    @inlinable public var name: String { "Sample" }
    @inlinable public var isAsynchronous: Bool { true }

    @inlinable
    public mutating func receive(_ value: Value, at site: Site) -> Emission<Value>? {
        if pending.held == nil, pending.end.map(site.hasPassed) ?? true {
            pending.end = site.deadline(after: interval)
        }
        pending.hold(value, at: site)
        return nil
    }

    @inlinable
    public mutating func wake(at site: Site) -> HeldEmission<Value>? {
        pending.end = site.deadline(after: interval)
        return pending.held.take()
    }
}

extension Node {
    /// The newest value not yet emitted, at most once per `interval` (G-141a).
    ///
    /// The first value starts the interval; when it is over the newest value is emitted and the
    /// next interval begins; an interval without a value ends it, until the next value.
    ///
    /// - Parameters:
    ///   - interval: must be positive. The graph needs a clock.
    ///   - dropsWhenCleared: whether a pending value is dropped when the source is cleared.
    ///   - control: counts what is dropped, and flushes.
    /// - Returns: the new node.
    @inlinable
    public func sample(
        every interval: Duration,
        dropsWhenCleared: Bool = false,
        control: TimedControl? = nil
    ) -> Node<Value> {
        apply(Sample(interval, dropsWhenCleared: dropsWhenCleared, control: control))
    }
}
