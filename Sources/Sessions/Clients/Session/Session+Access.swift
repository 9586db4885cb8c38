public import Graphs
internal import Values

extension Session {
    /// Takes the access of a token; if the server needs none, any token is accepted.
    ///
    /// `checked` is what was found where tokens are checked elsewhere.
    func authenticate(with token: String, _ checked: Result<Access?, HostError>?) throws(HostError) {
        let access = if let checked { try checked.get() } else { try transport?.access(token: token) }
        if let access { change(to: access) }
    }

    /// The client's rights have changed: subscriptions that it may no longer have end with
    /// `forbidden`.
    ///
    /// With nil it has no rights left, and the connection is closed (4401).
    public func change(to new: Access?) {
        guard let new else {
            endConnection(4401, "unauthenticated")
            for chain in keptChains { end(chain.subscription, .forbidden) }
            return
        }
        access = new
        transport?.heldChanged()
        for case let group as GroupSubscription in subscriptions { group.isOutdated = true }
        for subscription in everySubscription where !subscription.isEnded && !isAllowed(subscription) {
            end(subscription, .forbidden)
        }
        for observer in observers where !new.observes(observer.graph) { end(observer, .forbidden) }
        for demand in demands where !demand.isAllowed(new) { end(demand, .forbidden) }
        // A stream ends with its last subscription: then nothing may be set any more.
        if !isClosed { watchExpiry() }
    }

    private func isAllowed(_ subscription: Subscription) -> Bool {
        if let access, let link = subscription as? LinkSubscription, !link.isAllowed(access) { return false }
        host.work += Access.work(looking: subscription.requiredRights?.nodes.count ?? 0)
        if let access, subscription.pipeline?.chain.chooser?.admits(access) == false { return false }
        guard let access, let claim = subscription.requiredRights else { return true }
        return claim.nodes.allSatisfy { name in
            subscription.graph.node(name).map { access.rights(on: $0).isSuperset(of: claim.needs) } ?? true
        }
    }

    // MARK: - The end of a token

    /// Sets the timer for the expiry of the token (close code 4401).
    func watchExpiry() {
        extras?.expiry?.cancel()
        extras?.expiry = nil
        guard let expires = access?.principal?.expires else { return }
        madeExtras.expiry = TokenExpiry(self, at: expires)
    }
}
