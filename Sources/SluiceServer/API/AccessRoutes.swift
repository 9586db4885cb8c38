internal import EventLoop
internal import HTTP
internal import Support
internal import Values

/// Signing in and out, for pages of browsers.
enum AccessRoutes {
    /// `POST /v1/session` with `{"token":"…"}`: sets a cookie for browsers, which scripts cannot
    /// read.
    static func signIn(_ request: Request) throws(HostError) {
        let (connection, hub) = (request.connection, request.connection.hub)
        guard let authenticator = hub.credentials.authenticator else {
            throw HostError(
                .notFound,
                "this server has no authentication: there is nothing to sign in to"
            )
        }
        let body: JSONReader
        do throws(JSONError) {
            body = try JSONReader(checking: request.body)
        } catch {
            throw HostError(error)
        }
        guard let token = body["token"]?.string else {
            throw HostError(.badField, "token: a string is needed")
        }
        let now = UInt64(max(0, hub.loop.wallClock))
        let outcome: TokenOutcome
        if case .checked(let checked) = connection.held {
            outcome = checked
        } else {
            outcome = token.withBorrowedBytes { authenticator.principal(token: $0, at: now) }
        }
        guard let principal = try Identification.principal(outcome, on: connection) else { return }
        let value = authenticator.signIn(principal, at: now)
        connection.answerEmpty(.noContent) {
            SessionCookie.append(value, isSecure: connection.isSecure, to: &$0)
        }
    }

    /// `DELETE /v1/session`: the cookie is no longer valid.
    static func signOut(_ request: Request) {
        let connection = request.connection
        if let authenticator = request.connection.hub.credentials.authenticator,
            let cookie = SessionCookie.value(in: request.head, isSecure: connection.isSecure)
        {
            authenticator.signOut(cookie: cookie)
        }
        connection.answerEmpty(.noContent) {
            SessionCookie.append(nil, isSecure: connection.isSecure, to: &$0)
        }
    }
}
