/// Who a session's peer is, as far as the server knows it.
public struct SessionAccess {
    /// Whether more than `hello` is answered.
    public var isAuthorised: Bool
    /// The name that stands as `by` in what the session commits; nil without authentication.
    public var principal: String?
    /// Looks at the token of a `hello`; the access it grants, or nil.
    public var authenticate: ((_ token: String) -> SessionAccess?)?

    /// An access; `authenticate` is asked when a `hello` brings a token.
    public init(
        isAuthorised: Bool,
        principal: String? = nil,
        authenticate: ((_ token: String) -> SessionAccess?)? = nil
    ) {
        self.isAuthorised = isAuthorised
        self.principal = principal
        self.authenticate = authenticate
    }

    /// No authentication is configured: everybody may do everything.
    public static var open: SessionAccess { SessionAccess(isAuthorised: true) }
}
