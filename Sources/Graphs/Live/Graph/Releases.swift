package import ReactiveGraph
package import Values

/// Why a node was freed (docs/protocol.md, observe).
package enum ReleaseReason: String {
    /// Its last owner went.
    case lastOwner = "last_owner"
    /// It is no longer in the definition, or the graph was removed.
    case removed
    /// The new definition built another node.
    case redefined
    /// Memory was short.
    case pressure
    /// The family member was not set for too long.
    case expired
    /// A client dropped the family member.
    case dropped
    /// It lives on, but is no longer near the observed node.
    case away
}

/// What becomes of the nodes of one graph: counts those that it frees, and reports them to its
/// watcher.
package final class Releases {
    /// How many nodes were freed, not counting those that are only parts of stages.
    package private(set) var count: UInt64 = 0
    /// Why nodes are freed now.
    package internal(set) var reason = ReleaseReason.lastOwner
    /// Receives them while a client observes the graph.
    package var watch: (any ReleaseWatcher)?
    /// The names of nodes that are freed while it is not nil.
    var names: [String]?
    /// Unreachable nodes; none unless the server has a fault.
    var leaked = LeakedNodes()

    /// Runs `body`, which frees nodes for this reason.
    package func because<Result>(_ reason: ReleaseReason, _ body: () -> Result) -> Result {
        let outer = self.reason
        self.reason = reason
        defer { self.reason = outer }
        return body()
    }

    /// A named node is being freed.
    func died(_ name: NamedNode, _ node: Node<Datum>) {
        watch?.died(name, node)
        names?.append(name.name)
    }

    /// The graph has freed a node, which the tables still have.
    func died(_ node: AnyNode) {
        count += 1
        watch?.died(node)
    }
}

/// Receives the nodes that a graph frees.
package protocol ReleaseWatcher: AnyObject {
    /// A named node is being freed; this is the last time that its properties can be read.
    func died(_ name: NamedNode, _ node: Node<Datum>)
    /// An unnamed node is being freed, or a named one that was already recorded.
    func died(_ node: AnyNode)
    /// The graph has a new definition.
    func redefined()
}
