internal import Commits
internal import ReactiveGraph

/// Clears the nodes that represent ended sessions.
///
/// If the log refuses the commit, it is tried again, as long as no other set happens: otherwise the
/// session would seem to be present for ever. If a later set is pending, it waits for the answer,
/// which may be a refusal.
package final class PresenceClearing {
    /// Milliseconds until it tries again after a refusal.
    private static var pause: UInt64 { 1_000 }

    private unowned let host: Host
    private lazy var timer = Timer { [unowned self] in timerFired() }
    /// The nodes that are not cleared yet: the log refused it, or a later set is pending.
    private var left: [(claim: Presence, by: String?)] = []

    init(_ host: Host) {
        self.host = host
    }

    /// Clears the nodes that were not set since: one commit per graph.
    package func clear(_ claims: [Presence], by principal: String?) {
        var places: [ObjectIdentifier: Int] = [:]
        var commits: [(commit: Commit, claims: [Presence])] = []
        for claim in claims where claim.isPresent {
            guard claim.stands else {
                keep([claim], by: principal)
                continue
            }
            let node = claim.node
            let key = ObjectIdentifier(node.graph)
            let place = places[key] ?? commits.count
            if place == commits.count {
                places[key] = place
                commits.append((Commit(graph: node.graph), []))
                commits[place].commit.by = principal
            }
            commits[place].commit.clear.append(node)
            commits[place].commit.conditions.append(Condition(node, .changedAt(claim.rev)))
            commits[place].claims.append(claim)
        }
        for (commit, claims) in commits {
            switch host.submit(commit) {
            case .applied: break
            case .refused: keep(claims, by: principal)
            case .pending(let pending):
                pending.onAnswer { [weak self] result in
                    if case .failure = result { self?.keep(claims, by: principal) }
                }
            }
        }
    }

    private func keep(_ claims: [Presence], by principal: String?) {
        left += claims.map { ($0, principal) }
        if !timer.isRunning { host.timers.set(timer, due: host.clock.now + Self.pause) }
    }

    func timerFired() {
        left.removeAll { !$0.claim.isPresent }
        guard !left.isEmpty else { return }
        guard host.health == .ready else { return host.timers.set(timer, due: host.clock.now + Self.pause) }
        let again = Dictionary(grouping: left) { $0.by ?? "" }
        left = []
        for (_, entries) in again.sorted(by: { $0.key < $1.key }) {
            clear(entries.map(\.claim), by: entries[0].by)
        }
    }
}
