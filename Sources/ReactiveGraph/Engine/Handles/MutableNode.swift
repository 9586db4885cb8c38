/// A node that callers may set (G-5).
///
/// Usable wherever a ``Node`` is asked for, without a copy (G-7).
public final class MutableNode<Value>: Node<Value> {
    /// Yes.
    public override var isMutable: Bool { true }

    /// Stores `value` and delivers it downstream; everything synchronous is complete on return
    /// (G-35).
    ///
    /// Called from inside this node's own pass it queues, and reading still gives the earlier value
    /// (G-37).
    @inlinable
    public func set(_ value: Value) {
        setDirectly(.value(value))
    }

    /// Sets with a context, which is handed unchanged to everything the value reaches (G-45).
    @inlinable
    public func set(_ value: Value, context: Context?) {
        send(.value(value), context: context)
    }

    /// Sets as a continuation of `path`: nodes in it are not set again by this emission (G-10,
    /// G-41).
    public func set(_ value: Value, path: Path, context: Context?) {
        send(.value(value), path: path, context: context)
    }

    /// Makes the node empty (G-11).
    ///
    /// Derived nodes keep their values, unless emptiness travels (G-145).
    public func clear(context: Context? = nil) {
        send(.empty, context: context)
    }

    /// Sets or clears, as the emission says.
    @inlinable
    public func send(_ emission: Emission<Value>, context: Context? = nil) {
        setDirectly(emission, context: context)
    }

    /// Sets or clears as a continuation of `path`.
    public func send(_ emission: Emission<Value>, path: Path, context: Context?) {
        inject(emission, trail: Trail(path), context: context)
    }

    /// Empties the node, clears its error and cancels its running loads, so that a late answer does
    /// not refill it (G-133, G-160).
    ///
    /// Listeners stay: listeners of events receive ``NodeEvent/cancelled`` for each load, then
    /// ``NodeEvent/empty(source:)`` by ``ValueSource/wipe``.
    public func wipe() {
        typedCore.wipe()
    }
}

/// A writable view of a node: same identity, same edges, same listeners (G-7).
///
/// Made by ``Node/writable()``, an explicit call that can be searched for. Setting a derived node
/// this way replaces its value until its upstream delivers again.
public struct WritableNode<Value> {
    /// The node that is written.
    public let node: Node<Value>

    /// Stores `value` and delivers it downstream, as ``MutableNode/set(_:context:)`` does.
    public func set(_ value: Value, context: Context? = nil) {
        node.setDirectly(.value(value), context: context)
    }

    /// Makes the node empty.
    public func clear(context: Context? = nil) {
        node.setDirectly(.empty, context: context)
    }

    /// Sets or clears, as the emission says.
    public func send(_ emission: Emission<Value>, context: Context? = nil) {
        node.setDirectly(emission, context: context)
    }

    /// Sets or clears as a continuation of `path`.
    public func send(_ emission: Emission<Value>, path: Path, context: Context?) {
        node.inject(emission, trail: Trail(path), context: context)
    }
}

extension Node {
    /// A handle that writes to this node, although its type has no setter (G-7).
    public func writable() -> WritableNode<Value> {
        WritableNode(node: self)
    }

    /// A set by a user with an empty path.
    @inlinable
    final func setDirectly(_ emission: Emission<Value>, context: Context? = nil) {
        withTypedCore { $0.setDirectly(emission, context: context) }
    }

    /// A set that continues a path.
    final func inject(_ emission: Emission<Value>, trail: Trail?, context: Context?) {
        withTypedCore { $0.inject(emission, trail: trail, context: context) }
    }
}
