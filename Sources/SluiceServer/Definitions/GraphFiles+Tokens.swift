internal import EventLoop
internal import Graphs
internal import Sessions
internal import Logging
internal import Values

// Reading the files of tokens and issuers of a running server again.
extension GraphFiles {
    /// Reads them on another thread: open sessions continue with the present rights of their
    /// principal, or are closed.
    ///
    /// - Parameters:
    ///   - isDryRun: only reads them.
    ///   - done: gets the problems of the files in a later turn, when all sessions are revised. If
    ///     there are problems, the old tokens stay.
    /// - Throws: if no thread can be started.
    func reloadTokens(dryRun isDryRun: Bool, _ done: @escaping ([FileProblem]) -> Void) throws(UVError) {
        guard let authenticator = credentials.authenticator else { return done([]) }
        try queue.readCredentials { [weak self] result in
            guard let self else { return }
            turns.begin()
            switch result {
            case .failure(let failure):
                done(failure.problems.map { $0.with(remark: "the old tokens stay") })
            case .success(let files) where isDryRun:
                Self.release(files.tokens, at: host)
                done([])
            case .success(let files):
                Self.release(authenticator.take(files.tokens, files.issuers), at: host)
                reviseAccess { [weak self] in
                    guard let self else { return }
                    log.info(
                        "tokens read again",
                        metadata: ["auth": "\(configuration.auth)", "issuers": "\(configuration.issuers)"]
                    )
                    done([])
                }
            }
        }
    }

    /// Open sessions continue with the present rights of their tokens, or are closed.
    func reviseAccess(then done: @escaping () -> Void) {
        guard let authenticator = credentials.authenticator else { return done() }
        authenticator.reviseSessions()
        clients.reviseAccess { [host] principal in
            // Expressions over its claims.
            if principal.source != nil { host.work += 10 }
            return authenticator.principal(like: principal).map(Access.init)
        } then: {
            done()
        }
    }

    /// Releases tokens that no longer count, a part in each turn.
    private static func release(_ tokens: TokenTable, at host: Host) {
        guard tokens.releaseSome() else { return }
        host.later { [unowned host] in release(tokens, at: host) }
    }
}
