/// One turn with several sources (G-34a), being filled.
///
/// ```swift
/// graph.batch { batch in
///     batch.set(width, 6)
///     batch.set(height, 7)
/// }  // prints 42
/// ```
/// Sets are performed first, in the order given, then clears. Nothing happens before the closure returns.
public struct Batch {
    /// The lists of a batch, reused.
    @usableFromInline
    final class Storage {
        /// Tells what this batch has staged in a node from what an enclosing one has.
        @exclusivity(unchecked) @usableFromInline var number: UInt64 = 0
        @exclusivity(unchecked) @usableFromInline var sets: ContiguousArray<AnyNode> = []
        @exclusivity(unchecked) @usableFromInline var clears: ContiguousArray<AnyNode> = []

        /// The node of entry `index`: the sets first, then the clears.
        func node(_ index: Int) -> AnyNode {
            index < sets.count ? sets[index] : clears[index - sets.count]
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
        storage.sets.append(node)
        node.needPending().stage(.value(value), batch: storage.number)
    }

    @inlinable
    func stageClear<Value>(_ node: Node<Value>) {
        precondition(node.graph === graph, "batch: the node belongs to another graph")
        storage.clears.append(node)
        _ = node.needPending()
    }
}

extension Graph {
    /// Performs several sets and clears as one turn: each with an empty path, in order, and joins settle once,
    /// after the last.
    ///
    /// While it runs, propagation leaves alone what the batch sets itself. In `immediate` mode a
    /// batch equals consecutive sets.
    public func batch(context: Context? = nil, _ fill: (inout Batch) -> Void) {
        let storage = batchPool.popLast() ?? Batch.Storage()
        lastBatch += 1
        storage.number = lastBatch
        var batch = Batch(graph: self, storage: storage)
        fill(&batch)
        perform(storage, context: context)
        storage.sets.removeAll(keepingCapacity: true)
        storage.clears.removeAll(keepingCapacity: true)
        batchPool.append(storage)
    }

    private func perform(_ storage: Batch.Storage, context: Context?) {
        let count = storage.sets.count + storage.clears.count
        guard count > 0 else { return }
        guard propagation == .settled else {
            for index in 0..<count {
                let node = storage.node(index)
                if commit(storage, index, context) {
                    turn(node, trail: nil, context: context)
                }
            }
            return
        }
        claim(storage, count, by: 1)
        let saved = beginTurn(trail: nil, context: context)
        runningBatches += 1
        setPath(nil)
        for index in 0..<count {
            let node = storage.node(index)
            guard commit(storage, index, context), !stopping else { continue }
            setPath(nil)
            self.context = context.map(Unmanaged.passUnretained)
            push(.passUnretained(node))
            run(to: base)
        }
        settleAndRelease(storage, count)
        endTurn(saved)
    }

    /// Stores entry `index` in its node; says whether to serve the node's edges.
    private func commit(_ storage: Batch.Storage, _ index: Int, _ context: Context?) -> Bool {
        let node = storage.node(index)
        guard let pending = node.pending else { return false }
        let number = index < storage.sets.count ? storage.number : 0
        return pending.commit(pending, node, number, context)
    }

    private func claim(_ storage: Batch.Storage, _ count: Int, by step: Int32) {
        for node in storage.sets { node.batches += step }
        for node in storage.clears { node.batches += step }
    }

    private func settleAndRelease(_ storage: Batch.Storage, _ count: Int) {
        settle()
        claim(storage, count, by: -1)
        runningBatches -= 1
    }
}
