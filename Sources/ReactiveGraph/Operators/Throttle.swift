extension Node {
    /// ``debounce(for:edge:dropsWhenCleared:control:)`` by the name it has in the model of this library (G-75).
    public func throttle(
        for interval: Duration,
        edge kind: DebounceEdge = .trailing,
        dropsWhenCleared: Bool = false,
        control: TimedControl? = nil
    ) -> Node<Value> {
        timed("throttle", "Throttle", .debounce(kind), interval, dropsWhenCleared, control)
    }
}
