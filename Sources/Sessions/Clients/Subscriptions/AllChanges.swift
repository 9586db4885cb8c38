internal import Graphs
internal import DequeModule

/// Mode `all`: every change, in order of rev.
final class AllChanges: FollowedChanges {
    private var queue: Deque<FollowedChange> = []
    private var bytes = 0
    private let rules: FollowRules
    /// Called when a change is dropped because too many wait.
    private let onDrop: () -> Void
    /// The list under way, and whether it is to be tried again as it is.
    private var tried: FollowedList?
    private var isFailed = false

    init(_ rules: FollowRules, onDrop: @escaping () -> Void) {
        self.rules = rules
        self.onDrop = onDrop
    }

    var waiting: Int { queue.count + (isFailed ? tried?.count ?? 0 : 0) }

    func note(_ member: FollowedMember) {
        let change = member.change
        queue.append(change)
        bytes += change.bytes
        while queue.count > rules.queue || (bytes > rules.queueBytes && queue.count > 1) {
            bytes -= queue.removeFirst().bytes
            onDrop()
        }
    }

    func begin(_ member: FollowedMember, isNew: Bool) {
        if isNew { note(member) }
    }

    func next(of graph: LiveGraph) -> FollowedList? {
        if isFailed {
            isFailed = false
            return tried
        }
        var writer = FollowedListWriter(of: graph, rules)
        while let change = queue.first, writer.hasRoom(for: change) {
            writer.append(change)
            queue.removeFirst()
            bytes -= change.bytes
        }
        tried = writer.list()
        return tried
    }

    func settle(_ outcome: FollowedOutcome) {
        isFailed = outcome == .failed
        if !isFailed { tried = nil }
    }

    func tryRefused() -> Bool { false }
}
