/// A listen with owners, which turns emissions and signals of its node into events.
@usableFromInline
final class EventListen<Value>: Edge {
    @usableFromInline typealias Tell = (AnyObject, Node<Value>, NodeEvent<Value>) -> Void

    private let tell: Tell
    private let ownership: ListenOwners
    private var wasAdded = false

    init(_ listener: AnyObject, key: ListenOwners.Key?, tell: @escaping Tell) {
        self.tell = tell
        ownership = ListenOwners(listener, key: key)
        super.init("Listen", [.listener, .receivesEmpty, .foreign]) { $0.perform() }
        ownership.begin(self)
    }

    override var owners: ListenOwners? { ownership }

    override func perform() -> Outcome {
        // No event on behalf of the dead (G-125). A listen that has ended here has cut its edge
        // itself.
        guard let listener = ownership.livingListener() else { return .nothing }
        let node = source(as: Value.self).with { $0.heldTypedNode }
        if wasAdded {
            let source = node.engine.currentContext?.source ?? .local
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

    override func notify(_ signal: NodeSignal, of node: NodeCore, to listener: AnyObject) {
        guard let event = signal.event(of: Value.self) else { return }
        unsafe tell(listener, unsafeDowncast(node.heldNode, to: Node<Value>.self), event)
    }

    override func notifyStopped(_ node: AnyNode, to listener: AnyObject) {
        unsafe tell(listener, unsafeDowncast(node, to: Node<Value>.self), .stopped)
    }
}
