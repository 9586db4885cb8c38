/// Who a session's peer is, as far as the server knows it.
public struct SessionAccess {
    /// What the peer may do; nil until it has shown a token: then nothing but `hello` is answered.
    public var access: Access?
    /// Looks at the token of a `hello` or an `auth`.
    public var authenticate: ((_ token: String) throws(HostError) -> Access)?

    /// What is known of a peer; `authenticate` is asked when it shows a token.
    public init(
        _ access: Access?,
        authenticate: ((_ token: String) throws(HostError) -> Access)? = nil
    ) {
        self.access = access
        self.authenticate = authenticate
    }

    /// No authentication is configured: everybody may do everything.
    public static var open: SessionAccess { SessionAccess(.full) }

    /// What stands as `by` in what the session commits.
    var name: String? { access?.name }
}
