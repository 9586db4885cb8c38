internal import Graphs
internal import Support

/// The `upd` message built last during one flush.
///
/// Clients with equal subscriptions get the same bytes, so it can often be sent again.
final class UpdateCache {
    var buffer = ByteBuffer()
    let envelope = UpdateEnvelope()
    /// How often it was sent.
    var count: UInt64 = 0
    /// A new number for each message, so that sinks recognise one that they have encoded already.
    private(set) var number: UInt64 = 0
    private var id: UInt64 = 0
    private var folded: UInt64 = 0
    private var node: UInt64 = 0
    private var rev: UInt64 = 0
    private var graph: ObjectIdentifier?
    private var singles: ContiguousArray<Single> = []

    /// A message in the buffer with one emission of mode `all`.
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

    /// Whether the buffer holds exactly the message that this lone subscription would get.
    ///
    /// A commit may happen during a flush: a waiting request is performed, or the presence of a
    /// broken client is cleared.
    @inline(__always)
    func fits(_ subscription: Subscription) -> Bool {
        node == subscription.nodeNumber && id == subscription.id && folded == subscription.folded
            && graph == ObjectIdentifier(subscription.graph) && rev == subscription.graph.rev
    }

    /// The message with a lone subscription's emissions of one commit; for a single emission, the
    /// one in the buffer is reused.
    func message(
        of subscription: Subscription,
        _ emissions: ContiguousArray<QueuedEmission>.SubSequence
    ) -> UnsafeRawBufferPointer {
        guard let first = emissions.first else { return buffer.bytes }
        let isSingle = emissions.count == 1 && subscription.nodeNumber != 0
        if isSingle {
            for known in singles where known.fits(subscription, first) {
                return UnsafeRawBufferPointer(rebasing: buffer.bytes[known.bytes])
            }
        }
        if graph != nil || buffer.count > 1 << 16 { forget() }
        let start = buffer.count
        UpdateEnvelope.appendHead(of: subscription.graph, first.commit, to: &buffer)
        for (place, emission) in emissions.enumerated() {
            if place > 0 { buffer.append(",") }
            subscription.append(emission.content, to: &buffer)
        }
        UpdateEnvelope.appendTail(first.commit, to: &buffer)
        if isSingle {
            singles.append(
                Single(
                    commit: first.commit,
                    id: subscription.id,
                    node: subscription.nodeNumber,
                    bytes: start..<buffer.count
                )
            )
        }
        return UnsafeRawBufferPointer(rebasing: buffer.bytes[start...])
    }

    func build(_ subscription: Subscription) {
        forget()
        number &+= 1
        envelope.appendHead(of: subscription.graph, to: &buffer)
        subscription.appendEntry(to: &buffer)
        envelope.appendTail(of: subscription.graph, to: &buffer)
        guard subscription.nodeNumber != 0 else { return }
        node = subscription.nodeNumber
        id = subscription.id
        folded = subscription.folded
        rev = subscription.graph.rev
        graph = ObjectIdentifier(subscription.graph)
    }

    /// The buffer is about to get other contents.
    func forget() {
        graph = nil
        buffer.removeAll()
        singles.removeAll(keepingCapacity: true)
    }
}
