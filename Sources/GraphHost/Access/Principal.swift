/// Somebody who has shown a token: a name, roles, and what the token is good for.
public final class Principal {
    /// What stands as `by` in commits, such as `device:7`.
    public let name: String
    /// The roles that graphs' rules speak of.
    public let roles: [String]
    /// What the token grants; the union counts.
    public let grants: [Grant]
    /// When the token ends, milliseconds since 1970; nil: never.
    public let expires: UInt64?
    /// SHA-256 of the token: 32 bytes.
    public let digest: [UInt8]
    /// The present rules of the one graph that it looks at as it was, which bound its rights besides the rules of that time.
    var presentRules: [AccessRule] = []
    var outlooks = Outlooks()

    /// A principal.
    public init(
        name: String,
        roles: [String] = [],
        grants: [Grant],
        expires: UInt64? = nil,
        digest: [UInt8] = []
    ) {
        self.name = name
        self.roles = roles
        self.grants = grants
        self.expires = expires
        self.digest = digest
    }

    /// Rights on nodes of graphs.
    public struct Grant: Sendable {
        /// Names and globs of graphs.
        public let graphs: [String]
        /// Names and globs of nodes.
        public let nodes: [String]
        /// What may be done with them.
        public let can: Rights

        /// A grant; without names of graphs or nodes it is good for all.
        public init(graphs: [String] = ["*"], nodes: [String] = ["*"], can: Rights = .customary) {
            self.graphs = graphs
            self.nodes = nodes
            self.can = can
        }
    }
}

/// One rule of a graph's `access` section.
public struct AccessRule: Sendable {
    /// Whom it is about.
    public enum Subject: Hashable, Sendable {
        /// `*`: everybody who is let in.
        case everybody
        /// `role:viewer`.
        case role(String)
        /// `device:7`: one principal by name.
        case principal(String)
    }

    /// Whom it is about.
    public let who: Subject
    /// Names and globs of nodes.
    public let nodes: [String]
    /// What they may do with them.
    public let can: Rights

    func isAbout(_ principal: Principal) -> Bool {
        switch who {
        case .everybody: true
        case .role(let role): principal.roles.contains(role)
        case .principal(let name): principal.name == name
        }
    }
}
