internal import Support

// Releasing what is kept only for later (G-130, G-131).
extension Registry {
    /// Releases every node that is not in use, except those that are kept `always`.
    ///
    /// First the listens of dead owners end. Then the registry gives up its reference to **every**
    /// node; those in use survive with values, listeners and edges untouched, and are kept again
    /// from their next look-up on. A program that holds nodes itself and wants them flushed drops
    /// them first (G-132).
    ///
    /// It looks at what the registry holds and at the listens of owners without a bag, at nothing
    /// else.
    ///
    /// - Parameter pattern: lets go only of nodes whose names match: `*` stands for any run of
    ///   characters, `?` for one. What such a node was made from is released with it where nothing
    ///   else needs it, whatever its name.
    /// - Returns: how many named nodes were released.
    @discardableResult
    public func flushUnused(matching pattern: String = "*") -> Int {
        let before = deaths
        graph.collect()
        // All at once: a node may be in use only by another one of them.
        let entries = pattern == "*" ? Array(evictable) : evictable.filter { Glob.matches($0.key, pattern) }
        var given: [AnyNode] = []
        for entry in entries {
            account(for: entry, isEvictable: false)
            if let node = entry.giveUp() { given.append(node) }
        }
        given.removeAll()
        pressure.flushes += 1
        pressure.releasedNodes += deaths - before
        return deaths - before
    }

    /// Empties every node that survives a flush and that `matches` picks, and clears its error
    /// (G-133).
    ///
    /// Listeners stay: event listeners receive ``NodeEvent/empty(source:)`` by
    /// ``ValueSource/wipe``, plain ones nothing. Nodes are taken in the order in which their names
    /// entered the registry, each as a turn of its own; a name that was removed and found again
    /// keeps its first place (G-158).
    ///
    /// - Parameter matches: is asked for every survivor before the first is emptied.
    public func wipe(where matches: (_ name: String, _ node: AnyNode) -> Bool = { _, _ in true }) {
        flushUnused()
        let chosen = listedEntries.compactMap { entry in
            entry.node.flatMap { matches(entry.key, $0) ? $0 : nil }
        }
        for node in chosen { node.core.wipe() }
    }

    /// Empties every node that survives a flush and whose name matches `pattern`, and clears its
    /// error (G-162).
    ///
    /// As ``wipe(where:)``.
    ///
    /// - Parameter pattern: compared with the whole canonical name: `*` stands for any run of
    ///   characters, `?` for one.
    public func wipe(matching pattern: String) {
        wipe { name, _ in Glob.matches(name, pattern) }
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

/// Something that reports when memory is short: the host connects it to what the system offers.
///
/// The order of handlers is not defined (G-132).
public final class PressureSource {
    private var handlers: [() -> Bool] = []

    /// A source that has signalled nothing yet.
    public init() {}

    /// Calls every handler.
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
