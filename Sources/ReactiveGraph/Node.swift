/// A value that notifies its downstream edges when it changes.
///
/// What owns what, in four sentences (G-52):
/// 1. A listener's bag owns its listen edges, and a node owns the edges that come into it.
/// 2. An edge holds its source node, and never its target.
/// 3. So consumers hold providers: a node lives while something outside, a living node downstream
///    or a living listener needs it, and no longer.
/// 4. Cancellables own nothing, and dropping one changes nothing; dropping a bag ends what is in
///    it.
///
/// A node is made by a ``Graph`` or by an operator. It holds one ``Emission`` at a time; it never
/// compares.
public class Node<Value>: StoringNode<Emission<Value>> {
    @inlinable
    override init(graph: Graph, _ emission: Emission<Value>) {
        super.init(graph: graph, emission)
    }

    /// A node holding `value`: of any value, mutable or not (G-97).
    ///
    /// The graph's own way to say it is `graph.node(value)`, or `graph.mutable(value)`.
    public convenience init(_ value: Value, in graph: Graph) {
        self.init(graph: graph, .value(value))
    }

    deinit {
        die()
    }

    /// What the node holds now: a value or empty.
    @inlinable public final var emission: Emission<Value> { stored }

    /// The value, `nil` if the node is empty.
    @inlinable public final var value: Value? { stored.value }

    /// The type of the values this node holds.
    public final override var valueType: Any.Type { Value.self }

    /// The value, or `fallback` if the node is empty (G-8).
    @inlinable
    public final func value(default fallback: @autoclosure () -> Value) -> Value {
        stored.value(default: fallback())
    }

    /// Runs `body` at once with the value, and not at all if the node is empty (G-9).
    @inlinable
    public final func ifValue(_ body: (Value) throws -> Void) rethrows {
        try stored.ifValue(body)
    }

    // MARK: - Storing

    /// Takes a value from an edge: stores it, or queues it while the node is in a pass.
    @inlinable
    @inline(__always)
    final func accept(_ value: Value) -> Outcome {
        if pass >= 0 { return enqueueDelivered(.value(value)) }
        keep(.value(value))
        return .enter
    }

    /// Takes emptiness from an edge.
    @usableFromInline
    final func acceptEmpty() -> Outcome {
        accept(emission: .empty)
    }

    /// Takes an emission from an edge.
    @inlinable
    @inline(__always)
    final func accept(emission: Emission<Value>) -> Outcome {
        if pass >= 0 { return enqueueDelivered(emission) }
        keep(emission)
        return .enter
    }

    /// Queues an emission that an edge delivers, with the path and context it came with.
    @usableFromInline
    final func enqueueDelivered(_ emission: Emission<Value>, last step: LastStep? = nil) -> Outcome {
        enqueue(
            emission,
            trail: graph.engine.captureTrail(),
            context: engine.currentContext,
            last: step
        )
        return .nothing
    }

    /// Queues an emission, or a signal, after the pass that is running (G-34, step 1).
    @inlinable
    final func enqueue(
        _ emission: Emission<Value>,
        trail: Trail?,
        context: Context?,
        last: LastStep? = nil,
        signal: NodeSignal? = nil
    ) {
        let queue = needPending()
        guard graph.engine.mayQueue(on: self, queue) else { return }
        queue.entries.append(
            PendingEntry(emission: emission, trail: trail, context: context, last: last, signal: signal)
        )
        hasPending = true
    }

    @inlinable
    final func needPending() -> Pending<Value> {
        if let pending { return unsafeDowncast(pending, to: Pending<Value>.self) }
        let made = Pending<Value>()
        pending = made
        return made
    }

    // MARK: - What the engine asks

    final override var valueDescription: String { stored.description }

    final override func saveValue(to writer: inout StateWriter) {
        writer.write(stored)
    }

    final override func restoreValue(from reader: inout StateReader) throws {
        keep(try reader.emission(keeping: stored))
    }

    /// Stores without emitting.
    @inlinable
    @inline(__always)
    final func keep(_ emission: Emission<Value>) {
        stores &+= 1
        destroy(exchange(&stored, with: emission))
    }

    final override func forEachNodeInValue(_ visit: (AnyNode) -> Void) {
        guard Value.self is any NodeKeeping.Type, case .value(let value) = stored else { return }
        (value as? any NodeKeeping)?.forEachKeptNode(visit)
    }

    override func wipe() {
        if let facets = pending?.facets {
            facets.cancelLoads()
            NodeSignal.wiped.send(to: self)
        }
        setDirectly(.empty, context: Context(source: .wipe))
    }

    final override func perform(_ signal: NodeSignal) { signal.perform(on: self) }

    final override func makeEdge(for edge: Edge, to target: AnyNode) -> AnyEdge? {
        target.makeEdge(for: edge, from: Value.self)
    }

    final override func makeEdge<In>(for edge: Edge, from type: In.Type) -> AnyEdge? {
        TransformEdge<In, Value>(wrapping: edge)
    }
}

/// What a node stores: an ``Emission``.
public protocol PossiblyEmpty {
    /// Whether nothing is stored.
    var isEmpty: Bool { get }
}

extension Emission: PossiblyEmpty {}

/// The part of a ``Node`` that stores what the node holds.
///
/// A class of its own, because its parameter is then the whole type of what is stored: if it were
/// made from the parameter, Swift would look that type up whenever a node is freed.
public class StoringNode<Stored: PossiblyEmpty>: AnyNode {
    @exclusivity(unchecked) @usableFromInline final var stored: Stored

    /// Whether nothing is stored.
    public override var isEmpty: Bool { stored.isEmpty }

    @inlinable
    init(graph: Graph, _ stored: Stored) {
        self.stored = stored
        super.init(graph: graph)
    }

    /// Runs `body` while the node holds `other`; what `body` itself sets stays.
    final func holding(_ other: Stored, _ body: () -> Outcome) -> Outcome {
        let before = stores
        let kept = exchange(&stored, with: other)
        let outcome = body()
        if stores == before { destroy(exchange(&stored, with: kept)) }
        return outcome
    }
}
