internal import CEL
internal import Values

extension Session {
    /// Throws if the principal has no room for a pipeline (docs/protocol.md, sub).
    ///
    /// - Throws: `pipe_limit`, `pattern_limit`.
    func admit(_ subject: Subject) throws(HostError) {
        try host.admit(subject, for: account(makes: false))
    }

    /// The principal's account: the one of its name, or the connection's own if it has no name.
    func account(makes: Bool) -> PipelineAccount? {
        if let name = access?.name {
            return makes ? host.accounts.account(of: name, in: host) : host.accounts.find(name)
        }
        if makes, extras?.ownAccount == nil { madeExtras.ownAccount = PipelineAccount(name: nil, in: host) }
        return extras?.ownAccount
    }
}

extension Host {
    /// Runs the pipelines of a session in mode `all` that are behind, as far as their principal has
    /// units left.
    func runPipelines(of session: Session) {
        guard session.outbox.awaitsRuns, pipelines.isBehind else { return }
        for subscription in session.subscriptions where subscription.options.isAll {
            guard let pipeline = subscription.pipeline else { continue }
            pipeline.chain.catchUp(paying: pipeline.account)
        }
    }

    /// Throws if a principal has no room for a pipeline.
    ///
    /// `account` is the principal's; nil if it has no pipelines yet. The reader limits the regular
    /// expressions of one request, so then there is nothing to check.
    ///
    /// - Throws: `pipe_limit`, `pattern_limit`.
    func admit(
        _ subject: Subject,
        for account: @autoclosure () -> PipelineAccount?
    ) throws(HostError) {
        guard subject.node == nil, let account = account() else { return }
        sessions.kept.makeRoom(in: account, of: self)
        guard account.held < limits.held else {
            let message = "the pipelines of one principal hold at most \(limits.held) bytes (limits.held)"
            throw HostError(.pipeLimit, message)
        }
        let patterns = subject.patterns
        guard !patterns.isEmpty else { return }
        let new = Set(patterns.lazy.filter { !account.has($0) }.map { ObjectIdentifier($0) })
        guard account.patternCount + new.count > limits.patterns else { return }
        let message =
            "at most \(limits.patterns) different regular expressions per principal (limits.patterns)"
        throw HostError(.patternLimit, message)
    }
}
