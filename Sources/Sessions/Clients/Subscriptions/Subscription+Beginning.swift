internal import Definitions
internal import Graphs
internal import Values
internal import ReactiveGraph

extension Subscription {
    /// Listens to a node as it stands, or to a chain that is built where there is none; from then
    /// on only the subscription holds that.
    ///
    /// - Returns: what is known of the chain; nil for a node.
    @discardableResult
    func begin(on subject: Subject) -> Chains.Record? {
        claimWanted(under: subject.nodes, subject.source)
        let (session, builder) = (session, graph.builder)
        if let node = subject.node {
            let living =
                node.living == nil
                ? charging { builder.materialise(node) } : builder.materialise(node)
            session.add(self)
            begin(on: living)
            return nil
        }
        let account = session.account(makes: true)
        let (node, chain) = charging { builder.chain(subject, of: self, for: account) }
        session.add(self)
        begin(on: node)
        if let chain, let account { pipeline = PipelineUse(chain, by: self, for: account) }
        return chain
    }

    /// Throws `sub_limit` if a session's principal may not keep wanted what a subscription to these
    /// nodes would (S-7).
    static func checkWanted(
        under names: [String],
        _ source: Source? = nil,
        in graph: LiveGraph,
        by session: Session
    ) throws(HostError) {
        guard session.kind != .sink else { return }
        try WantedClaim.checkRoom(for: session.access?.name, listeningTo: names, source, in: graph)
    }

    /// What it keeps wanted of source families by listening to these nodes counts for its principal
    /// from now on (S-7).
    ///
    /// Sinks belong to the definition, and count for no principal.
    final func claimWanted(under names: [String], _ source: Source? = nil) {
        guard session.kind != .sink else { return }
        claim = WantedClaim(of: session.access?.name, listeningTo: names, source, in: graph)
    }

    /// Members that `make` creates count for the client's principal.
    func charging<Result>(_ make: () -> Result) -> Result {
        graph.charging(session.access?.name, make)
    }

    /// Calls `tell` once a chain that others use has handled what waits in it: the principal has no
    /// units left for that now.
    ///
    /// Requests of the session that arrive meanwhile wait for it.
    func whenCaughtUp(_ chain: Chains.Record, _ tell: @escaping () -> Void) {
        let (session, options) = (session, options)
        mute()
        let entry = session.clients.dispatcher.prepare(id, of: session)
        chain.whenCaughtUp { [weak session] in
            entry.state = .due {
                guard !self.isEnded else { return }
                self.open(options)
                tell()
            }
            if let session { session.clients.dispatcher.goOnLater(session) }
        }
    }
}

extension Subscription: ChainUser {
    final var needsAll: Bool { options.isAll }

    final func awaitRuns() { session.outbox.awaitsRuns = true }

    final func complete() {
        isComplete = true
        completed()
    }

    final func endSlow() { session.end(self, .slow) }
}

extension Subscription {
    /// A new subscription with `load` asks producers for the missing and stale inputs (D-2).
    final func askForValues() {
        guard options.loads, graph.demand != nil else { return }
        for node in listenedNodes { graph.load(node) }
    }
}
