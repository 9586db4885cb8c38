internal import Commits
internal import ReactiveGraph
internal import Values

/// A node that a sink follows with others, and what is known of the sink's receiver.
///
/// It outlives its node while the receiver has to learn that the node is gone.
final class FollowedMember: GroupMember {
    /// What the receiver has of the node.
    enum Known {
        case nothing
        /// Something or nothing: a try has failed, or another server or an earlier run has sent.
        case unsure
        /// A value; nil: that there is none.
        case value(Datum?)
    }

    var known: Known
    /// The commit of its newest change.
    var stamp: LogStamp
    /// It was empty, failed or gone since the value that was tried last: the next one is a change.
    var isBroken = false
    /// It is on the list under way.
    var isTried = false
    /// Nothing more is to be sent of it.
    var isForgotten = false

    init(of group: FollowingSubscription, name: String, node: Node<Datum>, _ known: Known, at stamp: LogStamp)
    {
        self.known = known
        self.stamp = stamp
        super.init(of: group, name: name, node: node)
    }

    var isGone: Bool { node == nil }

    /// Whether the receiver may know it.
    var mayBeKnown: Bool {
        if case .nothing = known { return isTried }
        return true
    }

    /// What is to be sent of it now.
    var change: FollowedChange {
        guard let node else { return FollowedChange(name: name, stamp: stamp, content: .gone) }
        return FollowedChange(name: name, stamp: stamp, content: node.value.map { .value($0) } ?? .empty)
    }

    /// Whether the receiver has this content, and it was never anything else since.
    func has(_ content: FollowedChange.Content) -> Bool {
        guard !isBroken, case .value(let known) = known else { return false }
        switch content {
        case .value(let value): return known.map { $0 === value || $0 == value } ?? false
        case .empty: return known == nil
        case .gone: return false
        }
    }
}
