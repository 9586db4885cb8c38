internal import ReactiveGraph

// The plain stream: each message is a bare value, both ways.

extension Session {
    /// Starts the stream: the present value is sent, if there is one, and every later one.
    ///
    /// - Parameters:
    ///   - pipe: the text of a list of stages, or nothing.
    ///   - every: milliseconds between values at most.
    ///   - isAll: whether every value is sent, or the newest of each turn.
    ///   - hasFacets: whether each message is an object that says what is known besides the value, too.
    /// - Throws: what is wrong with the pipe.
    public func stream(
        pipe: UnsafeRawBufferPointer? = nil,
        every: UInt64 = 0,
        isAll: Bool = false,
        hasFacets: Bool = false
    ) throws(HostError) {
        guard case .node(let node) = form else {
            preconditionFailure("only a session for one node streams it")
        }
        var stages: [Stage] = []
        if let pipe {
            try view(of: node).require(.pipe, on: node)
            stages = try Pipe(host).stages(pipe)
            try admit(.from(node.name), stages)
        }
        try node.graph.checkRoom(forMembersAmong: [node.name])
        var options = SubscriptionOptions()
        options.every = every
        options.isAll = isAll
        options.hasFacets = hasFacets
        let subscription = Subscription(id: 1, session: self, graph: node.graph, options: options)
        subscription.claim = claim([node.name], needs: stages.isEmpty ? .read : [.read, .pipe])
        let chain = attach(subscription, .from(node.name), stages)
        let tell = { [unowned self] in
            if hasFacets {
                sendObject { subscription.appendState(to: &$0) }
            } else if let value = subscription.node?.value, !value.isFail {
                value.withBytes(send(_:))
            }
            if subscription.isComplete { end(subscription, .complete) }
        }
        if let chain, chain.isBehind { whenOpen(subscription, chain, tell) } else { tell() }
    }

    /// A value that is refused closes the connection: there is no other way to say it.
    private func refuseBare(_ error: HostError) {
        switch error.code {
        case .forbidden: finish(4403, error.code.rawValue)
        case .rateLimited: finish(4429, error.code.rawValue)
        case .engineDown, .noSpace, .notReady:
            // Spread out, so that not all come back in the same moment.
            finish(4503, "{\"after\":\(UInt64(error.after ?? 1000) + number &* 7919 % 2000)}")
        case .internalError: finish(1011, error.message)
        default: finish(4400, error.code.rawValue)
        }
    }

    /// A value from the client for the node.
    func receiveBare(_ message: UnsafeRawBufferPointer, for node: NamedNode) {
        do throws(HostError) {
            try view(of: node).require(.set, on: node)
            try rate.message(host)
            try rate.set(host)
        } catch {
            return refuseBare(error)
        }
        do throws(JSONError) {
            var commit = Commit(graph: node.graph)
            commit.set.append(Assignment(node, try Datum.parse(message)))
            commit.by = access.name
            switch host.submit(commit) {
            case .applied: break
            case .refused(let error): refuseBare(error)
            case .pending(let pending):
                pending.onAnswer { [weak self] result in
                    if case .failure(let error) = result { self?.refuseBare(error) }
                }
            }
        } catch {
            finish(4400, error.code.rawValue)
        }
    }
}
