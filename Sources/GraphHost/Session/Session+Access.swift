internal import ReactiveGraph
internal import Support

extension Session {
    /// The graph that a message names, as this session sees it.
    ///
    /// - Throws: `unknown_graph`, also for graphs in which the peer may see nothing; `not_ready`.
    func graph(_ fields: Fields) throws(HostError) -> GraphView {
        guard let name = fields[.graph] else { throw HostError(.badField, "graph: a name is needed") }
        guard let access = access.access else {
            throw HostError(.unauthenticated, "send hello with a token first")
        }
        guard let graph = try name.name(.graph).flatMap({ host.graph(named: $0) }) else {
            throw host.noGraph
        }
        return try GraphView(graph, for: access)
    }

    /// The graph of a node that was found already, as this session sees it.
    func view(of node: NamedNode) throws(HostError) -> GraphView {
        try GraphView(node.graph, for: access.access ?? Access(everybody: []))
    }

    /// `auth`: the client sends another token before its present one expires.
    func authenticate(_ fields: Fields, id: UInt64?) throws(HostError) {
        guard let token = try fields.string(.token) else {
            throw HostError(.badField, "token: a string is needed")
        }
        try show(token)
        greeted()
        let expires = secondsLeft
        answer(id: id, bytes: 0) { buffer in
            Answer.begin("ok", id: id, to: &buffer)
            Self.append(expires: expires, to: &buffer)
            buffer.append("}")
        }
    }

    /// Takes the access of a token; if the server needs none, any token is accepted.
    func show(_ token: String) throws(HostError) {
        guard let authenticate = access.authenticate else { return }
        change(to: try authenticate(token))
    }

    /// The client's rights have changed: subscriptions that it may no longer have end with
    /// `forbidden`.
    ///
    /// With nil it has no rights left, and the connection is closed (4401).
    public func change(to new: Access?) {
        guard let new else {
            finish(4401, "unauthenticated")
            return endKept(.forbidden)
        }
        access.access = new
        for case let group as GroupSubscription in subscriptions { group.isOutdated = true }
        for subscription in everySubscription where !subscription.isEnded && !isAllowed(subscription) {
            end(subscription, .forbidden)
        }
        for observer in observers where !new.observes(observer.graph) { end(observer, .forbidden) }
        for demand in demands where !demand.isAllowed(new) { end(demand, .forbidden) }
        // A stream ends with its last subscription: then nothing may be set any more.
        guard !isClosed else { return }
        watchExpiry()
    }

    private func isAllowed(_ subscription: Subscription) -> Bool {
        if let access = access.access, subscription.pipeline?.chain.allMembers?.admits(access) == false {
            return false
        }
        guard let access = access.access, let claim = subscription.claim else { return true }
        return claim.nodes.allSatisfy { name in
            subscription.graph.node(name).map { access.rights(on: $0).isSuperset(of: claim.needs) } ?? true
        }
    }

    /// The rights that a subscription depends on, if the server has authentication.
    func claim(_ nodes: @autoclosure () -> [String], needs: Rights) -> Claim? {
        access.access?.principal == nil ? nil : Claim(nodes: nodes(), needs: needs)
    }

    // MARK: - The end of a token

    /// Whole seconds until the token expires; nil: never.
    var secondsLeft: UInt64? {
        guard let expires = access.access?.principal?.expires else { return nil }
        let now = host.clock.wall
        return expires > now ? (expires - now) / 1000 : 0
    }

    /// Sets the alarm for the expiry of the token (close code 4401).
    func watchExpiry() {
        expiry?.cancel()
        expiry = access.access?.principal?.expires.map { TokenExpiry(self, at: $0) }
    }

    static func append(expires: UInt64?, to buffer: inout ByteBuffer) {
        guard let expires else { return }
        buffer.append(",\"expires\":")
        buffer.append(decimal: expires)
    }
}

/// The nodes of a subscription, and the rights on them that it needs to continue.
final class Claim {
    let nodes: [String]
    let needs: Rights

    init(nodes: [String], needs: Rights) {
        self.nodes = nodes
        self.needs = needs
    }
}

/// Closes a session whose token expires.
final class TokenExpiry {
    private unowned let session: Session
    private let moment: UInt64
    private lazy var timer = Timer { [unowned self] in ring() }

    init(_ session: Session, at moment: UInt64) {
        self.session = session
        self.moment = moment
        set()
    }

    /// Alarms use a clock without dates, so a long wait is split and checked again.
    private func set() {
        let host = session.host
        let wall = host.clock.wall
        let left = moment > wall ? min(moment - wall, 3_600_000) : 0
        host.timers.set(timer, due: host.clock.now + left)
    }

    func cancel() {
        session.host.timers.cancel(timer)
    }

    func ring() {
        if session.host.clock.wall < moment { return set() }
        session.finish(4401, "token_expired")
    }
}
