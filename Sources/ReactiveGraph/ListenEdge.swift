/// A listen of one's own kind (G-18, G-33): override ``receive(_:_:)`` and, to hear empties, ``becameEmpty(_:)``.
///
/// It delivers while it has a node and a living listener. The listener owns it (G-57): if it is a
/// ``ListenerOwner`` the listen ends when it dies, otherwise as soon as the death is noticed (G-67).
open class ListenEdge<Value>: AnyEdge {
    private var node: Node<Value>?
    private weak var listener: AnyObject?

    /// A listen without ends.
    public init(name: String = "Listen") {
        super.init(
            core: Edge(name, [.listener, .wantsPath]) { edge in
                guard let user = edge.side?.userRef else { return .nothing }
                return Unmanaged<ListenEdge<Value>>.fromOpaque(user.toOpaque()).takeUnretainedValue().run(
                    edge
                )
            }
        )
    }

    /// The node listened to: set, change or unset it at any time.
    public final var from: Node<Value>? {
        get { node }
        set { aim(newValue, listener) }
    }

    /// The listener on whose behalf this edge hears: set, change or unset it at any time.
    public final var to: AnyObject? {
        get { listener }
        set { aim(node, newValue) }
    }

    override func setSource(_ node: AnyNode?) { from = typed(node, "source") }

    override func setTarget(_ node: AnyNode?) {
        precondition(node == nil, "edge \(name): a listen has a listener, and no target node")
    }

    override func unsetEnds() {
        aim(nil, nil)
    }

    /// Called with each value.
    open func receive(_ value: Value, _ delivery: Delivery) {}

    /// Called when the node became empty (G-13).
    open func becameEmpty(_ delivery: Delivery) {}

    private func aim(_ newNode: Node<Value>?, _ newListener: AnyObject?) {
        let (former, graph) = (node?.graph, newNode?.graph)
        withExtendedLifetime((self, node, newListener)) {
            former?.end(core)
            node = newNode
            listener = newListener
            if let graph, let newNode, let newListener {
                let bag = (newListener as? any ListenerOwner)?.listenBag
                core.needSide().owner = newListener
                if bag == nil { core.traits.insert(.foreign) } else { core.traits.remove(.foreign) }
                if bag == nil { graph.watchOwners() }
                graph.attach(core, from: newNode)
                graph.attach(core, to: bag ?? graph.foreign)
                graph.complete(core)
            }
            let stamp = core.stamp
            former?.bury()
            if graph !== former { graph?.bury() }
            // What died by then may have aimed it elsewhere, and that has replayed.
            if core.stamp == stamp { graph?.replay(core) }
        }
    }

    private func run(_ edge: Edge) -> Outcome {
        guard listener != nil else { return .dead }
        guard let source = edge.source else { return .nothing }
        let delivery = Delivery(graph: source._withUnsafeGuaranteedRef { $0.graph })
        switch edge.input(Value.self) {
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
        edge.from = self
        edge.to = owner
        return CancelToken { [weak edge] in edge?.disconnect() }
    }
}
