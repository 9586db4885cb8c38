internal import Commits
internal import Graphs
internal import Support

/// The `upd` message built last during one flush.
///
/// Clients with equal subscriptions get the same bytes, so it can often be sent again.
final class UpdateCache {
    private var memory = MessageMemory()
    let envelope = UpdateEnvelope()
    /// How often it was sent.
    var count: UInt64 = 0
    /// A new number for each message, so that transports recognise one that they have encoded
    /// already.
    private var number: UInt64 = 0
    private var id: UInt64 = 0
    private var folded: UInt64 = 0
    private var node: UInt64 = 0
    /// What the message in the memory brings its clients to.
    private var rev: UInt64 = 0
    private var graph: ObjectIdentifier?
    private var singles: ContiguousArray<Single> = []

    /// A message in the memory with one emission of mode `all`.
    private struct Single {
        /// Retained, so that no other commit gets the same address.
        let commit: CommitInfo
        let id: UInt64
        let node: UInt64
        let bytes: Range<Int>

        @inline(__always)
        func fits(_ subscription: Subscription, _ emission: QueuedEmission) -> Bool {
            commit === emission.commit && id == subscription.id && node == subscription.nodeNumber
        }
    }

    /// Whether the memory holds exactly the message that this lone subscription would get.
    ///
    /// A commit may happen during a flush: a waiting request is performed, or the presence of a
    /// broken client is cleared.
    @inline(__always)
    func fits(_ subscription: Subscription) -> Bool {
        node == subscription.nodeNumber && id == subscription.id && folded == subscription.folded
            && graph == ObjectIdentifier(subscription.graph) && rev == subscription.graph.rev
    }

    /// The message with a lone subscription's emissions of one commit; for a single emission, the
    /// one in the memory is reused.
    func message(
        of subscription: Subscription,
        _ emissions: ContiguousArray<QueuedEmission>.SubSequence
    ) -> Outgoing {
        guard let first = emissions.first else { preconditionFailure("a message has an emission") }
        let isSingle = emissions.count == 1 && subscription.nodeNumber != 0
        if isSingle {
            for known in singles where known.fits(subscription, first) {
                return message(of: subscription, first.commit, known.bytes)
            }
        }
        if graph != nil || memory.bytes.count > 1 << 16 || !isKnownUniquelyReferenced(&memory) { forget() }
        let start = memory.bytes.count
        UpdateEnvelope.appendHead(of: subscription.graph, first.commit, to: &memory.bytes)
        for (place, emission) in emissions.enumerated() {
            if place > 0 { memory.bytes.append(",") }
            subscription.append(emission.content, to: &memory.bytes)
        }
        UpdateEnvelope.appendTail(first.commit, to: &memory.bytes)
        let bytes = start..<memory.bytes.count
        if isSingle {
            singles.append(
                Single(
                    commit: first.commit,
                    id: subscription.id,
                    node: subscription.nodeNumber,
                    bytes: bytes
                )
            )
        }
        return message(of: subscription, first.commit, bytes)
    }

    private func message(
        of subscription: Subscription,
        _ commit: CommitInfo,
        _ bytes: Range<Int>
    ) -> Outgoing {
        Outgoing(.update, of: subscription.graph, rev: commit.stamp.rev, in: memory, bytes)
    }

    /// The message that was built for a lone subscription.
    ///
    /// Without `isLast` the session sends more in this turn.
    @inline(__always)
    func update(of graph: LiveGraph, isLast: Bool) -> Outgoing {
        Outgoing(
            .update,
            of: graph,
            rev: rev,
            number: isLast ? number : 0,
            in: memory,
            0..<memory.bytes.count
        )
    }

    func build(_ subscription: Subscription) {
        forget()
        number &+= 1
        envelope.appendHead(of: subscription.graph, to: &memory.bytes)
        subscription.appendEntry(to: &memory.bytes)
        envelope.appendTail(of: subscription.graph, to: &memory.bytes)
        rev = subscription.graph.rev
        guard subscription.nodeNumber != 0 else { return }
        node = subscription.nodeNumber
        id = subscription.id
        folded = subscription.folded
        graph = ObjectIdentifier(subscription.graph)
    }

    /// The memory is about to get other contents; a message that is being sent keeps its own.
    func forget() {
        graph = nil
        if isKnownUniquelyReferenced(&memory) {
            memory.bytes.removeAll()
        } else {
            memory = MessageMemory()
        }
        singles.removeAll(keepingCapacity: true)
    }
}
