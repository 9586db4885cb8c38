internal import ReactiveGraph
internal import Support

extension Session {
    /// The subscriptions of this session, kept ones included.
    var everySubscription: [Subscription] { subscriptions + keptChains.map(\.subscription) }

    /// Reads `keep`: how long the chain of a subscription is kept after the connection ends (K-1).
    ///
    /// - Returns: that time, limited by the server's maximum; nil if nothing is kept.
    func keep(_ fields: Fields) throws(HostError) -> Stage.Span? {
        guard let span = try fields.span(.keep) else { return nil }
        let most = host.limits.keepMilliseconds
        return most == 0 ? nil : Stage.Span(milliseconds: min(span.milliseconds, most))
    }

    /// Gives a subscription a ticket; nil if its principal has as many as it may.
    func giveTicket(to subscription: Subscription, keeping span: Stage.Span) -> KeptChain? {
        guard !subscription.isComplete else { return nil }
        let ticket = host.sessions.kept.give(
            subscription,
            to: access.name,
            keeping: span,
            account: account(makes: true)
        )
        subscription.ticket = ticket
        return ticket
    }

    // MARK: - The end of the connection

    /// The connection has ended: chains with a ticket are kept for the time of the ticket.
    func keepChains(_ reason: CloseReason) {
        guard !host.sessions.kept.isEmpty, reason != .shutdown else { return }
        for subscription in subscriptions {
            guard let chain = subscription.ticket, subscription.graph.isLive else { continue }
            keep(chain, reason)
        }
    }

    private func keep(_ chain: KeptChain, _ reason: CloseReason) {
        let subscription = chain.subscription
        if chain.principal == nil {
            let account = host.sessions.kept.nameless(in: host)
            chain.charge(account)
            // There is no room: it is released with the others.
            guard account.held <= host.limits.held else { return }
        }
        tellLeaving(subscription, because: reason.rawValue)
        disown(subscription)
        subscription.park()
        count(subscription, -1)
        chain.keep()
        subscription.graph.demand?.keepingChanged(subscription)
        keptChains.append(chain)
        subscription.graph.keptChains += 1
        subscription.graph.ownerChanges += 1
    }

    /// A ticket is no longer valid: its subscription has ended, or another connection has taken it
    /// over.
    ///
    /// The session ends with its last kept chain.
    func forget(_ chain: KeptChain) {
        let subscription = chain.subscription
        subscription.ticket = nil
        host.sessions.kept.withdraw(chain)
        chain.end()
        guard chain.stay != nil else { return }
        keptChains.removeAll { $0 === chain }
        subscription.graph.keptChains -= 1
        subscription.graph.ownerChanges += 1
        if keptChains.isEmpty { host.sessions.leave(self) }
    }

    /// Ends all chains that are kept for the client.
    func endKept(_ code: EndCode) {
        for chain in keptChains { end(chain.subscription, code) }
    }

    /// The subscription to release next: those without a kept chain first, newest first, then
    /// expired chains.
    var nextToRelease: Subscription? {
        newest ?? keptChains.last { $0.isExpired }?.subscription
    }

    /// Whether everything that is not kept has been released.
    var isReleased: Bool { nextToRelease == nil }

    // MARK: - Taking over

    /// The chain of this client's ticket, if it has this pipeline.
    func kept(for resume: Resume?, _ subject: Subject, in graph: LiveGraph) -> KeptChain? {
        guard let resume, resume.isResumed, let ticket = resume.ticket else { return nil }
        let chain = host.sessions.kept.find(ticket, of: access.name)
        return chain?.isKept(of: subject, in: graph) == true ? chain : nil
    }

    /// Takes over a chain from another connection, which may still be open from the server's view
    /// (K-2).
    func take(_ chain: KeptChain, as id: UInt64, _ options: SubscriptionOptions) -> Subscription {
        let subscription = chain.subscription
        let (former, formerID) = (subscription.session, subscription.id)
        let wasOpen = !subscription.isKept
        former.tellLeaving(subscription, because: "resumed")
        if wasOpen { former.handOver(subscription) }
        adopt(subscription)
        former.forget(chain)
        subscription.move(to: self, as: id, options)
        subscription.graph.demand?.keepingChanged(subscription)
        if subscription.pipeline != nil, let account = account(makes: true) { subscription.charge(account) }
        subscription.pipeline?.update()
        // The old connection's sink may fail; nothing depends on this message.
        if wasOpen { former.tellEnd(of: formerID, .done, released: 0) }
        return subscription
    }

    /// Another connection takes over a subscription of this session, which is still open.
    private func handOver(_ subscription: Subscription) {
        unmark(subscription)
        dropQueues(of: [subscription])
        disown(subscription)
        count(subscription, -1)
        subscription.graph.ownerChanges += 1
    }

    /// Removes the named owners of a subscription that continues.
    private func disown(_ subscription: Subscription) {
        forget(subscription.namedOwners)
        subscription.leaveOwners()
    }
}

extension KeptChain {
    /// Whether the subscription has that pipeline.
    fileprivate func isKept(of subject: Subject, in graph: LiveGraph) -> Bool {
        guard subscription.graph === graph else { return false }
        let record = subscription.pipeline?.chain
        switch subject {
        case .node(let node):
            return record == nil && subscription.node.flatMap { graph.name(of: $0) }?.name == node.name
        case .pipeline(let source, let pipe): return record?.isChain(of: source, pipe) == true
        }
    }
}

extension Subscription {
    /// Whether its connection has ended.
    ///
    /// A kept subscription makes its nodes not wanted.
    var isKept: Bool { ticket?.stay != nil }

    /// Charges another account for its pipeline.
    func charge(_ account: PipelineAccount) {
        guard let former = pipeline, former.account !== account else { return }
        pipeline = PipelineUse(former.chain, by: self, for: account)
        former.end(session.host)
    }
}

extension Fields {
    /// A field with a length of time: `"30s"`, or whole milliseconds.
    fileprivate func span(_ name: FieldName) throws(HostError) -> Stage.Span? {
        guard let field = self[name] else { return nil }
        guard let span = (field.string ?? field.int.map { String($0) }).flatMap({ Stage.Span($0) }) else {
            throw HostError(.badField, "\(name.text): a time such as \"30s\" is needed, or milliseconds")
        }
        return span
    }
}
