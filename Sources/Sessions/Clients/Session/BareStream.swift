internal import Commits
internal import Graphs
internal import Definitions
internal import ReactiveGraph
internal import Support
public import Values

/// The bare stream of a session: each message is a value of one node, in both directions.
struct BareStream {
    let session: Session
    let node: NamedNode

    private var view: GraphView {
        get throws(HostError) {
            try GraphView(node.graph, for: session.access ?? .nobody)
        }
    }

    /// Sends the present value, if there is one, and every later one.
    ///
    /// - Throws: the problems of the pipe.
    func start(_ options: StreamOptions) throws(HostError) {
        // The graph or the node may have been removed since the connection was opened.
        guard node.graph.isShown else { throw session.host.noGraph }
        let node = node.present
        guard node.isThere else {
            throw HostError(.unknownNode, "no node \(node.name) in \(node.graph.name)", node: node.name)
        }
        var stages: [Stage] = []
        if options.pipe != nil {
            try view.require(.pipe, on: node)
            stages = try options.stages(on: session.host) ?? []
            try session.admit(Subject(origin: .node(node), pipe: stages))
        }
        try node.graph.members.checkRoom(forMembersAmong: [node.name], of: session.access?.name)
        try Subscription.checkWanted(under: [node.name], in: node.graph, by: session)
        let subscription = Subscription(
            id: 1,
            session: session,
            graph: node.graph,
            options: SubscriptionOptions(options)
        )
        let needs: Rights = stages.isEmpty ? .read : [.read, .pipe]
        subscription.requiredRights = session.access?.requiredRights([node.name], needs: needs)
        let chain = subscription.begin(on: Subject(origin: .node(node), pipe: stages))
        subscription.askForValues()
        let answer = {
            if options.hasFacets {
                sendObject(rev: node.graph.rev) { subscription.appendState(to: &$0) }
            } else if options.initial {
                send(subscription.node?.value, rev: stages.isEmpty ? node.lastChange.rev : node.graph.rev)
            }
            if subscription.isComplete { session.end(subscription, .complete) }
        }
        if let chain, chain.isBehind { subscription.whenCaughtUp(chain, answer) } else { answer() }
    }

    /// Sends each value alone; with facets, entries like those of `upd`.
    func deliver(_ marked: ContiguousArray<Subscription>, _ emissions: ContiguousArray<QueuedEmission>) {
        for emission in emissions {
            let rev = emission.commit.stamp.rev
            if emission.subscription.options.hasFacets {
                sendObject(rev: rev) { buffer in
                    if let state = emission.content as? NodeEmission {
                        return state.appendContent(to: &buffer)
                    }
                    Subscription.append(Subscription.value(emission.content), to: &buffer)
                }
            } else {
                send(Subscription.value(emission.content), rev: rev)
            }
            emission.subscription.delivered()
        }
        for subscription in marked {
            if subscription.options.hasFacets {
                sendObject(rev: node.graph.rev) { subscription.appendNews(to: &$0) }
            } else {
                send(subscription.node?.value, rev: node.graph.rev)
            }
            subscription.delivered()
        }
    }

    /// Handles a value for the node from the client.
    func receive(_ message: BorrowedBytes) {
        do throws(HostError) {
            do throws(HostError) {
                try view.require(.set, on: node)
            } catch {
                session.transport?.acted(SessionAct("value", on: node.graph, .failure(error)))
                throw error
            }
            try session.clients.rates.countMessage(of: session.requester)
            try session.clients.rates.countSet(of: session.requester)
        } catch {
            return refuse(error)
        }
        do throws(JSONError) {
            var commit = Commit(graph: node.graph)
            commit.set.append(Assignment(node, try Datum.parse(message)))
            commit.by = session.access?.name
            switch session.host.submit(commit) {
            case .applied(let applied):
                guard session.clients.recordsSets else { return }
                session.transport?.acted(SessionAct("value", on: node.graph, .success(applied)))
            case .refused(let error): refuse(error)
            case .pending(let pending):
                let isRecorded = session.clients.recordsSets
                pending.onAnswer { [weak session, weak transport = session.transport, node] result in
                    if isRecorded {
                        transport?.acted(SessionAct("value", on: node.graph, result))
                    }
                    guard let session, case .failure(let error) = result else { return }
                    BareStream(session: session, node: node).refuse(error)
                }
            }
        } catch {
            session.endConnection(4400, error.code.rawValue)
        }
    }

    private func send(_ value: Datum?, rev: UInt64) {
        session.send(Outgoing(value, of: node.graph, rev: rev))
    }

    private func sendObject(rev: UInt64, _ members: (inout ByteBuffer) -> Void) {
        let message = session.clients.dispatcher.message(.value, of: node.graph, rev: rev) { buffer in
            buffer.append("{")
            members(&buffer)
            buffer.append("}")
        }
        session.send(message)
    }

    /// A refused value closes the connection, because the stream has no error messages.
    private func refuse(_ error: HostError) {
        switch error.code {
        case .forbidden: session.endConnection(4403, error.code.rawValue)
        case .rateLimited: session.endConnection(4429, error.code.rawValue)
        case .engineDown, .noSpace, .notReady:
            // Spread out, so that not all clients reconnect at the same moment.
            let after = UInt64(error.after ?? 1000) + session.number &* 7919 % 2000
            session.endConnection(4503, "{\"after\":\(after)}")
        case .internalError: session.endConnection(1011, error.message)
        default: session.endConnection(4400, error.code.rawValue)
        }
    }
}

extension Session {
    /// Starts the stream of a session for one node (``SessionForm/node(_:)``).
    ///
    /// With facets each message is an object.
    ///
    /// - Throws: the problems of the pipe.
    public func stream(_ options: StreamOptions = StreamOptions()) throws(HostError) {
        guard case .node(let node) = form else {
            preconditionFailure("only a session for one node streams it")
        }
        try BareStream(session: self, node: node).start(options)
    }
}
