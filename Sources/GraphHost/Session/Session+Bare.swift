internal import ReactiveGraph

// The bare stream: each message is a bare value, in both directions.

extension Session {
    /// Starts the stream: sends the present value, if there is one, and every later one.
    ///
    /// With facets each message is an object.
    ///
    /// - Throws: the problems of the pipe.
    public func stream(_ options: StreamOptions = StreamOptions()) throws(HostError) {
        guard case .node(let node) = form else {
            preconditionFailure("only a session for one node streams it")
        }
        var stages: [Stage] = []
        if options.pipe != nil {
            try view(of: node).require(.pipe, on: node)
            stages = try options.stages(on: host) ?? []
            try admit(.from(node.name), stages)
        }
        try node.graph.checkRoom(forMembersAmong: [node.name], of: access.name)
        let subscription = Subscription(
            id: 1,
            session: self,
            graph: node.graph,
            options: SubscriptionOptions(options)
        )
        subscription.claim = claim([node.name], needs: stages.isEmpty ? .read : [.read, .pipe])
        let chain = attach(subscription, Subject(node, stages))
        node.graph.loadFor(subscription)
        let tell = { [unowned self] in
            if options.hasFacets {
                sendObject { subscription.appendState(to: &$0) }
            } else if let value = subscription.node?.value, !value.isFail {
                value.withBytes(send(_:))
            }
            if subscription.isComplete { end(subscription, .complete) }
        }
        if let chain, chain.isBehind { whenOpen(subscription, chain, tell) } else { tell() }
    }

    /// A refused value closes the connection, because the stream has no error messages.
    private func refuseBare(_ error: HostError) {
        switch error.code {
        case .forbidden: finish(4403, error.code.rawValue)
        case .rateLimited: finish(4429, error.code.rawValue)
        case .engineDown, .noSpace, .notReady:
            // Spread out, so that not all clients reconnect at the same moment.
            finish(4503, "{\"after\":\(UInt64(error.after ?? 1000) + number &* 7919 % 2000)}")
        case .internalError: finish(1011, error.message)
        default: finish(4400, error.code.rawValue)
        }
    }

    /// Handles a value for the node from the client.
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
