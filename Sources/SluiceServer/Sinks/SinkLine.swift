/// The way of a sink's values to their receiver.
protocol SinkLine: AnyObject {
    /// Tries to send a value; `answer` is called once with what became of it, never before this
    /// returns, and not after ``end()``.
    func send(_ value: SinkValue, answer: @escaping (SinkOutcome) -> Void)
    /// There is nothing to send for the moment.
    func rest()
    /// The sink has ended.
    func end()
    /// The definition does not have the sink any more, which is about to end.
    func retire()
}
