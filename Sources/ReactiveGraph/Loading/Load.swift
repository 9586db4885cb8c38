/// A load that is under way, on behalf of a node that mirrors a remote thing (G-135).
///
/// The library does no I/O: whoever does tells the outcome here. A load ends once; what is told later is ignored,
/// so a late answer to a cancelled request does no harm. It holds its node, and dropping it cancels it.
///
/// ```swift
/// let load = profile.beginLoad()  // prints requested
/// load.fail(Offline())  // prints error(Offline())
/// ```
public final class Load<Value> {
    private var node: Node<Value>?

    init(of node: Node<Value>) {
        self.node = node
        node.send(.requested)
        if let error = node.needFacets().lastingError { fail(error) }
    }

    deinit {
        cancel()
    }

    /// Whether the outcome has not been told yet.
    public var isRunning: Bool { node != nil }

    /// A value came: it is set, and clears the error.
    public func finish(_ value: Value, source: ValueSource = .network) {
        guard let node = node.take() else { return }
        node.send(.finished)
        node.setDirectly(.value(value), context: Context(source: source))
    }

    /// What the node holds is still right: the error is cleared, no value is set.
    public func notModified() {
        node.take()?.send(.notModified)
    }

    /// The load failed: the error becomes ``AnyNode/latestError``, the value stays.
    public func fail(_ error: any Error) {
        node.take()?.send(.failed(error, endsLoad: true))
    }

    /// Nobody wants the outcome any more.
    public func cancel() {
        node.take()?.send(.cancelled)
    }
}

extension MutableNode {
    /// Begins a load of this node's value; loads may overlap.
    public func beginLoad() -> Load<Value> {
        Load(of: self)
    }

    /// Sets, and says where the value came from; derived nodes tell it too.
    public func set(_ value: Value, source: ValueSource) {
        setDirectly(.value(value), context: Context(source: source))
    }

    /// Reports an error that belongs to no load: it becomes ``AnyNode/latestError``.
    public func fail(_ error: any Error) {
        send(.failed(error, endsLoad: false))
    }
}

extension WritableNode {
    /// Begins a load of this node's value; loads may overlap.
    public func beginLoad() -> Load<Value> {
        Load(of: node)
    }
}
