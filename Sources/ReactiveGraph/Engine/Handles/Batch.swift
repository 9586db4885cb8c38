/// One turn with several sources (G-34a), being filled.
///
/// ```swift
/// graph.batch { batch in
///     batch.set(width, 6)
///     batch.set(height, 7)
/// }  // prints 42
/// ```
/// Sets are performed first, in the order given, then clears. Nothing happens before the closure
/// returns.
public struct Batch {
    /// The lists of a batch, reused.
    @usableFromInline
    final class Storage {
        /// A node that is set or cleared.
        @usableFromInline
        struct Entry {
            @usableFromInline let node: AnyNode
            @usableFromInline let values: Ref<StagedValues>
            /// Where its value is among those; negative: it is cleared.
            @usableFromInline let place: Int
            /// Whether this entry is the one that marks the node as set by a batch.
            @usableFromInline var isFirst = false

            @usableFromInline
            init(_ node: AnyNode, _ values: StagedValues, place: Int) {
                self.node = node
                self.values = .to(values)
                self.place = place
            }

            /// Stores it in its node; says whether to serve the node's edges.
            func commit(_ context: Context?) -> Bool {
                values.with { $0.commit($0, node, place, context) }
            }
        }

        @usableFromInline var sets: ContiguousArray<Entry> = []
        @usableFromInline var clears: ContiguousArray<Entry> = []
        /// One for each type of values that a batch has set.
        @usableFromInline var values: ContiguousArray<StagedValues> = []

        /// The values of one type.
        @inlinable
        func values<Value>(of type: Value.Type) -> Staged<Value> {
            let id = ObjectIdentifier(type)
            for index in values.indices where values[index].type == id {
                return unsafe unsafeDowncast(values[index], to: Staged<Value>.self)
            }
            let made = Staged<Value>()
            values.append(made)
            return made
        }

        /// Performs it as one turn, or in `immediate` mode as one turn each.
        ///
        /// `prepare` runs first, as a part of the turn.
        func perform(on engine: Engine, _ context: Context?, after prepare: () -> Void) {
            guard engine.propagation == .settled else {
                prepare()
                return forEach { entry in
                    if entry.commit(context) { engine.turn(entry.node.core, trail: nil, context: context) }
                }
            }
            let saved = engine.beginTurn(trail: nil, context: context)
            engine.setPath(nil)
            prepare()
            forEach { entry in
                guard !entry.node.ref.marks.contains(.isBatched) else { return }
                entry.node.ref.marks.insert(.isBatched)
                entry.isFirst = true
            }
            engine.turnState.batches += 1
            forEach { entry in
                guard entry.commit(context), !engine.turnState.isStopping else { return }
                engine.setPath(nil)
                engine.route.context = context.map(Ref.to)
                engine.push(entry.node.ref)
                engine.run(to: engine.stack.base)
            }
            engine.settle()
            forEach { if $0.isFirst { $0.node.ref.marks.remove(.isBatched) } }
            engine.turnState.batches -= 1
            engine.endTurn(saved)
        }

        var isEmpty: Bool { sets.isEmpty && clears.isEmpty }

        /// Goes through the entries: the sets first, then the clears.
        private func forEach(_ visit: (inout Entry) -> Void) {
            for index in sets.indices { visit(&sets[index]) }
            for index in clears.indices { visit(&clears[index]) }
        }

        /// Forgets everything but the memory.
        func removeAll() {
            sets.removeAll(keepingCapacity: true)
            clears.removeAll(keepingCapacity: true)
            for values in values { values.forget(values) }
        }
    }

    @usableFromInline let graph: Graph
    @usableFromInline let storage: Storage

    /// Sets `node` when the batch is performed.
    ///
    /// A node named twice is set twice.
    @inlinable
    public mutating func set<Value>(_ node: MutableNode<Value>, _ value: Value) {
        stageSet(node, value)
    }

    /// Clears `node` when the batch is performed, after the sets.
    @inlinable
    public mutating func clear<Value>(_ node: MutableNode<Value>) {
        stageClear(node)
    }

    /// Sets a node of which a writable view was made.
    @inlinable
    public mutating func set<Value>(_ node: WritableNode<Value>, _ value: Value) {
        stageSet(node.node, value)
    }

    /// Clears a node of which a writable view was made.
    @inlinable
    public mutating func clear<Value>(_ node: WritableNode<Value>) {
        stageClear(node.node)
    }

    @inlinable
    func stageSet<Value>(_ node: Node<Value>, _ value: Value) {
        precondition(node.graph === graph, "batch: the node belongs to another graph")
        let values = storage.values(of: Value.self)
        storage.sets.append(Storage.Entry(node, values, place: values.emissions.count))
        values.emissions.append(.value(value))
    }

    @inlinable
    func stageClear<Value>(_ node: Node<Value>) {
        precondition(node.graph === graph, "batch: the node belongs to another graph")
        storage.clears.append(Storage.Entry(node, storage.values(of: Value.self), place: -1))
    }
}

/// The values of one type that a batch sets, in their order, as the engine sees them: what it asks
/// of them goes through closures, which were formed where the type was known.
@usableFromInline
class StagedValues {
    /// Stores a value in its node, for a negative place emptiness, or queues it; says whether to
    /// serve the node's edges.
    @usableFromInline typealias Commit = (StagedValues, AnyNode, _ place: Int, Context?) -> Bool

    @usableFromInline let type: ObjectIdentifier
    let commit: Commit
    /// Forgets the values.
    let forget: (StagedValues) -> Void

    @usableFromInline
    init(of type: ObjectIdentifier, commit: @escaping Commit, forget: @escaping (StagedValues) -> Void) {
        self.type = type
        self.commit = commit
        self.forget = forget
    }
}

@usableFromInline
final class Staged<Value>: StagedValues {
    @usableFromInline var emissions: ContiguousArray<Emission<Value>> = []

    @inlinable
    init() {
        super.init(of: ObjectIdentifier(Value.self)) { values, node, place, context in
            unsafe unsafeDowncast(values, to: Staged<Value>.self)
                .commit(to: unsafeDowncast(node, to: Node<Value>.self).typedCore, place, context)
        } forget: {
            unsafe unsafeDowncast($0, to: Staged<Value>.self).emissions.removeAll(keepingCapacity: true)
        }
    }

    @inlinable
    func commit(to node: Core<Value>, _ place: Int, _ context: Context?) -> Bool {
        var emission = Emission<Value>.empty
        // What was set before dies when it is replaced, and not with the batch.
        if place >= 0 { swap(&emission, &emissions[place]) }
        guard node.pass < 0 else {
            node.enqueue(emission, trail: nil, context: context)
            return false
        }
        node.keep(emission)
        return node.hasEdges
    }
}

extension Graph {
    /// Performs several sets and clears as one turn: each with an empty path, in order, and joins
    /// settle once, after the last.
    ///
    /// While it runs, propagation leaves alone what the batch sets itself. In `immediate` mode a
    /// batch equals consecutive sets.
    public func batch(context: Context? = nil, _ fill: (inout Batch) -> Void) {
        let storage = batchPool.popLast() ?? Batch.Storage()
        var batch = Batch(graph: self, storage: storage)
        fill(&batch)
        if !storage.isEmpty { storage.perform(on: engine, context) {} }
        giveBack(storage)
    }

    /// As ``batch(context:_:)``, but what `fill` does besides is a part of the turn: where it gives
    /// a join other inputs, the join settles with those of the batch.
    package func batchInTurn(context: Context? = nil, _ fill: (inout Batch) -> Void) {
        let storage = batchPool.popLast() ?? Batch.Storage()
        var batch = Batch(graph: self, storage: storage)
        storage.perform(on: engine, context) { fill(&batch) }
        giveBack(storage)
    }

    private func giveBack(_ storage: Batch.Storage) {
        storage.removeAll()
        batchPool.append(storage)
    }
}
