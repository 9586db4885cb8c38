internal import EventLoop
internal import GraphHost
internal import HTTP
internal import Support

// Authentication and rights of requests.
extension HTTPConnection {
    /// The caller's rights; nil if they are not sufficient, which has been answered then.
    @inline(__always)
    func identify(_ head: RequestHead, for right: Operation.Need) -> Access? {
        guard let authenticator = hub._withUnsafeGuaranteedRef({ $0.authenticator }) else {
            let access = Unmanaged.passUnretained(door)._withUnsafeGuaranteedRef { $0.openAccess }
            return isAllowed(access, right) ? access : nil
        }
        return identify(head, for: right, authenticator)
    }

    @inline(never)
    private func identify(
        _ head: RequestHead,
        for right: Operation.Need,
        _ authenticator: Authenticator
    ) -> Access? {
        if case .everybody = right { return Access(everybody: []) }
        switch outcome(head, authenticator) {
        case .known(let principal):
            let access = Access(principal)
            return isAllowed(access, right) ? access : nil
        case .expired:
            refuse(Refusal("token_expired", "the token has expired"))
        case .unknown:
            let sentence = "a token is needed: Authorization: Bearer …, or a session"
            head.has(.authorization)
                ? refuseToken(sentence) : refuse(Refusal("unauthenticated", sentence))
        }
        return nil
    }

    /// Refuses an unknown token, and closes the connection if its address has sent too many.
    private func refuseToken(_ sentence: String) {
        guard let wait = server.wrongTokens.note(from: address, at: server.loop.now) else {
            return refuse(Refusal("unauthenticated", sentence))
        }
        framing.keepsAlive = false
        refuse(Server.tooManyWrongTokens(after: wait))
    }

    /// The principal of the token or cookie in the head.
    private func outcome(_ head: RequestHead, _ authenticator: Authenticator) -> Authenticator.Outcome {
        let now = UInt64(max(0, server.loop.wallClock))
        if let field = head.value(.authorization) {
            guard let token = Self.bearer(field) else { return .unknown }
            return authenticator.principal(token: token, at: now)
        }
        guard let cookie = SessionCookie.value(in: head) else { return .unknown }
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

    /// Whether what the route is about as a whole may be done; rights on nodes are looked at where
    /// nodes are.
    private func isAllowed(_ access: Access, _ right: Operation.Need) -> Bool {
        guard case .needs(let right) = right, !access.has(right) else { return true }
        refuse(Refusal(.forbidden, "the right '\(right.text)' is missing"))
        return false
    }

    // MARK: - WebSocket

    /// The access of a client that opens a WebSocket; nil for an invalid token, which has been
    /// answered then.
    ///
    /// Without a token the client may still send it in `hello`.
    func sessionAccess(_ head: RequestHead) -> SessionAccess? {
        guard let authenticator = server.authenticator else { return SessionAccess(door.openAccess) }
        let address = address
        let show: (String) throws(HostError) -> Access = { [unowned server] token throws(HostError) in
            try server.access(token: token, from: address)
        }
        if !head.has(.authorization), SessionCookie.value(in: head) == nil {
            return SessionAccess(nil, authenticate: show)
        }
        let found = outcome(head, authenticator)
        if case .known(let principal) = found { return SessionAccess(Access(principal), authenticate: show) }
        // A browser sends its cookie whether it is valid or not; the page may still send a token.
        guard head.has(.authorization) else { return SessionAccess(nil, authenticate: show) }
        switch found {
        case .known: break
        case .expired: refuse(Refusal("token_expired", "the token has expired"))
        case .unknown: refuseToken("this token is not known")
        }
        return nil
    }

    // MARK: - Sessions

    /// `POST /v1/session` with `{"token":"…"}`: sets a cookie for browsers, which scripts cannot
    /// read.
    func signIn() {
        guard let authenticator = server.authenticator else {
            return refuse(
                Refusal(.notFound, "this server has no authentication: there is nothing to sign in to")
            )
        }
        let body: JSONReader
        do throws(JSONError) {
            body = try JSONReader(checking: parser.body)
        } catch {
            return refuse(HostError(error))
        }
        guard var token = body["token"]?.string else {
            return refuse(Refusal("bad_field", "token: a string is needed"))
        }
        let now = UInt64(max(0, server.loop.wallClock))
        let value = token.withUTF8 { authenticator.signIn(token: UnsafeRawBufferPointer($0), at: now) }
        guard let value else { return refuseToken("this token is not known") }
        answerEmpty(.noContent) { SessionCookie.append(value, isSecure: self.isSecure, to: &$0) }
    }

    /// `DELETE /v1/session`: the cookie is no longer valid.
    func signOut(_ head: RequestHead) {
        if let authenticator = server.authenticator, let cookie = SessionCookie.value(in: head) {
            authenticator.signOut(cookie: cookie)
        }
        answerEmpty(.noContent) { SessionCookie.append(nil, isSecure: self.isSecure, to: &$0) }
    }

    /// Whether the client uses TLS, with this server or with a trusted proxy.
    var isSecure: Bool { forwarding?.isSecure ?? socket?.isSecure ?? false }
}

/// The cookie of a browser's session (RFC 6265).
enum SessionCookie {
    private static let name = "sluice_session="

    /// The cookie's value among those of a request; the first, if there are several.
    static func value(in head: RequestHead) -> UnsafeRawBufferPointer? {
        guard let field = head.value(.cookie) else { return nil }
        var rest = field[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: ";")) ?? rest.endIndex
            var pair = rest[..<end]
            while pair.first == UInt8(ascii: " ") { pair = pair.dropFirst() }
            if pair.starts(with: name.utf8) {
                return UnsafeRawBufferPointer(rebasing: pair.dropFirst(name.utf8.count))
            }
            rest = rest[end...].dropFirst()
        }
        return nil
    }

    /// Appends the field that sets the cookie, or with nil removes it.
    static func append(_ value: String?, isSecure: Bool, to out: inout ByteBuffer) {
        out.append("Set-Cookie: ")
        out.append(utf8: name)
        out.append(utf8: value ?? "")
        if value == nil { out.append("; Max-Age=0") }
        out.append("; HttpOnly; SameSite=Strict; Path=/")
        if isSecure { out.append("; Secure") }
        out.append("\r\n")
    }
}
