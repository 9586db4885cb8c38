internal import Graphs
internal import Commits

/// One emission for a subscription in mode `all`.
struct QueuedEmission {
    let subscription: Subscription
    let commit: CommitInfo
    /// The emission, in the subscription's own format: a ``Datum``, nil if it was empty, or a
    /// ``WideEmission``.
    var content: AnyObject?
}

/// The emissions for a session's subscriptions in mode `all` that were not sent yet, in order.
///
/// Each subscription counts its own (`queued`).
struct EmissionQueue {
    private(set) var emissions: ContiguousArray<QueuedEmission> = []
    /// The bytes of these, as the limits count them.
    var bytes = 0

    var isEmpty: Bool { emissions.isEmpty }

    /// Adds an emission; ``count(_:bytes:)`` counts it.
    @inline(__always)
    mutating func append(_ emission: QueuedEmission) { emissions.append(emission) }

    @inline(__always)
    mutating func count(_ subscription: Subscription, bytes: Int) {
        subscription.queued += 1
        self.bytes += bytes
    }

    /// Adds a node's new state to the value of the same commit, or alone: then it returns true, and
    /// the state has to be counted.
    mutating func append(state: [UInt8], of subscription: Subscription, _ commit: CommitInfo) -> Bool {
        guard let place = emissions.lastIndex(where: { $0.subscription === subscription }),
            emissions[place].commit === commit
        else {
            let emission = NodeEmission(state: state)
            append(QueuedEmission(subscription: subscription, commit: commit, content: emission))
            return true
        }
        let former = emissions[place].content as? NodeEmission
        let emission = NodeEmission(emissions[place].content, with: state)
        emissions[place].content = emission
        if let former { bytes += emission.size.bytes - former.size.bytes }
        return false
    }

    /// Removes and returns the emissions whose interval is over, in the order of their commits.
    mutating func takeDue() -> ContiguousArray<QueuedEmission> {
        guard !emissions.isEmpty else { return [] }
        sort()
        var taken: ContiguousArray<QueuedEmission> = []
        var rest: ContiguousArray<QueuedEmission> = []
        for emission in emissions {
            let subscription = emission.subscription
            if subscription.options.every > 0, subscription.postponed() {
                rest.append(emission)
                continue
            }
            let size = subscription.size(of: emission.content)
            subscription.queued -= Int32(size.count)
            bytes -= size.bytes
            taken.append(emission)
        }
        emissions = rest
        return taken
    }

    /// What pipelines make of a commit at the end of the turn comes after what later commits of the
    /// turn have left.
    private mutating func sort() {
        func rev(_ emission: QueuedEmission) -> UInt64 { emission.commit.stamp.rev }
        let areSorted = zip(emissions, emissions.dropFirst()).allSatisfy { first, second in
            first.subscription.graph !== second.subscription.graph || rev(first) <= rev(second)
        }
        if areSorted { return }
        var graphs: [ObjectIdentifier: Int] = [:]
        let keys = emissions.map { emission in
            let graph = ObjectIdentifier(emission.subscription.graph)
            let place = graphs[graph, default: graphs.count]
            graphs[graph] = place
            return (place, rev(emission))
        }
        let order = emissions.indices.sorted { (keys[$0].0, keys[$0].1, $0) < (keys[$1].0, keys[$1].1, $1) }
        let unsorted = emissions
        emissions = ContiguousArray(order.map { unsorted[$0] })
    }

    /// The emissions of one commit, from `place` on.
    @inline(__always)
    func commit(at place: Int) -> ContiguousArray<QueuedEmission>.SubSequence {
        var next = place + 1
        while next < emissions.count, emissions[next].commit === emissions[place].commit { next += 1 }
        return emissions[place..<next]
    }

    /// Everything in it, all of `subscription`, is about to be sent: nothing counts any more.
    @inline(__always)
    mutating func uncount(_ subscription: Subscription) {
        bytes = 0
        subscription.queued = 0
    }

    /// Removes the emissions that were sent, and keeps a small buffer.
    @inline(__always)
    mutating func removeSent() { emissions.removeAll(keepingCapacity: emissions.count <= 64) }

    /// Drops the emissions of these subscriptions, in one pass.
    mutating func drop(of subscriptions: [Subscription]) {
        guard subscriptions.contains(where: { $0.queued > 0 }) else { return }
        let dropped = Set(subscriptions.lazy.map { ObjectIdentifier($0) })
        var freed = 0
        emissions.removeAll { emission in
            let subscription = emission.subscription
            guard dropped.contains(ObjectIdentifier(subscription)) else { return false }
            freed += subscription.size(of: emission.content).bytes
            return true
        }
        bytes -= freed
        for subscription in subscriptions { subscription.queued = 0 }
    }

    /// The largest queues of these subscriptions that must go to keep `limit`.
    func largest(of waiting: [Subscription], over limit: Int) -> ArraySlice<Subscription> {
        guard bytes > limit else { return [] }
        var sizes: [ObjectIdentifier: Int] = [:]
        for emission in emissions {
            let subscription = emission.subscription
            sizes[ObjectIdentifier(subscription), default: 0] += subscription.size(of: emission.content).bytes
        }
        func size(_ subscription: Subscription) -> Int { sizes[ObjectIdentifier(subscription)] ?? 0 }
        var left = bytes
        return waiting.sorted { size($0) > size($1) }.prefix { subscription in
            defer { left -= size(subscription) }
            return left > limit && size(subscription) > 0
        }
    }
}
