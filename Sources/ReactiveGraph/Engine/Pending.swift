/// An emission that waits for the pass of its node to end.
@usableFromInline
struct PendingEntry<Value> {
    @usableFromInline let emission: Emission<Value>
    @usableFromInline let trail: Trail?
    @usableFromInline let context: Context?
    /// What the pass of this emission does when its edges have been served.
    @usableFromInline let last: LastStep?
    /// Performed instead of the emission.
    @usableFromInline let signal: NodeSignal?

    @usableFromInline
    init(
        emission: Emission<Value>,
        trail: Trail?,
        context: Context?,
        last: LastStep? = nil,
        signal: NodeSignal? = nil
    ) {
        self.emission = emission
        self.trail = trail
        self.context = context
        self.last = last
        self.signal = signal
    }
}

/// What a pass does when its edges have been served, before the next queued emission is taken: a switched node sets
/// the inner node of its pair (G-90).
@usableFromInline
class LastStep {
    /// Gives the node that has stored an emission, if its edges are to be served.
    @usableFromInline typealias Perform = (LastStep, Graph) -> NodeRef?

    let perform: Perform

    @usableFromInline
    init(perform: @escaping Perform) {
        self.perform = perform
    }

    /// The pass of the emission begins.
    @usableFromInline
    func begin() {}
}

/// The queues of a node as the engine sees them: what it asks of them goes through closures, which were formed where
/// the type of the value was known, and so work on that type directly.
@usableFromInline
class PendingBase {
    /// Stores the first queued emission in the node, and gives its path and context; or gives the queued signal.
    @usableFromInline typealias Take = (PendingBase, AnyNode) -> Taken
    @usableFromInline typealias Taken = (trail: Trail?, context: Context?, signal: NodeSignal?)
    /// Stores what the batch of that number has staged in the node, for number 0 emptiness, or queues it; says
    /// whether to serve the node's edges.
    @usableFromInline typealias Commit = (PendingBase, AnyNode, UInt64, Context?) -> Bool

    let take: Take
    let commit: Commit
    /// Error and loads of a node that mirrors a remote thing.
    @exclusivity(unchecked) final var facets: Facets?
    /// The last step of the pass that is running.
    @exclusivity(unchecked) final var last: LastStep?
    @exclusivity(unchecked) private final var turn: UInt64 = 0
    @exclusivity(unchecked) private final var count = 0

    @usableFromInline
    init(take: @escaping Take, commit: @escaping Commit) {
        self.take = take
        self.commit = commit
    }

    /// Forgets what is queued, and the last step.
    @usableFromInline
    func drop() {
        let old = last
        last = nil
        withExtendedLifetime(old) {}
    }

    /// Whether emissions are queued.
    @usableFromInline
    var isQueued: Bool { false }

    /// The pass that begins has a last step.
    @usableFromInline
    final func begin(_ step: LastStep, on node: AnyNode) {
        last = step
        node.hasPending = true
        step.begin()
    }

    /// Counts one more queued emission, and gives the number of them in this turn.
    final func countInTurn(_ number: UInt64) -> Int {
        if turn != number {
            turn = number
            count = 0
        }
        count += 1
        return count
    }
}

/// The queues of a node: re-entrant emissions, and what batches are about to set.
///
/// Made on first use, kept.
@usableFromInline
final class Pending<Value>: PendingBase {
    @exclusivity(unchecked) @usableFromInline var entries = Queue<PendingEntry<Value>>()
    /// What each running batch has staged and not stored yet: an inner batch stands behind the one around it.
    @exclusivity(unchecked) @usableFromInline var staged: ContiguousArray<Staged> = []

    @usableFromInline
    struct Staged {
        @usableFromInline var batch: UInt64
        @usableFromInline var emissions = Queue<Emission<Value>>()

        @usableFromInline
        init(batch: UInt64) {
            self.batch = batch
        }
    }

    @inlinable
    init() {
        super.init(
            take: { pending, node in
                let pending = unsafeDowncast(pending, to: Pending<Value>.self)
                return pending.take(into: unsafeDowncast(node, to: Node<Value>.self))
            },
            commit: { pending, node, batch, context in
                let pending = unsafeDowncast(pending, to: Pending<Value>.self)
                return pending.commit(to: unsafeDowncast(node, to: Node<Value>.self), batch, context)
            }
        )
    }

    @usableFromInline
    override func drop() {
        super.drop()
        entries.removeAll()
    }

    @usableFromInline
    override var isQueued: Bool { !entries.isEmpty }

    @inlinable
    func take(into node: Node<Value>) -> Taken {
        guard let entry = entries.popFirst() else {
            node.hasPending = false
            return (nil, nil, nil)
        }
        node.hasPending = !entries.isEmpty
        if let signal = entry.signal { return (nil, nil, signal) }
        node.stores &+= 1
        overwrite(&node.stored, with: entry.emission)
        if let last = entry.last { begin(last, on: node) }
        return (entry.trail, entry.context, nil)
    }

    /// A batch of that number is to set the node.
    @inlinable
    func stage(_ emission: Emission<Value>, batch: UInt64) {
        if staged.last?.batch != batch {
            // The first one is used again, so that a batch allocates nothing.
            if staged.count == 1, staged[0].emissions.isEmpty {
                staged[0].batch = batch
            } else {
                staged.append(Staged(batch: batch))
            }
        }
        staged[staged.count - 1].emissions.append(emission)
    }

    /// What a batch has staged first, taken out.
    @inlinable
    func unstage(batch: UInt64) -> Emission<Value>? {
        guard let last = staged.indices.last, staged[last].batch == batch else { return nil }
        let emission = staged[last].emissions.popFirst()
        if last > 0, staged[last].emissions.isEmpty { staged.removeLast() }
        return emission
    }

    @inlinable
    func commit(to node: Node<Value>, _ batch: UInt64, _ context: Context?) -> Bool {
        var emission = Emission<Value>.empty
        if batch != 0 {
            guard let first = unstage(batch: batch) else { return false }
            emission = first
        }
        guard node.pass < 0 else {
            node.enqueue(emission, trail: nil, context: context)
            return false
        }
        node.stores &+= 1
        overwrite(&node.stored, with: emission)
        return node.hasEdges
    }
}
