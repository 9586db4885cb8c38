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

/// What a pass does when its edges have been served, before the next queued emission is taken: a
/// switched node sets the inner node of its pair (G-90).
@usableFromInline
class LastStep {
    /// Gives the node that has stored an emission, if its edges are to be served.
    @usableFromInline typealias Perform = (LastStep, Engine) -> NodeRef?

    let perform: Perform

    @usableFromInline
    init(perform: @escaping Perform) {
        self.perform = perform
    }

    /// The pass of the emission begins.
    @usableFromInline func begin() {}

    /// Hands an emission to `node` from an edge, with this as the last step of its pass.
    @inlinable
    final func accept<Value>(_ emission: Emission<Value>, in node: Core<Value>, from edge: Edge) -> Outcome {
        if node.pass >= 0 { return node.enqueueDelivered(emission, last: self) }
        node.keep(emission)
        node.needPending().begin(self, on: node)
        // Releasing old values may have cut the edge.
        if let target = edge.target, target.identity == Ref.to(node).identity {
            return .enterToTheEnd
        }
        node.dropPending()
        return .nothing
    }
}

/// The queue of a node as the engine sees it: what it asks of it goes through a closure, which was
/// formed where the type of the value was known, and so works on that type directly.
@usableFromInline
class PendingBase {
    /// Stores the first queued emission in the node, and gives its path and context; or gives the
    /// queued signal.
    @usableFromInline typealias Taking = (PendingBase, NodeCore) -> Taken
    @usableFromInline typealias Taken = (trail: Trail?, context: Context?, signal: NodeSignal?)

    let take: Taking
    /// Error and loads of a node that mirrors a remote thing.
    @safe @exclusivity(unchecked) final var facets: Facets?
    /// The last step of the pass that is running.
    @safe @exclusivity(unchecked) final var last: LastStep?
    @safe @exclusivity(unchecked) private final var turn: UInt64 = 0
    @safe @exclusivity(unchecked) private final var count = 0

    @usableFromInline
    init(take: @escaping Taking) {
        self.take = take
    }

    /// Forgets what is queued, and the last step.
    @usableFromInline
    func drop() {
        let old = last
        last = nil
        withExtendedLifetime(old) {}
    }

    /// Whether emissions are queued.
    @usableFromInline var isQueued: Bool { false }

    /// The pass that begins has a last step.
    @usableFromInline
    final func begin(_ step: LastStep, on node: NodeCore) {
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

/// The queue of a node: re-entrant emissions.
///
/// Made on first use, kept.
@usableFromInline
final class Pending<Value>: PendingBase {
    @safe @exclusivity(unchecked) @usableFromInline var entries = Queue<PendingEntry<Value>>()

    @inlinable
    init() {
        super.init { pending, node in
            let pending = unsafe unsafeDowncast(pending, to: Pending<Value>.self)
            return unsafe pending.take(into: unsafeDowncast(node, to: Core<Value>.self))
        }
    }

    @usableFromInline
    override func drop() {
        super.drop()
        entries.removeAll()
    }

    @usableFromInline override var isQueued: Bool { !entries.isEmpty }

    @inlinable
    func take(into node: Core<Value>) -> Taken {
        guard let entry = entries.popFirst() else {
            node.hasPending = false
            return (nil, nil, nil)
        }
        node.hasPending = !entries.isEmpty
        if let signal = entry.signal { return (nil, nil, signal) }
        node.keep(entry.emission)
        if let last = entry.last { begin(last, on: node) }
        return (entry.trail, entry.context, nil)
    }
}
