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
}
