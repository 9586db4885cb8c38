internal import EventLoop
internal import Graphs
internal import HTTP
internal import Values

/// Finds out who sends a request, by its token or cookie, and what the caller may do.
enum Identification {
    /// The caller's rights.
    ///
    /// - Throws: `unauthenticated`, `token_expired` or `rate_limited` if the caller is not known.
    @inline(__always)
    static func access(
        of head: RequestHead,
        on connection: HTTPConnection,
        for need: Operation.Need
    ) throws(HostError) -> Access {
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
    ) throws(HostError) -> Access {
        if case .nothing = need.extent { return .nobody }
        guard let (source, found) = found(head, authenticator, on: connection) else {
            throw HostError(.unauthenticated, CredentialSource.demand)
        }
        switch found {
        case .outcome(.known(let principal)): return Access(principal)
        case .outcome(.expired): throw .tokenExpired
        case .outcome(.unknown) where !source.isStated:
            throw HostError(.unauthenticated, CredentialSource.demand)
        case .outcome(.unknown): throw wrongToken("this token is not known", on: connection)
        case .unreadable: throw wrongToken(CredentialSource.demand, on: connection)
        }
    }

    /// The access of a client that opens a WebSocket; nil: it may still send a token in `hello`.
    ///
    /// - Throws: the error for an invalid token.
    static func sessionAccess(
        of head: RequestHead,
        on connection: HTTPConnection
    ) throws(HostError) -> Access? {
        let hub = connection.hub
        guard let authenticator = hub.credentials.authenticator else { return connection.listener.openAccess }
        guard let (source, found) = found(head, authenticator, on: connection) else { return nil }
        if case .outcome(.known(let principal)) = found { return Access(principal) }
        // A page whose browser has sent an old cookie may still send a token.
        guard source.isStated else { return nil }
        if case .outcome(.expired) = found { throw .tokenExpired }
        throw wrongToken("this token is not known", on: connection)
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
        guard let error = hub.credentials.tooManyWrong(from: connection.address, at: hub.loop.now) else {
            return HostError(.unauthenticated, sentence)
        }
        connection.framing.keepsAlive = false
        return error
    }

    /// What the request shows, by the first way that it uses; nil: nothing.
    private static func found(
        _ head: RequestHead,
        _ authenticator: Authenticator,
        on connection: HTTPConnection
    ) -> (source: CredentialSource, found: CredentialSource.Found)? {
        let now = UInt64(max(0, connection.hub.loop.wallClock))
        for source in CredentialSource.all {
            if let found = source.find(head, connection.isSecure, authenticator, now) {
                return (source, found)
            }
        }
        return nil
    }
}
