internal import Commits

/// A node whose value represents a session, and the rev of the set that made it so
/// (`"presence": true`).
package struct Presence {
    package let node: NamedNode
    package let rev: UInt64

    /// A node that the commit with this rev has set.
    package init(node: NamedNode, rev: UInt64) {
        self.node = node
        self.rev = rev
    }

    /// Whether the node was not set since, and no set is pending.
    package var stands: Bool { isPresent && node.pending == nil }

    /// Whether the node was not set since; pending sets may still be refused.
    var isPresent: Bool { node.exists && node.changed.rev == rev }
}
