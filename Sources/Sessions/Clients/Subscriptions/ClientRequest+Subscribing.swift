internal import Graphs
internal import Definitions
internal import Support
internal import Values

// Requests about subscriptions: sub, unsub, mod, release.
extension ClientRequest {
    func subscribe(as id: UInt64) throws(HostError) {
        let view = try graph()
        let graph = view.graph
        guard session.subscriptionCount < host.limits.subscriptions else {
            throw HostError(.subLimit, "at most \(host.limits.subscriptions) subscriptions per connection")
        }
        let options = try SubscriptionOptions(fields)
        let owners = try OwnerNames(fields, .owner)
        var request = try SnapRequest(fields, in: graph)
        guard fields[.nodes] == nil else {
            _ = try Subject.word(of: fields, among: host.definitions.catalogue.subscribable)
            try fields.refuse(.history, because: "only a single node has a history")
            try fields.refuse(.keep, because: "only a single node or pipeline can be kept")
            try fields.refuse(.via, because: "only a single node feeds one of another service")
            return try subscribeGroup(as: id, in: view, options, request, owners)
        }
        let subject = try Subject.read(fields, in: view, pipeline)
        request.keeping = try keep(subject)
        let name = session.access?.name
        try Subscription.checkWanted(under: subject.nodes, in: graph, by: session)
        if let chain = session.clients.sessions.kept.find(request.resume, of: name, subject, in: graph) {
            let subscription = session.clients.sessions.kept.pass(chain, to: session, as: id, options)
            subscription.requiredRights = session.access?.requiredRights(subject.nodes, needs: subject.needs)
            subscription.claimWanted(under: subject.nodes)
            if let owners { session.ownerTable.give(subscription, to: owners) }
            subscription.change(request.way)
            let snap = Snap(subscription, subject, request, taken: chain)
            return snap.send()
        }
        if !graph.members.families.isEmpty {
            try graph.members.checkRoom(forMembersAmong: subject.nodes, of: name)
        }
        try session.admit(subject)
        session.subscribe(to: subject, id: id, in: graph, options, request, owners)
    }

    private func subscribeGroup(
        as id: UInt64,
        in view: GraphView,
        _ options: SubscriptionOptions,
        _ request: SnapRequest,
        _ owners: OwnerNames?
    ) throws(HostError) {
        let graph = view.graph
        try fields.refuse(.pipe, because: "not together with nodes")
        try GroupSubscription.begin(
            for: session,
            id: id,
            on: try NodeSelection.read(fields, in: view, limits: host.limits),
            matching: try NodeSelection.patterns(fields) ?? [],
            in: graph,
            options,
            request,
            owners
        )
    }

    /// Reads `keep`: how long the chain of a subscription is kept after the connection ends (K-1).
    ///
    /// `auto` is 30 seconds for what has a memory, and nothing for what has none, so that clients
    /// need not know the operators.
    ///
    /// - Returns: that time, limited by the server's maximum; nil if nothing is kept.
    private func keep(_ subject: Subject) throws(HostError) -> Stage.Span? {
        guard let field = fields[.keep] else { return nil }
        if field.string == "auto", !subject.hasState { return nil }
        let text = field.string == "auto" ? "30s" : field.string
        guard let span = (text ?? field.int.map { String($0) }).flatMap({ Stage.Span($0) }) else {
            throw HostError(.badField, "keep: a time such as \"30s\", milliseconds or \"auto\" is needed")
        }
        let most = host.limits.keepMilliseconds
        return most == 0 ? nil : Stage.Span(milliseconds: min(span.milliseconds, most))
    }

    func unsubscribe(_ id: UInt64) throws(HostError) {
        if let observer = session.observer(id) { return session.end(observer, .done) }
        if let demand = session.demand(id) { return session.end(demand, .done) }
        guard let subscription = session.subscription(id) else {
            throw HostError(.unknownID, "no subscription has id \(id)")
        }
        // What happened before the request is sent before its answer.
        deliver(before: [subscription])
        if !subscription.isEnded { session.end(subscription, .done) }
    }

    func modify(_ id: UInt64) throws(HostError) {
        guard let number = try fields.integer(.sub, in: 1...9_007_199_254_740_991) else {
            throw HostError(.badField, "sub: the id of a subscription is needed")
        }
        if let observer = session.observer(UInt64(number)) {
            try fields.refuse(.addOwner, .removeOwner, because: "an observer keeps nothing alive")
            let every = try fields.integer(.every, in: Observer.shortestInterval...86_400_000)
            if let every { observer.change(every: UInt64(every)) }
            return answer { Answer.ok(id: id, to: &$0) }
        }
        guard let subscription = session.subscription(UInt64(number)) else {
            throw HostError(.unknownID, "no subscription has id \(number)")
        }
        try fields.refuse(.facets, .load, .history, because: "only allowed in 'sub'")
        let options = try SubscriptionOptions(fields, changing: subscription.options)
        let owners = try OwnerChange(fields, of: subscription)
        let way = try Way(fields)
        let waits = subscription.folded > 0 || subscription.hasNewState || subscription.queued > 0
        if options.isAll != subscription.options.isAll, waits {
            // Values of the former mode are sent in that mode, even if an interval would hold them
            // back.
            subscription.hurry()
            session.deliver()
        }
        if let way {
            subscription.change(way)
            // The ring has closed elsewhere, while its other parts were open.
            do throws(HostError) { try host.check(way) } catch { session.end(subscription, .cycle) }
        }
        guard !subscription.isEnded else { return answer { Answer.ok(id: id, to: &$0) } }
        subscription.options = options
        subscription.pipeline?.update()
        subscription.ticket?.update()
        subscription.reschedule()
        if let owners {
            session.ownerTable.change(subscription, owners) { deliver(before: [subscription]) }
        }
        answer { Answer.ok(id: id, to: &$0) }
    }

    /// `release`: removes an owner from every subscription, and ends those that have no other
    /// owner.
    func release(_ id: UInt64) throws(HostError) {
        guard let field = fields[.owner] else { throw HostError(.badField, "owner: a name is needed") }
        let name = try OwnerNames.name(field, at: "owner")
        var ended: [UInt64] = []
        var released: UInt64 = 0
        if let owners = session.owners, let owner = owners[name] {
            let owned = session.subscriptions.filter { $0.namedOwners.contains { $0 === owner } }
            deliver(before: owned)
            for subscription in owned where !subscription.isEnded {
                released += owners.remove(owner, from: subscription)
                if subscription.isEnded { ended.append(subscription.id) }
            }
        }
        answer { buffer in
            Answer.begin("ok", id: id, to: &buffer)
            buffer.append(",\"ended\":")
            buffer.append(list: ended) { $1.append(decimal: $0) }
            buffer.append(",\"released\":")
            buffer.append(decimal: released)
            buffer.append("}")
        }
    }

    /// Sends what happened before subscriptions end before their `end` messages.
    private func deliver(before ending: [Subscription]) {
        if ending.contains(where: { $0.isMarked || $0.queued > 0 }) { session.deliver() }
    }
}

extension SubscriptionOptions {
    /// Reads the options of a message; options that it does not have stay as in `former`.
    init(_ fields: Fields, changing former: SubscriptionOptions = SubscriptionOptions()) throws(HostError) {
        self = former
        if let mode = try fields.string(.mode) { isAll = try DeliveryMode(mode) == .all }
        if let every = try fields.integer(.every, in: 0...86_400_000) { self.every = UInt32(every) }
        if let queue = try fields.integer(.queue, in: 1...100_000) { self.queue = Int32(queue) }
        if let facets = try fields.bool(.facets) { hasFacets = facets }
        if let loads = try fields.bool(.load) { self.loads = loads }
        if let path = try fields.bool(.path) { hasPath = path }
    }
}
