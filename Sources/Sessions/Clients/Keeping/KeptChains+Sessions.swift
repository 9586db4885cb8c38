internal import Graphs
internal import Definitions
internal import ReactiveGraph

// Chains that outlive their connection, and pass to another.
extension KeptChains {
    // MARK: - The end of a connection

    /// The connection has ended: chains with a ticket are kept for the time of the ticket.
    func keepChains(of session: Session, _ reason: CloseReason) {
        guard !isEmpty else { return }
        for subscription in session.subscriptions {
            guard let chain = subscription.ticket, subscription.graph.isLive else { continue }
            keep(chain, of: session, reason)
        }
    }

    private func keep(_ chain: KeptChain, of session: Session, _ reason: CloseReason) {
        let (subscription, host) = (chain.subscription, session.host)
        if chain.principal == nil {
            let account = nameless(in: host)
            chain.charge(account)
            // There is no room: it is released with the others.
            guard account.held <= host.limits.held else { return }
        }
        session.reportEnd(of: subscription, because: reason.rawValue)
        disown(subscription)
        subscription.park()
        session.remove(subscription)
        chain.keep()
        subscription.graph.demand?.keepingChanged(subscription)
        session.madeExtras.keptChains.append(chain)
        subscription.graph.clients.keptChains += 1
        subscription.graph.clients.ownerChanges += 1
    }

    /// A ticket is no longer valid: its subscription has ended, or another connection takes it
    /// over.
    ///
    /// A closed session ends with its last kept chain.
    func forget(_ chain: KeptChain) {
        let (subscription, session) = (chain.subscription, chain.subscription.session)
        subscription.ticket = nil
        withdraw(chain)
        chain.end()
        guard chain.stay != nil else { return }
        session.extras?.keptChains.removeAll { $0 === chain }
        subscription.graph.clients.keptChains -= 1
        subscription.graph.clients.ownerChanges += 1
        if session.keptChains.isEmpty { session.clients.sessions.queueForRelease(session) }
    }

    // MARK: - Taking over

    /// The chain of the client's ticket, if it has this pipeline.
    func find(
        _ resume: Resume?,
        of principal: String?,
        _ subject: Subject,
        in graph: LiveGraph
    ) -> KeptChain? {
        guard let resume, resume.isResumed, let ticket = resume.ticket else { return nil }
        let chain = find(ticket, of: principal)
        return chain?.isKept(of: subject, in: graph) == true ? chain : nil
    }

    /// `session` takes over a chain from another connection, which may still be open from the
    /// server's view (K-2).
    func pass(
        _ chain: KeptChain,
        to session: Session,
        as id: UInt64,
        _ options: SubscriptionOptions
    ) -> Subscription {
        let subscription = chain.subscription
        let (former, formerID) = (subscription.session, subscription.id)
        let wasOpen = !subscription.isKept
        subscription.pipeline?.chain.catchUp(paying: session.account(makes: true))
        former.reportEnd(of: subscription, because: "resumed")
        if wasOpen {
            former.outbox.unmark(subscription)
            former.outbox.queue.drop(of: [subscription])
            disown(subscription)
            former.remove(subscription)
            subscription.graph.clients.ownerChanges += 1
        }
        chain.noteUnsent()
        forget(chain)
        subscription.move(to: session, as: id, options)
        session.adopt(subscription)
        subscription.graph.demand?.keepingChanged(subscription)
        if subscription.pipeline != nil, let account = session.account(makes: true) {
            subscription.charge(account)
        }
        subscription.pipeline?.update()
        // The old connection's transport may fail; nothing depends on this message.
        if wasOpen { former.sendEnd(of: formerID, .done, released: 0) }
        return subscription
    }

    /// Removes the named owners of a subscription that continues.
    private func disown(_ subscription: Subscription) {
        subscription.session.owners?.forget(subscription.namedOwners)
        subscription.leaveOwners()
    }
}

extension KeptChain {
    /// Whether the subscription has that pipeline.
    fileprivate func isKept(of subject: Subject, in graph: LiveGraph) -> Bool {
        guard subscription.graph === graph else { return false }
        let record = subscription.pipeline?.chain
        guard let node = subject.node else { return record?.isChain(of: subject) == true }
        return record == nil && subscription.node.flatMap { graph.name(of: $0) }?.name == node.name
    }
}

extension Subscription {
    func charge(_ account: PipelineAccount) {
        guard let former = pipeline, former.account !== account else { return }
        pipeline = PipelineUse(former.chain, by: self, for: account)
        former.end(session.host)
    }
}
