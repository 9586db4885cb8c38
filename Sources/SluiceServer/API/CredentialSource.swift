internal import HTTP
internal import Support
internal import Values

/// A way in which a request can show who sends it: one row.
///
/// Identification, the hint of `unauthenticated` and the description of the API are made from the
/// rows. The first of them that a request uses decides.
struct CredentialSource: Sendable {
    /// What a request contains.
    enum Found {
        case outcome(TokenOutcome)
        /// The field for it is there, but does not have the right form.
        case unreadable
    }

    /// Its name in the description of the API.
    let name: String
    /// Its security scheme, as OpenAPI has it.
    let scheme: Schema
    /// What a client sends, for an error: `Authorization: Bearer …`.
    let words: String
    /// Whether an unknown one is a mistake of the client; browsers send a cookie whether it is
    /// valid or not.
    let isStated: Bool
    /// Looks for this credential in a request, and checks it; nil: the request has none.
    let find: @Sendable (RequestHead, _ isSecure: Bool, Authenticator, _ now: UInt64) -> Found?

    static let all: [CredentialSource] = [bearer, cookie]

    /// The error for a request that shows nothing.
    static let demand = "a token is needed: \(all.map(\.words).joined(separator: ", or "))"
}

extension CredentialSource {
    /// The field `Authorization` with a token (RFC 6750 §2.1).
    static let bearer = CredentialSource(
        name: "token",
        scheme: .type("http").with("scheme", "bearer")
            .described("A token of the file that `auth` names, or of an issuer (docs/access.md)"),
        words: "Authorization: Bearer …",
        isStated: true
    ) { head, _, authenticator, now in
        guard let field = head.value(.authorization) else { return nil }
        return token(field).map { .outcome(authenticator.principal(token: $0, at: now)) } ?? .unreadable
    }

    /// The cookie of a browser's session.
    private static let cookie = CredentialSource(
        name: "session",
        scheme: .type("apiKey").with("in", "cookie").with("name", .text(SessionCookie.name))
            .described("Set by POST /v1/session"),
        words: "a session",
        isStated: false
    ) { head, isSecure, authenticator, now in
        SessionCookie.value(in: head, isSecure: isSecure).map {
            .outcome(authenticator.principal(cookie: $0, at: now))
        }
    }

    /// The token of `Bearer TOKEN`; the scheme's letter case does not matter.
    private static func token(_ field: BorrowedBytes) -> BorrowedBytes? {
        let scheme = "bearer "
        guard field.count > scheme.utf8.count else { return nil }
        let begins = zip(field, scheme.utf8).allSatisfy { $0 | 0x20 == $1 | 0x20 }
        guard begins else { return nil }
        return field.part(scheme.utf8.count...).trimmed
    }
}
