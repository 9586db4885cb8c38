extension Node {
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
}
