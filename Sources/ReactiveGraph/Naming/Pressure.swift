// Letting go of what is kept only for later (G-130, G-131).
extension Registry {
    /// Lets go of every node that is not in use, except those that are kept `always`.
    ///
    /// First the listens of dead owners end. Then the registry gives up its reference to **every** node; those in
    /// use survive with values, listeners and edges untouched, and are kept again from their next look-up on.
    /// Whoever keeps nodes of his own and wants them flushed drops them first (G-132).
    ///
    /// It looks at what the registry holds and at the listens of owners without a bag, at nothing else.
    ///
    /// - Returns: how many named nodes were released.
    @discardableResult
    public func flushUnused() -> Int {
        let before = entries.count
        graph.collect()
        // All at once: a node may be in use only by another one of them.
        var given: [AnyNode] = []
        for entry in evictable.values {
            if let node = entry.strong.take() { given.append(node) }
        }
        evictable = [:]
        given.removeAll()
        let released = before - entries.count
        pressure.flushes += 1
        pressure.releasedNodes += released
        return released
    }

    /// Empties every node that survives a flush and that `matches` picks, and clears its error (G-133).
    ///
    /// Listeners stay: event listeners are told ``NodeEvent/empty(source:)`` by ``ValueSource/wipe``, plain ones
    /// nothing. Nodes are taken in order of creation, each as a turn of its own.
    ///
    /// - Parameter matches: is asked for every survivor before the first is emptied.
    public func wipe(where matches: (_ name: String, _ node: AnyNode) -> Bool = { _, _ in true }) {
        flushUnused()
        let chosen = entries.values
            .filter { $0.isListed && matches($0.name, $0.node) }
            .map(\.node)
            .sorted { $0.id < $1.id }
        for node in chosen { node.wipe() }
    }

    /// Flushes whenever `source` signals pressure, for as long as the registry lives.
    public func flush(on source: PressureSource) {
        source.add { [weak self] in
            guard let self else { return false }
            flushUnused()
            return true
        }
    }
}

/// Something that tells when memory is short: the host connects it to what the system offers.
///
/// The order of handlers is not defined (G-132).
public final class PressureSource {
    private var handlers: [() -> Bool] = []

    /// A source that has signalled nothing yet.
    public init() {}

    /// Tells every handler.
    public func signal() {
        let called = handlers
        handlers = []
        let kept = called.filter { $0() }
        handlers = kept + handlers
    }

    /// Adds a handler, which stays while it says so.
    public func add(_ handler: @escaping () -> Bool) {
        handlers.append(handler)
    }
}
