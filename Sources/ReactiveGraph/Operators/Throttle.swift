extension Node {
    /// The same as ``debounce(for:edge:dropsWhenCleared:control:)``, by another name (G-75).
    ///
    /// It does not do what Rx and Combine call throttle, the newest value at a fixed rate: that is
    /// ``sample(every:edge:dropsWhenCleared:control:)``.
    public func throttle(
        for interval: Duration,
        edge kind: DebounceEdge = .trailing,
        dropsWhenCleared: Bool = false,
        control: TimedControl? = nil
    ) -> Node<Value> {
        debounce(for: interval, edge: kind, dropsWhenCleared: dropsWhenCleared, control: control)
    }
}
