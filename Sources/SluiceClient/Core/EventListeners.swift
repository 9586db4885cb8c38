/// The listeners to what happens to a client as a whole.
///
/// Their streams end with this object.
final class EventListeners {
    private var listeners: [Int: AsyncStream<ClientEvent>.Continuation] = [:]
    private var last = 0

    /// How many listen.
    var count: Int { listeners.count }

    deinit {
        for listener in listeners.values { listener.finish() }
    }

    /// Adds a listener.
    ///
    /// - Returns: its number, for ``remove(_:)``.
    func add(_ listener: AsyncStream<ClientEvent>.Continuation) -> Int {
        last += 1
        listeners[last] = listener
        return last
    }

    func remove(_ number: Int) {
        listeners[number] = nil
    }

    func emit(_ event: ClientEvent) {
        for listener in listeners.values { listener.yield(event) }
    }
}
