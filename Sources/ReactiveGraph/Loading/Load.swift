/// A load that is under way, on behalf of a node that mirrors a remote thing (G-135, G-160).
///
/// The library does no input or output: the code that does reports the outcome here. A load ends
/// once; later reports are ignored, so a late answer to a cancelled request does no harm. It holds
/// its node, and dropping it cancels it.
///
/// ```swift
/// let load = profile.beginLoad()  // prints requested
/// load.fail(Offline())  // prints error(Offline())
/// ```
public final class Load<Value>: Cancellable {
    private var node: Node<Value>?
    /// How much is done, 0…1.
    public private(set) var progress = 0.0
    /// Called once when the load is cancelled, by ``cancel()``, by a wipe of the node, or by
    /// dropping it: the place to abort the request.
    public var onCancel: (() -> Void)?

    init(of node: Node<Value>) {
        self.node = node
        let facets = Facets.of(node.typedCore)
        facets.began(self)
        NodeSignal.requested.send(to: node.typedCore)
        if let error = facets.lastingError { fail(error) }
    }

    deinit {
        guard let node else { return }
        let part = Dropped(node, onCancel)
        if let home = node.graph.ownHandle { home.end(.retaining(part)) } else { part.end() }
    }

    /// A load that was dropped while it was running.
    private final class Dropped: OwnedPart {
        private let node: Node<Value>
        private let abort: (() -> Void)?

        init(_ node: Node<Value>, _ abort: (() -> Void)?) {
            self.node = node
            self.abort = abort
        }

        override func end() {
            Facets.of(node.typedCore).ended(nil)
            abort?()
            NodeSignal.cancelled.send(to: node.typedCore)
        }
    }

    /// Whether no outcome was reported yet.
    public var isRunning: Bool { node != nil }

    /// Reports how much is done: listeners of events receive ``NodeEvent/progress(_:)``.
    ///
    /// - Parameter fraction: is limited to 0…1; one that is not above the last is ignored.
    public func report(progress fraction: Double) {
        let fraction = min(fraction, 1)
        guard let node, fraction > progress else { return }
        progress = fraction
        NodeSignal.progress(fraction).send(to: node.typedCore)
    }

    /// A value came: it is set, and clears the error.
    public func finish(_ value: Value, source: ValueSource = .network) {
        guard let node = end() else { return }
        NodeSignal.finished.send(to: node.typedCore)
        node.setDirectly(.value(value), context: Context(source: source))
    }

    /// What the node holds is still right: the error is cleared, no value is set.
    public func notModified() {
        if let node = end() { NodeSignal.notModified.send(to: node.typedCore) }
    }

    /// The load failed: the error becomes ``AnyNode/latestError``, the value stays.
    public func fail(_ error: any Error) {
        if let node = end() { NodeSignal.failed(error, endsLoad: true).send(to: node.typedCore) }
    }

    /// The outcome is not wanted any more.
    public func cancel() {
        let abort = onCancel
        guard let node = end() else { return }
        abort?()
        NodeSignal.cancelled.send(to: node.typedCore)
    }

    /// Begins one, if the value is neither up to date nor being loaded.
    static func ifNeeded(_ node: Node<Value>, _ age: Duration) -> Load? {
        let isRunning = node.core.pending?.facets?.hasRunningLoads ?? false
        return isRunning || node.isUpToDate(within: age) ? nil : Load(of: node)
    }

    private func end() -> Node<Value>? {
        onCancel = nil
        guard let node = node.take() else { return nil }
        Facets.of(node.typedCore).ended(self)
        return node
    }
}

extension MutableNode {
    /// Begins a load of this node's value; loads may overlap.
    public func beginLoad() -> Load<Value> {
        Load(of: self)
    }

    /// Begins a load unless one is running, or the value is up to date (G-160).
    ///
    /// - Parameter age: as in ``AnyNode/isUpToDate(within:)``.
    /// - Returns: the load to carry out; `nil` if there is nothing to do.
    public func loadIfNeeded(within age: Duration) -> Load<Value>? {
        .ifNeeded(self, age)
    }

    /// Sets, and says where the value came from; derived nodes pass it on.
    public func set(_ value: Value, source: ValueSource) {
        _ = Facets.of(typedCore)
        setDirectly(.value(value), context: Context(source: source))
    }

    /// Reports an error that belongs to no load: it becomes ``AnyNode/latestError``.
    public func fail(_ error: any Error) {
        NodeSignal.failed(error, endsLoad: false).send(to: typedCore)
    }
}

extension WritableNode {
    /// Begins a load of this node's value; loads may overlap.
    public func beginLoad() -> Load<Value> {
        Load(of: node)
    }

    /// Begins a load unless one is running, or the value is up to date, as
    /// ``MutableNode/loadIfNeeded(within:)`` does.
    public func loadIfNeeded(within age: Duration) -> Load<Value>? {
        .ifNeeded(node, age)
    }

    /// Empties the node and cancels its loads, as ``MutableNode/wipe()`` does.
    public func wipe() {
        node.typedCore.wipe()
    }
}
