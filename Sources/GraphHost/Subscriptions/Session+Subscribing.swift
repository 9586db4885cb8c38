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
        let owners = try OwnerNames(fields, "owner")
        let resume = try Resume(fields, in: graph)
        let keeping = try keep(fields)
        let word = try Source.word(of: fields, among: host.definitions.catalogue.subscribable)
        if fields["nodes"] != nil {
            try fields.refuse(["history"], because: "one node has a history, several have not")
            try fields.refuse(["keep"], because: "one node or pipeline has a chain, several nodes have none")
            try subscribeGroup(fields, id: id, in: view, options, resume, owners)
            return
        }
        // An existing node needs no reader.
        lazy var reading = Pipe(host)
        let source = try Source(fields, word, in: view) { reading }
        let pipe =
            try fields["pipe"].map { field throws(HostError) in try reading.stages(field.bytes) } ?? []
        if !source.isNode || !pipe.isEmpty {
            try view.requirePipe(on: source)
            try fields.refuse(["history"], because: "a node has a history, a pipeline has none")
        }
        if let chain = kept(for: resume, source, pipe, in: graph) {
            let subscription = take(chain, as: id, options)
            subscription.claim = claim(source, pipe)
            give(subscription, to: owners)
            return tellSnap(of: subscription, source, pipe, resume, chain, keeping)
        }
        try graph.checkRoom(forMembersAmong: source.nodes, of: access.name)
        try admit(source, pipe)
        subscribe(to: source, pipe, id: id, in: graph, options, resume, owners, keeping)
    }

    func subscribe(
        to source: Source,
        _ pipe: [Stage],
        id: UInt64,
        in graph: LiveGraph,
        _ options: SubscriptionOptions,
        _ resume: Resume?,
        _ owners: OwnerNames? = nil,
        _ keeping: Stage.Span? = nil,
        then: @escaping () -> Void = {}
    ) {
        let subscription = Subscription(id: id, session: self, graph: graph, options: options)
        subscription.claim = claim(source, pipe)
        give(subscription, to: owners)
        let chain = attach(subscription, source, pipe)
        guard let chain, chain.isBehind else {
            tellSnap(of: subscription, source, pipe, resume, nil, keeping)
            return then()
        }
        whenOpen(subscription, chain) { [unowned self] in
            tellSnap(of: subscription, source, pipe, resume, nil, keeping)
            then()
        }
    }

    private func claim(_ source: Source, _ pipe: [Stage]) -> Claim? {
        claim(source.nodes, needs: pipe.isEmpty && source.isNode ? .read : [.read, .pipe])
    }

    /// Answers a `sub` whose value is available; `taken` is the ticket with which the client has
    /// taken over its chain.
    private func tellSnap(
        of subscription: Subscription,
        _ source: Source,
        _ pipe: [Stage],
        _ resume: Resume?,
        _ taken: KeptChain?,
        _ keeping: Stage.Span?
    ) {
        subscription.graph.loadFor(subscription)
        let chain = subscription.pipeline?.chain
        let (graph, options) = (subscription.graph, subscription.options)
        let newest = source.nodes.lazy.compactMap { graph.node($0)?.lastChange.rev }.max() ?? graph.rev
        var isNamed = false
        var missed: Missed?
        if pipe.isEmpty, source.isNode, let node = graph.node(source.inputs[0]) {
            isNamed = true
            missed = Missed(since: resume, of: node, options, atMost: host.limits.hardBytes / 2)
        }
        if let resume, let emissions = taken?.emissions, missed?.isComplete != true {
            let kept = Missed(since: resume, emissions, atMost: host.limits.hardBytes / 2)
            if kept.isComplete { missed = kept }
        }
        let course = Resume.Course(
            source: source,
            pipe: pipe,
            change: newest,
            built: chain?.rev,
            late: graph.lateRev,
            isKept: taken != nil
        )
        let resumed = resume?.outcome(of: course, isAll: options.isAll, missed)
        let ticket = keeping.flatMap { giveTicket(to: subscription, keeping: $0) }
        answerSnap(of: subscription, change: isNamed ? newest : nil) { buffer in
            if let resumed { buffer.append(resumed.isResumed ? ",\"resumed\":true" : ",\"resumed\":false") }
            let isReplayed = options.isAll && resumed?.isResumed == true
            if options.initial, !isReplayed, resumed?.isResumed != true || resumed?.isNews == true {
                buffer.append(",")
                subscription.appendState(to: &buffer)
            } else if options.initial, options.hasFacets {
                buffer.append(",")
                subscription.appendFacets(to: &buffer)
            }
            missed?.append(isReplay: isReplayed, to: &buffer)
            if let ticket { Self.append(ticket, to: &buffer) }
            guard !isNamed else { return }
            buffer.append(",\"chain\":\"")
            buffer.append(utf8: chain?.key.hashText ?? ChainKey.hashText(source, pipe))
            buffer.append("\",\"shared\":")
            buffer.append(decimal: subscription.sharers)
            guard host.isShared, Resume.hasState(source, pipe) else { return }
            buffer.append(",\"local\":\"")
            buffer.append(utf8: host.instance)
            buffer.append("\"")
        }
        if subscription.isComplete { end(subscription, .complete) }
    }

    /// Appends `,"ticket":"…","keep":"30s"`.
    private static func append(_ ticket: KeptChain, to buffer: inout ByteBuffer) {
        buffer.append(",\"ticket\":\"")
        buffer.append(utf8: ticket.ticket.text)
        buffer.append("\",\"keep\":\"")
        buffer.append(utf8: ticket.span.text)
        buffer.append("\"")
    }

    /// Builds the chain and listens to it; from then on only the subscription holds it.
    ///
    /// - Returns: the chain's record; nil if the source is a node without stages.
    @discardableResult
    func attach(_ subscription: Subscription, _ source: Source, _ pipe: [Stage]) -> Chains.Record? {
        let me = Unmanaged.passUnretained(subscription)
        let account = account(makes: !pipe.isEmpty || !source.isNode)
        let (node, chain) = host.memberAccounts.bring(for: access.name) {
            subscription.graph.chain(source, pipe, for: account) {
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
        try fields.refuse(["pipe"], because: "not together with nodes")
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

    private func answerSnap(
        of subscription: Subscription,
        change: UInt64?,
        _ more: (inout ByteBuffer) -> Void
    ) {
        let graph = subscription.graph
        answer(id: nil, bytes: 0) { buffer in
            Answer.begin("snap", id: subscription.id, to: &buffer)
            Answer.appendCursor(of: graph, to: &buffer)
            if let change, change != graph.rev {
                buffer.append(",\"c\":")
                buffer.append(decimal: change)
            }
            Answer.appendTime(of: graph, to: &buffer)
            more(&buffer)
            buffer.append("}")
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
        guard let number = try fields.integer("sub", in: 1...9_007_199_254_740_991) else {
            throw HostError(.badField, "sub: the id of a subscription is needed")
        }
        if let observer = observer(UInt64(number)) {
            try fields.refuse(["addOwner", "removeOwner"], because: "an observer keeps nothing alive")
            let every = try fields.integer("every", in: Observer.shortestInterval...86_400_000)
            if let every { observer.change(every: UInt64(every)) }
            return answer(id: id, bytes: 0) { Answer.ok(id: id, to: &$0) }
        }
        guard let subscription = subscription(UInt64(number)) else {
            throw HostError(.unknownID, "no subscription has id \(number)")
        }
        try fields.refuse(["facets", "load"], because: "said when subscribing only")
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
        if let mode = try fields.string("mode") {
            switch mode {
            case "latest": isAll = false
            case "all": isAll = true
            default: throw HostError(.badField, "mode: latest or all is needed")
            }
        }
        if let every = try fields.integer("every", in: 0...86_400_000) { self.every = UInt64(every) }
        if let queue = try fields.integer("queue", in: 1...100_000) { self.queue = Int32(queue) }
        if let initial = try fields.bool("initial") { self.initial = initial }
        if let facets = try fields.bool("facets") { hasFacets = facets }
        if let loads = try fields.bool("load") { self.loads = loads }
        if let history = try fields.integer("history", in: 0...Notebook.longestHistory) {
            self.history = Int32(history)
        }
    }
}

extension Source {
    /// The key that says what a message subscribes to: one of `known`.
    fileprivate static func word(of fields: Fields, among known: FieldNames) throws(HostError) -> String {
        let words = fields.names(among: known)
        guard words.count == 1 else {
            throw HostError(.badField, "one of \(known.texts.joined(separator: ", ")) is needed")
        }
        return words[0]
    }

    /// The source of a message, under its `word`.
    fileprivate init(
        _ fields: Fields,
        _ word: String,
        in view: GraphView,
        reading: () -> Pipe
    ) throws(HostError) {
        if let field = fields["node"] {
            try fields.refuse(["reduce"], because: "it stands beside all")
            try fields.refuse(["map"], because: "write it as a stage of pipe")
            let node = try field.name("node").flatMap { view.graph.node(named: $0) }
            self = .from(try view.node(node, named: field.string, to: .read).name)
            return
        }
        guard let field = fields[word] else { throw HostError(.badField, "\(word): is needed") }
        let reading = reading()
        var beside: [String: Document] = [:]
        for key in Source.clientKeys {
            if let field = fields[key] { beside[key] = try reading.document(field.bytes) }
        }
        self = try reading.source(word, try reading.document(field.bytes), beside: beside, in: view)
    }
}
