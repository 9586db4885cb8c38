/// What the graph knows of a ``Node``.
@usableFromInline
class Core<Value>: StoringCore<Emission<Value>> {
    @inlinable
    override init(graph: Graph, _ emission: Emission<Value>) {
        super.init(graph: graph, emission)
    }

    /// The public node, where something holds it.
    @inlinable final var heldTypedNode: Node<Value> { unsafe unsafeDowncast(heldNode, to: Node<Value>.self) }

    @usableFromInline final override var valueType: Any.Type { Value.self }

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
        if let pending { return unsafe unsafeDowncast(pending, to: Pending<Value>.self) }
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

    final override func makeEdge(for edge: Edge, to target: NodeCore) -> AnyEdge? {
        target.makeEdge(for: edge, from: Value.self)
    }

    final override func makeEdge<In>(for edge: Edge, from type: In.Type) -> AnyEdge? {
        TransformEdge<In, Value>(wrapping: edge)
    }
}

/// What a node stores: an ``Emission``.
@usableFromInline
protocol PossiblyEmpty {
    /// Whether nothing is stored.
    var isEmpty: Bool { get }
}

extension Emission: PossiblyEmpty {}

/// The part of a ``Core`` that stores what the node holds.
///
/// A class of its own, because its parameter is then the whole type of what is stored: if it were
/// made from the parameter, Swift would look that type up whenever a node is freed.
@usableFromInline
class StoringCore<Stored: PossiblyEmpty>: NodeCore {
    @safe @exclusivity(unchecked) @usableFromInline final var stored: Stored

    @usableFromInline override var isEmpty: Bool { stored.isEmpty }

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

// MARK: - Setting

extension Core {
    /// A set by a user with an empty path.
    @inlinable
    final func setDirectly(_ emission: Emission<Value>, context: Context? = nil) {
        graph.checkThread("set")
        if pass >= 0 {
            enqueue(emission, trail: nil, context: context)
        } else {
            keep(emission)
            if hasEdges { engine.turn(self, trail: nil, context: context) } else { graph.warnIfIdle(self) }
        }
    }

    /// A set that continues a path.
    final func inject(_ emission: Emission<Value>, trail: Trail?, context: Context?) {
        graph.checkThread("set")
        if pass >= 0 {
            enqueue(emission, trail: trail, context: context)
        } else {
            keep(emission)
            if hasEdges { engine.turn(self, trail: trail, context: context) }
        }
    }
}
