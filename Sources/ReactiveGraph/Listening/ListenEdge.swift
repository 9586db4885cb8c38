/// A listen of one's own kind (G-18, G-33): override ``receive(_:_:)`` and, to receive emptiness,
/// ``becameEmpty(_:)``.
///
/// It delivers while it has a node and a living listener. The listener owns it (G-57): if it is a
/// ``ListenerOwner`` the listen ends when it dies, otherwise as soon as the death is noticed
/// (G-67).
open class ListenEdge<Value>: Edge {
    private weak var listener: AnyObject?

    /// A listen without ends.
    public init(name: String = "Listen") {
        super.init(name, [.listener, .wantsPath]) { $0.perform() }
    }

    /// The node listened to: set, change or unset it at any time.
    public final var from: Node<Value>? {
        @inlinable get {
            source == nil ? waiting : source(as: Value.self).with { $0.heldTypedNode }
        }
        set { aim(newValue, listener) }
    }

    /// The listener for which this edge listens: set, change or unset it at any time.
    public final var to: AnyObject? {
        get { listener }
        set { aim(from, newValue) }
    }

    /// Ends the listen: unsets both ends.
    public final func disconnect() {
        cut()
    }

    /// Called with each value.
    open func receive(_ value: Value, _ delivery: Delivery) {}

    /// Called when the node became empty (G-13).
    open func becameEmpty(_ delivery: Delivery) {}

    /// The node of an edge that has no listener.
    @usableFromInline final var waiting: Node<Value>? { side?.waiting as? Node<Value> }

    /// Sets both ends: detaches, attaches at the end of the order of service, replays (G-23).
    final func aim(_ newNode: Node<Value>?, _ newListener: AnyObject?) {
        let node = from
        let (former, graph) = (node?.graph, newNode?.graph)
        withExtendedLifetime((self, node, newListener)) {
            if let former {
                detachSource(in: former)
                detachTarget(in: former)
            }
            listener = newListener
            side?.waiting = nil
            if let graph, let newNode {
                if let newListener {
                    let bag = (newListener as? any ListenerOwner)?.listenBag
                    if bag == nil { traits.insert(.foreign) } else { traits.remove(.foreign) }
                    (bag ?? graph.owners.listens).insert(self)
                    if bag == nil { graph.owners.begin(in: graph) }
                    attach(from: newNode)
                    complete(in: graph)
                } else {
                    needSide().waiting = newNode
                }
            }
            let stamp = stamp
            former?.engine.releaseDue()
            if graph !== former { graph?.engine.releaseDue() }
            // What died by then may have aimed it elsewhere, and that has replayed.
            if self.stamp == stamp { graph?.engine.replay(self) }
        }
    }

    final override var owner: AnyObject? { listener }

    final override func ended() {
        listener = nil
        side?.waiting = nil
    }

    final override func perform() -> Outcome {
        if traits.contains(.foreign), listener == nil { return .dead }
        guard source != nil else { return .nothing }
        let delivery = Delivery(of: self)
        switch input(Value.self) {
        case .value(let value): receive(value, delivery)
        case .empty: becameEmpty(delivery)
        }
        return .nothing
    }
}

extension Node {
    /// Attaches a listen edge of one's own for `owner`, which owns it from now on (G-33).
    @discardableResult
    public func listen(_ edge: ListenEdge<Value>, owner: AnyObject) -> CancelToken {
        let cancellable = CancelToken(edge: edge)
        edge.aim(self, owner)
        return cancellable
    }
}
