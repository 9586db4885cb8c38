/// Sets a node from any thread (G-109).
///
/// It holds neither the node nor its graph: what is sent to a node that is gone is dropped.
/// Everything sent by one thread arrives in order, each as a turn of its own on the graph's thread.
public struct NodeHandle<Value: Sendable>: Sendable {
    /// The handle of the node's graph.
    public let graph: GraphHandle
    let id: UInt64

    /// Sets the node, later.
    ///
    /// - Returns: false if the graph is gone.
    @discardableResult
    public func set(_ value: Value, context: Context? = nil) -> Bool {
        send(.value(value), context: context)
    }

    /// Makes the node empty, later.
    ///
    /// - Returns: false if the graph is gone.
    @discardableResult
    public func clear(context: Context? = nil) -> Bool {
        send(.empty, context: context)
    }

    /// Sets or clears the node, later.
    ///
    /// - Returns: false if the graph is gone.
    @discardableResult
    public func send(_ emission: Emission<Value>, context: Context? = nil) -> Bool {
        graph.submit { [id] graph in
            (graph.reachableNode(id) as? Node<Value>)?.setDirectly(emission, context: context)
        }
    }
}

extension MutableNode where Value: Sendable {
    /// A handle that other threads may set this node by (G-109).
    ///
    /// The graph needs an executor.
    public var handle: NodeHandle<Value> {
        graph.makeReachable(self)
        return NodeHandle(graph: graph.handle, id: id)
    }
}

extension MutableNode {
    /// Sets this node as the next turn of the loop, not inside the one that runs (G-150).
    ///
    /// So the listeners of two nodes see changes in the same order, where a nested ``set(_:)``
    /// would let some see them in opposite orders. Deferred sets keep their order, and hold the
    /// node until they are done. The graph needs an executor.
    public func setLater(_ value: Value, context: Context? = nil) {
        sendLater(.value(value), context: context)
    }

    /// Clears this node as the next turn of the loop.
    public func clearLater(context: Context? = nil) {
        sendLater(.empty, context: context)
    }

    /// Sets or clears this node as the next turn of the loop.
    public func sendLater(_ emission: Emission<Value>, context: Context? = nil) {
        graph.submit { self.send(emission, context: context) }
    }
}

// Nodes that handles and bridges know by number: nothing outside the graph's thread holds a node.
extension Graph {
    func makeReachable(_ node: AnyNode) {
        reachable[node.id] = node.ref
    }

    func reachableNode(_ id: UInt64) -> AnyNode? {
        reachable[id]?.node
    }
}
