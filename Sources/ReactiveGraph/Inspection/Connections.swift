// What an observer needs to notice that something has changed, without listening: counters, and
// connections by number.

/// One connection between two nodes, as it is at the moment.
package struct Connection {
    /// Unique within the graph, rising, never used again; a connection that is aimed anew gets a
    /// new one.
    package let number: UInt64
    /// The creation number of its source.
    package let source: UInt64
    /// The inner following of a flatten.
    package let isInner: Bool
    /// It closed a ring when it was made (G-50, feedback).
    package let isFeedback: Bool
    /// How many emissions its operator keeps back.
    package let waiting: Int
}

extension Connection {
    fileprivate init?(_ edge: Edge) {
        guard let source = edge.source, edge.stamp != .max else { return nil }
        self.init(
            number: edge.connectedAt,
            source: source.id,
            isInner: edge.traits.contains(.follower),
            isFeedback: edge.traits.contains(.ring),
            waiting: edge.side?.state?.waiting ?? 0
        )
    }
}

extension AnyNode {
    /// The connections that come into this node, in order of attachment.
    package final var connections: [Connection] {
        core.held.compactMap { $0.with { Connection($0) } }
    }

    /// How many emissions this node has stored, up to 2^32, then from 0 again.
    package final var emissionCount: UInt32 { core.stores }
}

extension Graph {
    /// Connections made since the graph began.
    package var connectionCount: UInt64 { engine.connections }

    /// Turns ended since the graph began: where it stands still, nothing was delivered.
    package var turnCount: UInt64 { engine.turnState.number }
}
