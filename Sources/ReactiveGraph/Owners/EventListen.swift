/// An owned listen on a node of known type: turns emissions and signals into events.
@usableFromInline
final class EventListen<Value>: OwnedListen {
    @usableFromInline typealias Tell = (AnyObject, Node<Value>, NodeEvent<Value>) -> Void

    @usableFromInline let tell: Tell
    @exclusivity(unchecked) @usableFromInline var wasAdded = false

    init(listener: AnyObject, key: Key?, tell: @escaping Tell) {
        self.tell = tell
        super.init(listener: listener, key: key)
    }

    /// The body of the edge.
    @inlinable
    func deliver(_ edge: Edge) -> Outcome {
        // No event on behalf of the dead (G-125). A listen that has ended here has cut its edge itself.
        guard let listener = livingListener() else { return .nothing }
        let node = edge.source(as: Value.self).takeUnretainedValue()
        if wasAdded {
            let source = node.graph.currentContext?.source ?? .local
            switch node.stored {
            case .value(let value): tell(listener, node, .newValue(value, source: source))
            case .empty: tell(listener, node, .empty(source: source))
            }
        } else {
            wasAdded = true
            tell(listener, node, .added(node.stored))
        }
        return .nothing
    }

    override func tell(_ listener: AnyObject, _ node: AnyNode, _ signal: NodeSignal) {
        guard let event = signal.event(of: Value.self) else { return }
        tell(listener, unsafeDowncast(node, to: Node<Value>.self), event)
    }

    override func tellStopped(_ listener: AnyObject, _ node: AnyNode) {
        tell(listener, unsafeDowncast(node, to: Node<Value>.self), .stopped)
    }
}
