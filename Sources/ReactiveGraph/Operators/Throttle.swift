extension Node {
    /// A debounce: ``debounce(for:edge:dropsWhenCleared:control:)`` by the name it has in the model of this library (G-75).
    ///
    /// A steady stream faster than the interval never emits. For the newest value at a fixed rate there is
    /// ``sample(every:dropsWhenCleared:control:)``.
    public func throttle(
        for interval: Duration,
        edge kind: DebounceEdge = .trailing,
        dropsWhenCleared: Bool = false,
        control: TimedControl? = nil
    ) -> Node<Value> {
        debounce(for: interval, edge: kind, dropsWhenCleared: dropsWhenCleared, control: control)
    }
}
