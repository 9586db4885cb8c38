internal import EventLoop
internal import Graphs
internal import HTTP
internal import Values

/// Finds out who sends a request, by its token or cookie, and what the caller may do.
enum Identification {
    /// The caller's rights; nil: the request is put off until its token has been checked, and then
    /// performed again.
    ///
    /// - Throws: `unauthenticated`, `token_expired`, `issuer_down` or `rate_limited` if the caller
    ///   is not known.
    @inline(__always)
    static func access(
        of head: RequestHead,
        on connection: HTTPConnection,
        for need: Operation.Need
    ) throws(HostError) -> Access? {
        guard let authenticator = connection.hub.credentials.authenticator else {
            return connection.listener.openAccess
        }
        return try Self.access(of: head, on: connection, for: need, authenticator)
    }

    @inline(never)
    private static func access(
        of head: RequestHead,
        on connection: HTTPConnection,
        for need: Operation.Need,
        _ authenticator: Authenticator
    ) throws(HostError) -> Access? {
        if case .nothing = need.extent { return .nobody }
        guard let (source, found) = found(head, authenticator, on: connection) else {
            throw HostError(.unauthenticated, CredentialSource.demand)
        }
        switch found {
        case .outcome(.known(let principal)): return Access(principal)
        case .outcome(.unknown) where !source.isStated:
            throw HostError(.unauthenticated, CredentialSource.demand)
        case .outcome(let outcome): return try principal(outcome, on: connection).map(Access.init)
        case .unreadable: throw wrongToken(CredentialSource.demand, on: connection)
        }
    }

    /// What is known of a client that opens a WebSocket.
    enum Caller {
        case access(Access)
        /// It may still send a token in `hello`.
        case nobody
        /// The request is put off until its token has been checked, and then performed again.
        case putOff
    }

    /// The client that opens a WebSocket.
    ///
    /// - Throws: the error for an invalid token.
    static func sessionAccess(
        of head: RequestHead,
        on connection: HTTPConnection
    ) throws(HostError) -> Caller {
        let hub = connection.hub
        guard let authenticator = hub.credentials.authenticator else {
            return .access(connection.listener.openAccess)
        }
        guard let (source, found) = found(head, authenticator, on: connection) else { return .nobody }
        if case .outcome(.known(let principal)) = found { return .access(Access(principal)) }
        // A page whose browser has sent an old cookie may still send a token.
        guard source.isStated else { return .nobody }
        guard case .outcome(let outcome) = found else {
            throw wrongToken(CredentialSource.demand, on: connection)
        }
        return try principal(outcome, on: connection).map { .access(Access($0)) } ?? .putOff
    }

    /// The principal of a token; nil: the request is put off until the token has been checked.
    ///
    /// - Throws: the error for an invalid token. The connection is closed if its address has sent
    ///   too many.
    static func principal(
        _ outcome: TokenOutcome,
        on connection: HTTPConnection
    ) throws(HostError) -> Principal? {
        if case .unchecked(let check) = outcome {
            putOff(connection, until: check)
            return nil
        }
        let hub = connection.hub
        do throws(HostError) {
            return try hub.credentials.principal(outcome, from: connection.address, at: hub.loop.now)
        } catch {
            if error.code == .rateLimited { connection.framing.keepsAlive = false }
            throw error
        }
    }

    /// Performs the request at hand again when its token has been checked.
    private static func putOff(_ connection: HTTPConnection, until check: TokenCheck) {
        var number: UInt64 = 0
        check.begin { [weak connection] outcome in
            connection?.answerLater(number) { connection in
                connection.held = .checked(outcome)
                connection.respondAgain()
                if case .checked = connection.held { connection.held = nil }
            }
        }
        connection.parser.hold()
        number = connection.wait()
    }

    /// The client that sends a request whose body is not complete; its rights are checked later.
    static func sender(of head: RequestHead, on connection: HTTPConnection) -> SlowPeers.Owner {
        let hub = connection.hub
        if let authenticator = hub.credentials.authenticator,
            case .outcome(.known(let principal))? = found(head, authenticator, on: connection)?.found
        {
            return .principal(principal.name)
        }
        let named = connection.isProxied ? hub.codec.proxies.forwarding(head).address : nil
        return .address(named ?? connection.peer)
    }

    /// The error for an unknown token; the connection is closed if its address has sent too many.
    static func wrongToken(_ sentence: String, on connection: HTTPConnection) -> HostError {
        let hub = connection.hub
        let error = hub.credentials.wrong(sentence, from: connection.address, at: hub.loop.now)
        if error.code == .rateLimited { connection.framing.keepsAlive = false }
        return error
    }

    /// What the request shows, by the first way that it uses; nil: nothing.
    private static func found(
        _ head: RequestHead,
        _ authenticator: Authenticator,
        on connection: HTTPConnection
    ) -> (source: CredentialSource, found: CredentialSource.Found)? {
        if case .checked(let outcome) = connection.held { return (.bearer, .outcome(outcome)) }
        let now = UInt64(max(0, connection.hub.loop.wallClock))
        for source in CredentialSource.all {
            if let found = source.find(head, connection.isSecure, authenticator, now) {
                return (source, found)
            }
        }
        return nil
    }
}
