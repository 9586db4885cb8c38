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
        switch outcome(head, authenticator, on: connection) {
        case .known(let principal):
            return Access(principal)
        case .expired:
            throw .tokenExpired
        case .unknown:
            let sentence = "a token is needed: Authorization: Bearer …, or a session"
            guard let field = head.value(.authorization) else { throw HostError(.unauthenticated, sentence) }
            throw wrongToken(bearer(field) == nil ? sentence : "this token is not known", on: connection)
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
        if !head.has(.authorization), SessionCookie.value(in: head, isSecure: connection.isSecure) == nil {
            return nil
        }
        let found = outcome(head, authenticator, on: connection)
        if case .known(let principal) = found { return Access(principal) }
        // A browser sends its cookie whether it is valid or not; the page may still send a token.
        guard head.has(.authorization) else { return nil }
        if case .expired = found { throw .tokenExpired }
        throw wrongToken("this token is not known", on: connection)
    }

    /// The client that sends a request whose body is not complete; its rights are checked later.
    static func sender(of head: RequestHead, on connection: HTTPConnection) -> SlowPeers.Owner {
        let hub = connection.hub
        if let authenticator = hub.credentials.authenticator,
            case .known(let principal) = outcome(head, authenticator, on: connection)
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

    /// The principal of the token or cookie in the head.
    private static func outcome(
        _ head: RequestHead,
        _ authenticator: Authenticator,
        on connection: HTTPConnection
    ) -> Authenticator.Outcome {
        let now = UInt64(max(0, connection.hub.loop.wallClock))
        if let field = head.value(.authorization) {
            guard let token = bearer(field) else { return .unknown }
            return authenticator.principal(token: token, at: now)
        }
        guard let cookie = SessionCookie.value(in: head, isSecure: connection.isSecure) else {
            return .unknown
        }
        return authenticator.principal(cookie: cookie, at: now)
    }

    /// The token of `Bearer TOKEN` (RFC 6750 §2.1); the scheme's letter case does not matter.
    private static func bearer(_ field: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        let scheme = "bearer "
        guard field.count > scheme.utf8.count else { return nil }
        let begins = zip(field, scheme.utf8).allSatisfy { $0 | 0x20 == $1 | 0x20 }
        guard begins else { return nil }
        return UnsafeRawBufferPointer(rebasing: field[scheme.utf8.count...]).trimmed
    }
}
