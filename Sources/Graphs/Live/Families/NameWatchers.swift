/// Follows the names of a graph as they appear and go: `all`, and subscriptions to globs (F-3,
/// F-6).
///
/// A member of a family appears when all mutable members that it is made from have a value, and
/// goes when one of them loses its value.
package protocol NameWatcher: AnyObject {
    /// A node that matches the glob appears: during its commit, before that sets anything.
    ///
    /// For the living node call ``NodeBuilder/materialise(_:)``.
    func appeared(_ node: NamedNode)
    /// The commit's values are set: listeners of the new nodes have received theirs.
    func settled()
    /// A node that matches the glob goes: during its commit, before its value does.
    func vanishing(_ node: NamedNode)
    /// The values of the nodes that went are gone. Listeners of these nodes have received that they
    /// are empty, unless the nodes compute a value from nothing.
    func vanished(_ node: NamedNode)
}

extension NameWatcher {
    package func settled() {}
    package func vanishing(_ node: NamedNode) {}
    package func vanished(_ node: NamedNode) {}
}

/// The watchers of one graph, by the names and globs that they watch.
///
/// They hold nothing: each watcher must remove itself before it is destroyed.
package final class NameWatchers {
    private struct Watched {
        let order: UInt64
        unowned let watcher: any NameWatcher
        /// A watcher that is being freed has no other identity.
        let id: ObjectIdentifier
    }

    private var table = GlobTable<Watched>()
    private var added: UInt64 = 0
    /// Watchers called since the commit began.
    private var called: [Watched] = []

    /// Whether there are no watchers.
    var isEmpty: Bool { table.isEmpty }

    /// How many globs and names are watched, counted per watcher.
    var count: Int { table.count }

    /// Calls `watcher` from now on for nodes that match `glob`: a name, or a pattern with `*` and
    /// `?`.
    package func add(_ watcher: any NameWatcher, to glob: String) {
        added += 1
        table.add(Watched(order: added, watcher: watcher, id: ObjectIdentifier(watcher)), to: glob)
    }

    /// Stops calling it.
    package func remove(_ watcher: any NameWatcher, from glob: String) {
        let id = ObjectIdentifier(watcher)
        called.removeAll { $0.id == id }
        table.remove(from: glob) { $0.id == id }
    }

    /// Calls the watchers of a name once each, in the order in which they were added; `node` is
    /// called only if there are any.
    func call(_ name: String, _ node: () -> NamedNode?, _ tell: (any NameWatcher, NamedNode) -> Void) {
        var meant = table.found(by: name)
        guard !meant.isEmpty, let node = node() else { return }
        meant.sort { $0.order < $1.order }
        var seen: Set<ObjectIdentifier> = []
        for watched in meant where seen.insert(watched.id).inserted {
            tell(watched.watcher, node)
            called.append(watched)
        }
    }

    /// The commit's values are set.
    func settle() {
        guard !called.isEmpty else { return }
        let watchers = called
        called = []
        var seen: Set<ObjectIdentifier> = []
        for watched in watchers where seen.insert(watched.id).inserted {
            watched.watcher.settled()
        }
    }
}
