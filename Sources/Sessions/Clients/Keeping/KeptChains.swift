internal import Graphs
internal import Definitions

/// The tickets of a host's clients (K-1 … K-3).
final class KeptChains {
    private(set) var tickets: [Ticket: KeptChain] = [:]
    /// The number of tickets of each principal; nil: all clients without a name together.
    private(set) var counts: [String?: Int] = [:]
    private var created: UInt64 = 0
    /// The account for chains kept for clients without a name, whose own account ended with their
    /// connection.
    private var nameless: PipelineAccount?

    var isEmpty: Bool { tickets.isEmpty }

    /// The chains that are kept now, oldest first.
    var kept: [KeptChain] {
        tickets.values.filter { $0.stay != nil }.sorted { $0.number < $1.number }
    }

    /// Gives a subscription a ticket, if its principal may have another (K-3).
    func give(
        _ subscription: Subscription,
        to principal: String?,
        keeping span: Stage.Span,
        account: @autoclosure () -> PipelineAccount?
    ) -> KeptChain? {
        guard counts[principal, default: 0] < subscription.graph.host.limits.keptChains,
            let account = account()
        else { return nil }
        created += 1
        let kept = KeptChain(created, of: subscription, for: principal, keeping: span, account: account)
        tickets[kept.ticket] = kept
        counts[principal, default: 0] += 1
        return kept
    }

    /// The chain of `principal` with that ticket; nil if the ticket is not valid.
    func find(_ ticket: Ticket, of principal: String?) -> KeptChain? {
        tickets[ticket].flatMap { $0.principal == principal ? $0 : nil }
    }

    /// The ticket is no longer valid.
    func withdraw(_ kept: KeptChain) {
        guard tickets.removeValue(forKey: kept.ticket) != nil, let count = counts[kept.principal] else {
            return
        }
        counts[kept.principal] = count > 1 ? count - 1 : nil
    }

    /// Releases all chains: the host is being freed.
    func forget() { tickets = [:] }

    /// The account for chains kept for clients without a name.
    func nameless(in host: Host) -> PipelineAccount {
        let account = nameless ?? PipelineAccount(name: nil, in: host)
        nameless = account
        return account
    }

    /// Ends chains kept for a principal whose pipelines hold as much as they may, oldest first,
    /// until there is room.
    func makeRoom(in account: PipelineAccount, of host: Host) {
        guard account.held >= host.limits.held, !isEmpty else { return }
        host.work += UInt64(tickets.count / 16)
        for chain in kept where account.held >= host.limits.held && chain.isCharged(to: account) {
            _ = chain.subscription.session.end(chain.subscription, because: "room")
        }
    }

    /// Memory is short: ends all chains that are kept.
    func releaseAll() {
        for chain in kept {
            let subscription = chain.subscription
            subscription.graph.releases.because(.pressure) {
                _ = subscription.session.end(subscription, because: "pressure")
            }
        }
    }
}
