internal import CEL

extension Session {
    /// Throws if the principal has no room for a pipeline (docs/protocol.md, sub).
    ///
    /// - Throws: `pipe_limit`, `pattern_limit`.
    func admit(_ source: Source, _ pipe: [Stage]) throws(HostError) {
        guard let account = account(makes: false) else { return }
        try host.admit([source], pipe, for: account)
    }

    /// The principal's account: the one of its name, or the connection's own if it has no name.
    func account(makes: Bool) -> PipelineAccount? {
        if let name = access.name {
            return makes ? host.accounts.account(of: name, in: host) : host.accounts.find(name)
        }
        if makes, extras?.ownAccount == nil { madeExtras.ownAccount = PipelineAccount(name: nil, in: host) }
        return extras?.ownAccount
    }
}

extension Host {
    /// Throws if a principal has no room for a pipeline.
    ///
    /// `account` is the principal's; nil if it has no pipelines yet.
    ///
    /// - Throws: `pipe_limit`, `pattern_limit`.
    func admit(
        _ sources: [Source],
        _ pipe: [Stage],
        for account: PipelineAccount?
    ) throws(HostError) {
        let isPipeline = !pipe.isEmpty || sources.contains { !$0.isNode }
        if isPipeline, let account { sessions.kept.makeRoom(in: account, of: self) }
        guard !isPipeline || (account?.held ?? 0) < limits.held else {
            let message = "the pipelines of one principal hold at most \(limits.held) bytes (limits.held)"
            throw HostError(.pipeLimit, message)
        }
        try admit(sources.flatMap(\.patterns) + pipe.flatMap(\.patterns), for: account)
    }

    /// Throws if a principal has no room for more regular expressions.
    ///
    /// The reader limits those of one request, so a principal without pipelines needs no check.
    private func admit(_ patterns: [any RegexMatcher], for account: PipelineAccount?) throws(HostError) {
        guard let account, !patterns.isEmpty else { return }
        let new = Set(patterns.lazy.filter { !account.has($0) }.map { ObjectIdentifier($0) })
        guard account.patternCount + new.count > limits.patterns else { return }
        let message =
            "at most \(limits.patterns) different regular expressions per principal (limits.patterns)"
        throw HostError(.patternLimit, message)
    }
}
