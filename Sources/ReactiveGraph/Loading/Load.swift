/// A load that is under way, on behalf of a node that mirrors a remote thing (G-135, G-160).
///
/// The library does no input or output: the code that does reports the outcome here. A load ends
/// once; later reports are ignored, so a late answer to a cancelled request does no harm. It holds
/// its node, and dropping it cancels it.
///
/// ```swift
/// let load = profile.beginLoad()  // prints requested
/// load.fail(Offline())  // prints progress(1.0), then error(Offline())
/// ```
public final class Load<Value>: Cancellable {
    private var node: Node<Value>?
    /// How much is done, 0…1; 1 once the load has ended, with whatever outcome.
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
        let part = Dropped(node, onCancel, isComplete: progress == 1)
        if let home = node.graph.ownHandle { home.end(.retaining(part)) } else { part.end() }
    }

    /// A load that was dropped while it was running.
    private final class Dropped: OwnedPart {
        private let node: Node<Value>
        private let abort: (() -> Void)?
        private let isComplete: Bool

        init(_ node: Node<Value>, _ abort: (() -> Void)?, isComplete: Bool) {
            self.node = node
            self.abort = abort
            self.isComplete = isComplete
        }

        override func end() {
            Facets.of(node.typedCore).ended(nil)
            abort?()
            if !isComplete { NodeSignal.progress(1).send(to: node.typedCore) }
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
        announce(fraction, on: node)
    }

    private func announce(_ fraction: Double, on node: Node<Value>) {
        progress = fraction
        NodeSignal.progress(fraction).send(to: node.typedCore)
    }

    /// A value came: it is set, and clears the error.
    public func finish(_ value: Value, source: ValueSource = .network) {
        guard let node = end() else { return }
        complete(on: node)
        NodeSignal.finished.send(to: node.typedCore)
        node.setDirectly(.value(value), context: Context(source: source))
    }

    /// What the node holds is still right: the error is cleared, no value is set.
    public func notModified() {
        guard let node = end() else { return }
        complete(on: node)
        NodeSignal.notModified.send(to: node.typedCore)
    }

    /// The load failed: the error becomes ``AnyNode/latestError``, the value stays.
    public func fail(_ error: any Error) {
        guard let node = end() else { return }
        complete(on: node)
        NodeSignal.failed(error, endsLoad: true).send(to: node.typedCore)
    }

    /// The outcome is not wanted any more.
    public func cancel() {
        let abort = onCancel
        guard let node = end() else { return }
        abort?()
        complete(on: node)
        NodeSignal.cancelled.send(to: node.typedCore)
    }

    /// The load that a node needs, which `carryOut` receives if it is a new one; see
    /// ``MutableNode/loadIfNeeded(within:retryAfter:_:)``.
    static func ifNeeded(
        _ node: Node<Value>,
        within age: Duration,
        retryAfter pause: Duration,
        _ carryOut: (Load) -> Void
    ) -> Load? {
        let facets = node.core.pending?.facets
        if let running = facets?.oldestLoad as? Load { return running }
        if node.latestError == nil {
            guard !node.isUpToDate(within: age) else { return nil }
        } else if let failed = facets?.failed {
            guard node.graph.timers(for: "loadIfNeeded").now - failed >= pause else { return nil }
        }
        let load = Load(of: node)
        // It has ended if the node has an invalid name, or a listener has cancelled it.
        if load.isRunning { carryOut(load) }
        return load
    }

    /// Ends it: what is left to say is its outcome.
    private func end() -> Node<Value>? {
        onCancel = nil
        guard let node = node.take() else { return nil }
        Facets.of(node.typedCore).ended(self)
        return node
    }

    /// Progress ends with 1, also where the outcome is not the one that was hoped for.
    private func complete(on node: Node<Value>) {
        if progress < 1 { announce(1, on: node) }
    }
}

extension MutableNode {
    /// Begins a load of this node's value; loads may overlap.
    public func beginLoad() -> Load<Value> {
        Load(of: self)
    }

    /// Makes sure that a load is under way unless none is needed (G-160).
    ///
    /// A load is needed if none is running and the value is missing or not up to date. After an
    /// error it is needed once `pause` is over, or the node was invalidated: calls that come faster
    /// do not hammer what failed.
    ///
    /// ```swift
    /// profile.loadIfNeeded(within: .seconds(30)) { requests.append($0) }  // prints requested
    /// requests[0].report(progress: 0.5)  // prints progress(0.5)
    /// requests[0].finish("Ada")  // prints progress(1.0), then newValue(Ada, source: network)
    /// ```
    ///
    /// - Parameters:
    ///   - age: as in ``AnyNode/isUpToDate(within:)``.
    ///   - pause: how long after an error no load begins.
    ///   - carryOut: receives a new load, to start the work; it is not called for one that is
    ///     running already, nor for one that cannot run, as of an invalid name. Dropping a load
    ///     cancels it, so the work has to hold it.
    /// - Returns: the new load, or the one that is running, the oldest of several; `nil` if none is
    ///   needed.
    @discardableResult
    public func loadIfNeeded(
        within age: Duration,
        retryAfter pause: Duration = .seconds(1),
        _ carryOut: (Load<Value>) -> Void
    ) -> Load<Value>? {
        .ifNeeded(self, within: age, retryAfter: pause, carryOut)
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

    /// Makes sure that a load is under way unless none is needed, as
    /// ``MutableNode/loadIfNeeded(within:retryAfter:_:)`` does.
    @discardableResult
    public func loadIfNeeded(
        within age: Duration,
        retryAfter pause: Duration = .seconds(1),
        _ carryOut: (Load<Value>) -> Void
    ) -> Load<Value>? {
        .ifNeeded(node, within: age, retryAfter: pause, carryOut)
    }

    /// Empties the node and cancels its loads, as ``MutableNode/wipe()`` does.
    public func wipe() {
        node.typedCore.wipe()
    }
}
