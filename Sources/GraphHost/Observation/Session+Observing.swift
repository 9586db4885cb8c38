internal import Support

extension Session {
    // MARK: - observe

    func observe(_ fields: Fields, id: UInt64) throws(HostError) {
        let view = try graph(fields)
        try view.requireObservation()
        try fields.refuse(.owner, because: "an observer keeps nothing alive")
        let graph = view.graph
        let limits = host.limits
        guard observers.count < limits.observers else {
            throw HostError(.subLimit, "at most \(limits.observers) observers per connection")
        }
        let every = try fields.integer(.every, in: Observer.shortestInterval...86_400_000) ?? 250
        let surroundings = try surroundings(fields, in: view)
        let observer = Observer(
            id: id,
            session: self,
            graph: graph,
            every: UInt64(every),
            members: try members(fields),
            around: surroundings
        )
        let message = observer.begin()
        guard message.count <= limits.hardBytes / 2 else {
            var error = HostError(.tooLarge, "\(graph.name) is too large for one message; see GET …/graph")
            error.hint = "observe a part of it with 'around' and 'depth'"
            throw error
        }
        observers.append(observer)
        observer.start()
        answer(id: nil, bytes: 0) { $0.append(message) }
    }

    /// Reads `members`: the names of family members to show.
    private func members(_ fields: Fields) throws(HostError) -> [String]? {
        guard let field = fields[.members] else { return nil }
        try fields.refuse(.around, because: "not together with 'members'")
        let problem = HostError(
            .badField,
            "members: a list of at most \(Observer.mostMembers) names is needed"
        )
        guard field.kind == .array else { throw problem }
        var names: [String] = []
        for element in field.elements {
            guard let name = element.string, names.count < Observer.mostMembers else { throw problem }
            names.append(name)
        }
        return names
    }

    /// Reads `around` and `depth`.
    private func surroundings(_ fields: Fields, in view: GraphView) throws(HostError) -> Surroundings? {
        let depth = try fields.integer(.depth, in: Surroundings.depths)
        guard let node = try fields.string(.around) else {
            if depth != nil { throw Surroundings.depthAlone }
            return nil
        }
        let surroundings = Surroundings(of: node, depth: depth)
        try view.require(surroundings)
        return surroundings
    }

    func observer(_ id: UInt64) -> Observer? {
        observers.first { $0.id == id }
    }

    /// Ends one observation and sends the client the reason.
    ///
    /// It frees nothing, because it held nothing.
    func end(_ observer: Observer, _ code: EndCode) {
        observer.cancel()
        observers.removeAll { $0 === observer }
        answer(id: nil, bytes: 0) { Answer.end(id: observer.id, code, released: 0, to: &$0) }
    }

    /// Ends all observations without a message.
    func dropObservers() {
        for observer in observers { observer.cancel() }
        observers = []
    }

    /// Whether the peer is fast enough to get more messages.
    var hasRoom: Bool { sink.map { $0.unsentBytes <= host.limits.softBytes } ?? false }

    /// Notifies the graph's observers if this is the session's last subscription to it.
    func tellLeaving(_ subscription: Subscription, because reason: @autoclosure () -> String) {
        guard let watch = subscription.graph.chains.watch else { return }
        if let chain = subscription.ticket, subscription.isKept {
            return watch.leaves(Picture.Listener(chain), because: reason())
        }
        let graph = subscription.graph
        let others = subscriptions.contains { $0 !== subscription && $0.graph === graph }
        guard !others, let listener = Picture.Listener(self, in: graph) else { return }
        watch.leaves(listener, because: reason())
    }
}
