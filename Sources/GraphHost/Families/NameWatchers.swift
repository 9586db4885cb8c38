/// What follows the names of a graph as they come and go: `all`, and subscriptions to globs (F-3, F-6).
///
/// A member of a family comes when all mutable members that it is made from hold a value, and goes when one of them does no longer.
protocol NameWatcher: AnyObject {
    /// A node that the glob means comes: within its commit, before that sets anything.
    ///
    /// For the living node call ``LiveGraph/materialise(_:)``.
    func appeared(_ node: NamedNode)
    /// What the commit sets is set: whoever listens to nodes that came has heard from them, if they hold something.
    func settled()
    /// A node that the glob means goes: within its commit, before its value does.
    func vanishing(_ node: NamedNode)
    /// The values of the nodes that went are gone: who follows them has heard that they are empty, unless they are made so that
    /// they hold something nevertheless.
    func vanished(_ node: NamedNode)
}

extension NameWatcher {
    func settled() {}
    func vanishing(_ node: NamedNode) {}
    func vanished(_ node: NamedNode) {}
}

/// The watchers of one graph, by what they watch.
///
/// They are not held: each takes itself out before it goes.
final class NameWatchers {
    private struct Watched {
        let order: UInt64
        unowned(unsafe) let watcher: any NameWatcher
    }

    @exclusivity(unchecked) private var table = GlobTable<Watched>()
    private var added: UInt64 = 0
    /// Those that have been called since the commit began.
    @exclusivity(unchecked) private var called: [Watched] = []

    /// Whether there is none.
    var isEmpty: Bool { table.isEmpty }

    /// How many globs and names are watched, each watcher of one counted.
    var count: Int { table.count }

    /// From now on `watcher` is called for what `glob` means: a name, or a pattern with `*` and `?`.
    func add(_ watcher: any NameWatcher, to glob: String) {
        added += 1
        table.add(Watched(order: added, watcher: watcher), to: glob)
    }

    /// Ends that.
    func remove(_ watcher: any NameWatcher, from glob: String) {
        called.removeAll { $0.watcher === watcher }
        table.remove(from: glob) { $0.watcher === watcher }
    }

    /// Calls the watchers of a name, each once, in the order in which they came; `node` is made only where there is one.
    func call(_ name: String, _ node: () -> NamedNode?, _ tell: (any NameWatcher, NamedNode) -> Void) {
        var meant = table.found(by: name)
        guard !meant.isEmpty, let node = node() else { return }
        meant.sort { $0.order < $1.order }
        var seen: Set<ObjectIdentifier> = []
        for watched in meant where seen.insert(ObjectIdentifier(watched.watcher)).inserted {
            tell(watched.watcher, node)
            called.append(watched)
        }
    }

    /// What the commit sets is set.
    func settle() {
        guard !called.isEmpty else { return }
        let watchers = called
        called = []
        var seen: Set<ObjectIdentifier> = []
        for watched in watchers where seen.insert(ObjectIdentifier(watched.watcher)).inserted {
            watched.watcher.settled()
        }
    }
}
