internal import Graphs
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
            return makes
                ? host.pipelines.accounts.account(of: name, in: host) : host.pipelines.accounts.find(name)
        }
        if makes, extras?.ownAccount == nil { madeExtras.ownAccount = PipelineAccount(name: nil, in: host) }
        return extras?.ownAccount
    }
}
