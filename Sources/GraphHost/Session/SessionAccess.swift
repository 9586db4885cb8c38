/// The rights of a session's client, as far as the server knows them.
public struct SessionAccess {
    /// The client's rights; nil until it has sent a token: then only `hello` is answered.
    public var access: Access?
    /// Checks the token of a `hello` or an `auth`.
    public var authenticate: ((_ token: String) throws(HostError) -> Access)?

    /// The rights of a client; `authenticate` is called when it sends a token.
    public init(
        _ access: Access?,
        authenticate: ((_ token: String) throws(HostError) -> Access)? = nil
    ) {
        self.access = access
        self.authenticate = authenticate
    }

    /// Without authentication: every client may do everything.
    public static var open: SessionAccess { SessionAccess(.full) }

    /// The name recorded as `by` in the session's commits.
    var name: String? { access?.name }

    /// The rights that a subscription depends on, if the server has authentication.
    func requiredRights(_ nodes: @autoclosure () -> [String], needs: Rights) -> RequiredRights? {
        access?.principal == nil ? nil : RequiredRights(nodes: nodes(), needs: needs)
    }
}

/// The nodes of a subscription, and the rights on them that it needs to continue.
final class RequiredRights {
    let nodes: [String]
    let needs: Rights

    init(nodes: [String], needs: Rights) {
        self.nodes = nodes
        self.needs = needs
    }
}
