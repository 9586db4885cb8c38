internal import ReactiveGraph
internal import Support

extension Session {
    // MARK: - sub

    func subscribe(_ fields: Fields, id: UInt64) throws(HostError) {
        let view = try graph(fields)
        let graph = view.graph
        guard subscriptionCount < host.limits.subscriptions else {
            throw HostError(.subLimit, "at most \(host.limits.subscriptions) subscriptions per connection")
        }
        let options = try SubscriptionOptions(fields)
        let owners = try OwnerNames(fields, .owner)
        let resume = try Resume(fields, in: graph)
        let keeping = try keep(fields)
        guard fields[.nodes] == nil else {
            _ = try Subject.word(of: fields, among: host.definitions.catalogue.subscribable)
            try fields.refuse(.history, because: "only a single node has a history")
            try fields.refuse(.keep, because: "only a single node or pipeline can be kept")
            return try subscribeGroup(fields, id: id, in: view, options, resume, owners)
        }
        let subject = try Subject.read(fields, in: view)
        if let chain = kept(for: resume, subject, in: graph) {
            let subscription = take(chain, as: id, options)
            subscription.claim = claim(subject.nodes, needs: subject.needs)
            give(subscription, to: owners)
            return tellSnap(of: subscription, subject, resume, chain, keeping)
        }
        if !graph.families.isEmpty {
            try graph.checkRoom(forMembersAmong: subject.nodes, of: access.name)
        }
        if case .pipeline(let source, let pipe) = subject { try admit(source, pipe) }
        subscribe(to: subject, id: id, in: graph, options, resume, owners, keeping)
    }

    func subscribe(
        to subject: Subject,
        id: UInt64,
        in graph: LiveGraph,
        _ options: SubscriptionOptions,
        _ resume: Resume?,
        _ owners: OwnerNames? = nil,
        _ keeping: Stage.Span? = nil,
        then: @escaping () -> Void = {}
    ) {
        let subscription = Subscription(id: id, session: self, graph: graph, options: options)
        subscription.claim = claim(subject.nodes, needs: subject.needs)
        give(subscription, to: owners)
        let chain = attach(subscription, subject)
        guard let chain, chain.isBehind else {
            tellSnap(of: subscription, subject, resume, nil, keeping)
            return then()
        }
        whenOpen(subscription, chain) { [unowned self] in
            tellSnap(of: subscription, subject, resume, nil, keeping)
            then()
        }
    }

    /// Lets a subscription listen, to a chain that is built for it where there is none; from then
    /// on only it holds that.
    ///
    /// - Returns: what is known of the chain; nil for a node as it stands.
    @discardableResult
    func attach(_ subscription: Subscription, _ subject: Subject) -> Chains.Record? {
        let graph = subscription.graph
        switch subject {
        case .node(let node):
            let living = host.memberAccounts.bring(for: access.name) { graph.materialise(node) }
            add(subscription)
            subscription.begin(on: living)
            return nil
        case .pipeline(let source, let pipe):
            let me = Unmanaged.passUnretained(subscription)
            let account = account(makes: true)
            let (node, chain) = host.memberAccounts.bring(for: access.name) {
                graph.chain(source, pipe, for: account) {
                    me._withUnsafeGuaranteedRef { $0.isComplete = true }
                }
            }
            add(subscription)
            subscription.begin(on: node)
            if let chain, let account {
                subscription.pipeline = PipelineUse(chain, by: subscription, for: account)
            }
            return chain
        }
    }

    /// Calls `tell` once the first value of a new subscription is available, if its principal has
    /// no units left for it now.
    ///
    /// Requests of the session that arrive meanwhile wait for it.
    func whenOpen(_ subscription: Subscription, _ chain: Chains.Record, _ tell: @escaping () -> Void) {
        let options = subscription.options
        subscription.mute()
        let entry = waits(subscription.id)
        chain.whenOpen { [weak self] in
            entry.state = .due {
                guard !subscription.isEnded else { return }
                subscription.open(options)
                tell()
            }
            self?.goOnLater()
        }
    }

    private func subscribeGroup(
        _ fields: Fields,
        id: UInt64,
        in view: GraphView,
        _ options: SubscriptionOptions,
        _ resume: Resume?,
        _ owners: OwnerNames?
    ) throws(HostError) {
        let graph = view.graph
        try fields.refuse(.pipe, because: "not together with nodes")
        let nodes = try NodeSelection.read(fields, in: view, limits: host.limits)
        try graph.checkRoom(forMembersAmong: nodes.map(\.name), of: access.name)
        let subscription = GroupSubscription(
            id: id,
            session: self,
            graph: graph,
            options: options,
            patterns: try NodeSelection.patterns(fields) ?? []
        )
        subscription.claim = claim(nodes.map(\.name), needs: .read)
        give(subscription, to: owners)
        add(subscription)
        host.memberAccounts.bring(for: access.name) {
            subscription.listen(to: nodes.map { ($0.name, graph.materialise($0)) })
        }
        graph.loadFor(subscription)
        answerSnap(of: subscription, change: nil) { buffer in
            let missed = options.isAll ? subscription.missed(since: resume, of: nodes) : nil
            let isResumed = options.isAll ? missed != nil : resume.map(subscription.goesOn) == true
            if resume != nil { buffer.append(isResumed ? ",\"resumed\":true" : ",\"resumed\":false") }
            if isResumed, let missed {
                missed.append(to: &buffer)
                guard options.initial, options.hasFacets else { return }
                buffer.append(",")
                return subscription.appendState(of: [], to: &buffer)
            }
            guard options.initial else { return }
            buffer.append(",")
            guard let resume, isResumed else {
                subscription.appendState(to: &buffer)
                return
            }
            let newer = nodes.filter { $0.lastChange.rev > resume.rev }.map(\.name)
            subscription.appendState(of: Set(newer), to: &buffer)
        }
    }

    // MARK: - unsub, mod

    func unsubscribe(id: UInt64) throws(HostError) {
        if let observer = observer(id) { return end(observer, .done) }
        if let demand = demand(id) { return end(demand, .done) }
        guard let subscription = subscription(id) else {
            throw HostError(.unknownID, "no subscription has id \(id)")
        }
        // What happened before the request is sent before its answer.
        if subscription.isMarked || subscription.queued > 0 { deliver(host.sessions.latest) }
        if !subscription.isEnded { end(subscription, .done) }
    }

    func modify(_ fields: Fields, id: UInt64) throws(HostError) {
        guard let number = try fields.integer(.sub, in: 1...9_007_199_254_740_991) else {
            throw HostError(.badField, "sub: the id of a subscription is needed")
        }
        if let observer = observer(UInt64(number)) {
            try fields.refuse(.addOwner, .removeOwner, because: "an observer keeps nothing alive")
            let every = try fields.integer(.every, in: Observer.shortestInterval...86_400_000)
            if let every { observer.change(every: UInt64(every)) }
            return answer(id: id, bytes: 0) { Answer.ok(id: id, to: &$0) }
        }
        guard let subscription = subscription(UInt64(number)) else {
            throw HostError(.unknownID, "no subscription has id \(number)")
        }
        try fields.refuse(.facets, .load, because: "only allowed in 'sub'")
        let options = try SubscriptionOptions(fields, changing: subscription.options)
        let owners = try OwnerChange(fields, of: subscription)
        let waits = subscription.folded > 0 || subscription.hasNewState || subscription.queued > 0
        if options.isAll != subscription.options.isAll, waits {
            // Values of the former mode are sent in that mode, even if an interval would hold them
            // back.
            subscription.hurry()
            deliver(host.sessions.latest)
        }
        subscription.options = options
        subscription.pipeline?.update()
        subscription.ticket?.update()
        subscription.reschedule()
        if let owners { change(subscription, owners) }
        answer(id: id, bytes: 0) { Answer.ok(id: id, to: &$0) }
    }
}

extension SubscriptionOptions {
    /// Reads the options of a message; options that it does not have stay as in `former`.
    init(_ fields: Fields, changing former: SubscriptionOptions = SubscriptionOptions()) throws(HostError) {
        self = former
        if let mode = try fields.string(.mode) {
            switch mode {
            case "latest": isAll = false
            case "all": isAll = true
            default: throw HostError(.badField, "mode: latest or all is needed")
            }
        }
        if let every = try fields.integer(.every, in: 0...86_400_000) { self.every = UInt64(every) }
        if let queue = try fields.integer(.queue, in: 1...100_000) { self.queue = Int32(queue) }
        if let initial = try fields.bool(.initial) { self.initial = initial }
        if let facets = try fields.bool(.facets) { hasFacets = facets }
        if let loads = try fields.bool(.load) { self.loads = loads }
        if let history = try fields.integer(.history, in: 0...Notebook.longestHistory) {
            self.history = Int32(history)
        }
    }
}
