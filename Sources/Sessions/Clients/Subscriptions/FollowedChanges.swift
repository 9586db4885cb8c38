internal import Graphs
internal import DequeModule

/// The changes of followed nodes that wait for a sink, and the list under way.
protocol FollowedChanges: AnyObject {
    /// How many changes wait, besides those of the list under way.
    var waiting: Int { get }
    /// A member has changed, or is gone.
    func note(_ member: FollowedMember)
    /// A member that the sink finds at its beginning; `isNew`: it has changed since then.
    func begin(_ member: FollowedMember, isNew: Bool)
    /// The next list; nil if nothing is to be sent, or more must be looked at in another turn.
    func next(of graph: LiveGraph) -> FollowedList?
    /// What became of that list.
    func settle(_ outcome: FollowedOutcome)
    /// Lets what was refused wait again.
    ///
    /// - Returns: whether there is any.
    func tryRefused() -> Bool
}

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
