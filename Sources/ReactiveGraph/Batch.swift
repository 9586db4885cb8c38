/// One turn with several sources (G-34a), being filled.
///
/// ```swift
/// graph.batch { batch in
///     batch.set(width, 4)
///     batch.set(height, 3)
/// }   // combine(width, height) emits once
/// ```
/// Sets are performed first, in the order given, then clears. Nothing happens before the closure returns.
public struct Batch {
    /// The lists of a batch, reused.
    final class Storage {
        /// Tells what this batch has staged in a node from what an enclosing one has.
        @exclusivity(unchecked) var number: UInt64 = 0
        @exclusivity(unchecked) var sets: ContiguousArray<AnyNode> = []
        @exclusivity(unchecked) var clears: ContiguousArray<AnyNode> = []
    }

    let graph: Graph
    let storage: Storage

    /// Sets `node` when the batch is performed.
    ///
    /// A node named twice is set twice.
    public mutating func set<Value>(_ node: MutableNode<Value>, _ value: Value) {
        stage(node, .value(value))
    }

    /// Clears `node` when the batch is performed, after the sets.
    public mutating func clear<Value>(_ node: MutableNode<Value>) {
        stage(node, .empty)
    }

    /// Sets a node of which a writable view was made.
    public mutating func set<Value>(_ node: WritableNode<Value>, _ value: Value) {
        stage(node.node, .value(value))
    }

    /// Clears a node of which a writable view was made.
    public mutating func clear<Value>(_ node: WritableNode<Value>) {
        stage(node.node, .empty)
    }

    private func stage<Value>(_ node: Node<Value>, _ emission: Emission<Value>) {
        precondition(node.graph === graph, "batch: node \(node) belongs to another graph")
        if emission.isEmpty {
            storage.clears.append(node)
        } else {
            storage.sets.append(node)
            node.stage(emission, batch: storage.number)
        }
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
                let node = stage(storage, index)
                if node.commitStaged(batch: storage.number, context: context) {
                    turn(node, trail: nil, context: context)
                }
            }
            return
        }
        claim(storage, count, by: 1)
        runningBatches += 1
        let saved = beginTurn(trail: nil, context: context)
        for index in 0..<count {
            let node = stage(storage, index)
            guard node.commitStaged(batch: storage.number, context: context), !stopping else { continue }
            setPath(nil)
            self.context = context.map(Unmanaged.passUnretained)
            push(.passUnretained(node))
            run(to: base)
        }
        settleAndRelease(storage, count)
        endTurn(saved)
    }

    /// The node of entry `index`; a clear is staged only now, behind the sets.
    private func stage(_ storage: Batch.Storage, _ index: Int) -> AnyNode {
        if index < storage.sets.count { return storage.sets[index] }
        let node = storage.clears[index - storage.sets.count]
        node.stageEmpty(batch: storage.number)
        return node
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
