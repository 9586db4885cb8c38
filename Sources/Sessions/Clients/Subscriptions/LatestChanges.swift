internal import Graphs
internal import DequeModule

/// Mode `latest`: of each member the newest value, if it is not what the receiver has.
///
/// It has at most one change of each member, so that it is bounded by their number. That a member
/// is gone is kept only if the receiver may know the member.
final class LatestChanges: FollowedChanges {
    private let rules: FollowRules
    private var queue: Deque<FollowedMember> = []
    private var tried: [(member: FollowedMember, content: FollowedChange.Content)] = []
    private var refused: [ObjectIdentifier: FollowedMember] = [:]
    /// Called with a member of which nothing more is to be sent.
    private let forget: (FollowedMember) -> Void

    /// How many members one turn looks at.
    private static let mostLooks = 2_000

    init(_ rules: FollowRules, forget: @escaping (FollowedMember) -> Void) {
        self.rules = rules
        self.forget = forget
    }

    var waiting: Int { queue.count }

    func note(_ member: FollowedMember) {
        if member.isGone, !member.mayBeKnown { return drop(member) }
        let content = member.change.content
        if !content.isValue, !member.has(content) { member.isBroken = true }
        refused[ObjectIdentifier(member)] = nil
        wait(member)
    }

    func begin(_ member: FollowedMember, isNew: Bool) { wait(member) }

    private func wait(_ member: FollowedMember) {
        guard !member.isChanged else { return }
        member.isChanged = true
        queue.append(member)
    }

    private func drop(_ member: FollowedMember) {
        member.isForgotten = true
        forget(member)
    }

    func next(of graph: LiveGraph) -> FollowedList? {
        var writer = FollowedListWriter(of: graph, rules)
        var (looks, compared) = (0, 0)
        while looks < Self.mostLooks, compared < rules.mostBytes, let member = queue.first {
            looks += 1
            let change = member.change
            let isSent = !member.isForgotten && (rules.repeats || !member.has(change.content))
            if isSent, !writer.hasRoom(for: change) { break }
            queue.removeFirst()
            member.isChanged = false
            guard !member.isForgotten else { continue }
            guard isSent else {
                compared += change.bytes
                continue
            }
            if member.isGone, !member.mayBeKnown {
                drop(member)
                continue
            }
            writer.append(change)
            member.isBroken = false
            member.isTried = true
            tried.append((member, change.content))
        }
        graph.host.work += UInt64(looks / 16)
        return writer.list()
    }

    func settle(_ outcome: FollowedOutcome) {
        let tried = tried
        self.tried = []
        for (member, content) in tried.reversed() {
            member.isTried = false
            if member.isForgotten { continue }
            switch outcome {
            case .arrived: arrived(member, content)
            case .failed:
                member.known = .unsure
                guard !member.isChanged else { continue }
                member.isChanged = true
                queue.prepend(member)
            case .refused:
                if case .value = member.known { member.known = .unsure }
                if member.isChanged { continue }
                if member.isGone, !member.mayBeKnown { drop(member) } else { keep(member) }
            }
        }
    }

    private func arrived(_ member: FollowedMember, _ content: FollowedChange.Content) {
        switch content {
        case .value(let value): member.known = .value(value)
        case .empty: member.known = .value(nil)
        case .gone: drop(member)
        }
    }

    private func keep(_ member: FollowedMember) { refused[ObjectIdentifier(member)] = member }

    func tryRefused() -> Bool {
        let members = refused.values
        refused = [:]
        for member in members where !member.isForgotten { wait(member) }
        return !members.isEmpty
    }
}
