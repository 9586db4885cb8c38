internal import EventLoop
internal import Graphs
internal import Sessions
internal import Logging
internal import Values

/// Reads the file of tokens of a running server again.
enum TokenReload {
    /// Reads it on another thread: open sessions continue with the present rights of their
    /// principal, or are closed.
    ///
    /// - Parameters:
    ///   - server: whose tokens they are.
    ///   - isDryRun: only reads them.
    ///   - done: gets the problems of the file in a later turn, when all sessions are revised. If
    ///     there are problems, the old tokens stay.
    /// - Throws: if no thread can be started.
    static func run(
        at server: Server,
        dryRun isDryRun: Bool,
        _ done: @escaping ([FileProblem]) -> Void
    ) throws(UVError) {
        guard let authenticator = server.authenticator else { return done([]) }
        try server.definitions.readTokens { [weak server] result in
            guard let server else { return }
            server.beginTurn()
            switch result {
            case .failure(let failure):
                done(failure.problems.map { $0.with(remark: "the old tokens stay") })
            case .success(let tokens) where isDryRun:
                release(tokens, at: server.host)
                done([])
            case .success(let tokens):
                release(authenticator.take(tokens), at: server.host)
                server.clients.reviseAccess {
                    authenticator.principal(like: $0).map(Access.init)
                } then: { [weak server] in
                    guard let server else { return }
                    let file = server.configuration.auth
                    server.log.info("tokens read again", metadata: ["auth": "\(file)"])
                    done([])
                }
            }
        }
    }

    /// Releases tokens that no longer count, a part in each turn.
    private static func release(_ tokens: TokenTable, at host: Host) {
        guard tokens.releaseSome() else { return }
        host.later { [unowned host] in release(tokens, at: host) }
    }
}
