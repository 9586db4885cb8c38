internal import ReactiveGraph

extension Subscription {
    /// Listens to a node as it stands, or to a chain that is built where there is none; from then
    /// on only the subscription holds that.
    ///
    /// - Returns: what is known of the chain; nil for a node.
    @discardableResult
    func begin(on subject: Subject) -> Chains.Record? {
        let (session, accounts) = (session, session.host.memberAccounts)
        switch subject {
        case .node(let node):
            let living = accounts.charging(session.access.name) { graph.builder.materialise(node) }
            session.add(self)
            begin(on: living)
            return nil
        case .pipeline(let source, let pipe):
            let me = Unmanaged.passUnretained(self)
            let account = session.account(makes: true)
            let (node, chain) = accounts.charging(session.access.name) {
                graph.builder.chain(source, pipe, for: account) {
                    me._withUnsafeGuaranteedRef { $0.isComplete = true }
                }
            }
            session.add(self)
            begin(on: node)
            if let chain, let account { pipeline = PipelineUse(chain, by: self, for: account) }
            return chain
        }
    }

    /// Calls `tell` once the first value is available, if the principal has no units left for it
    /// now.
    ///
    /// Requests of the session that arrive meanwhile wait for it.
    func whenOpen(_ chain: Chains.Record, _ tell: @escaping () -> Void) {
        let (session, options) = (session, options)
        mute()
        let entry = session.host.dispatcher.prepare(id, of: session)
        chain.whenOpen { [weak session] in
            entry.state = .due {
                guard !self.isEnded else { return }
                self.open(options)
                tell()
            }
            if let session { session.host.dispatcher.goOnLater(session) }
        }
    }
}
