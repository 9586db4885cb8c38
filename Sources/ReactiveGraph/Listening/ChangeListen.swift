/// A listen that a bag holds, told of each emission and not handed the value: `body` reads it from
/// the edge.
///
/// For subclasses of which there are thousands on one node: `body` captures nothing, so each of
/// them is one object, and handing over no value touches no reference count. Nothing is replayed.
open class ChangeListen<Value>: Edge {
    /// A listen without ends.
    package init(name: String, _ body: @escaping (Edge) -> Outcome) {
        super.init(name, [.listener, .receivesEmpty], body: body)
    }

    /// The node listened to; nil before and after.
    package final var node: Node<Value>? {
        source == nil ? nil : source(as: Value.self).with { $0.heldTypedNode }
    }

    /// The creation number of the node listened to; 0 if there is none.
    @inlinable package final var sourceID: UInt64 { source?.id ?? 0 }

    /// Its number among the connections of its graph, while it listens.
    package final var connectionNumber: UInt64 { connectedAt }

    /// Whether the node listened to holds nothing; only where there is one.
    @inlinable
    package final var isSourceEmpty: Bool {
        source(as: Value.self).with { $0.stored.isEmpty }
    }

    /// The value of the node listened to; only where there is one.
    @inlinable
    package final var sourceValue: Value? {
        source(as: Value.self).with { $0.stored.value }
    }

    /// Starts to listen to `node`, once a bag holds this.
    package final func listen(to node: Node<Value>) {
        node.graph.checkThread("listen")
        attach(from: node)
        complete(in: node.graph)
    }

    /// Ends the listen.
    package final func disconnect() {
        cut()
    }

    /// Gives the listen owners besides its bag: it ends when the last of them goes.
    package final func take(_ owners: ListenOwners) {
        owners.begin(self)
        needSide().owners = owners
    }

    /// The owners besides its bag have nothing to do with the listen any more; it goes on.
    package final func leaveOwners() {
        side?.owners = nil
    }
}
