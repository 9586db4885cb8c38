public import Definitions
internal import Support

/// A caller with a token: its name, its roles, and what the token grants.
public final class Principal {
    /// The name recorded as `by` in commits, such as `device:7`.
    public let name: String
    /// The roles that the access rules of graphs refer to.
    public let roles: [String]
    /// What the token grants; the rights of all grants are added up.
    public let grants: [Grant]
    /// When the token ends, milliseconds since 1970; nil: never.
    public let expires: UInt64?
    /// SHA-256 of the token: 32 bytes.
    public let digest: [UInt8]
    /// What the server knows it by; nil for a token of the file.
    public let source: AnyObject?
    /// The present rules of the graph whose past the caller looks at.
    ///
    /// They bound its rights in addition to the rules of that time.
    var presentRules: [AccessRule] = []
    var graphRights = GraphRightsCache()

    /// A principal with these grants.
    public init(
        name: String,
        roles: [String] = [],
        grants: [Grant],
        expires: UInt64? = nil,
        digest: [UInt8] = [],
        source: AnyObject? = nil
    ) {
        self.name = name
        self.roles = roles
        self.grants = grants
        self.expires = expires
        self.digest = digest
        self.source = source
    }

    /// Whether the other one has the same rights; it may have another token.
    func isLike(_ other: Principal) -> Bool {
        self === other
            || (name, roles, grants) == (other.name, other.roles, other.grants)
                && presentRules.isEmpty && other.presentRules.isEmpty
    }

    /// Rights on nodes of graphs.
    public struct Grant: Hashable, Sendable {
        public let graphs: [String]
        public let nodes: [String]
        /// What may be done with them.
        public let can: Rights

        /// A grant; without names of graphs or nodes it covers all of them.
        public init(graphs: [String] = ["*"], nodes: [String] = ["*"], can: Rights = .customary) {
            self.graphs = graphs
            self.nodes = nodes
            self.can = can
        }

        /// Whether the grant is about all of that, whatever names there are.
        func covers(_ scope: Access.Scope) -> Bool {
            guard nodes.contains("*") else { return false }
            return switch scope {
            case .graph(let name): Glob.matches(name, anyOf: graphs)
            case .everything: graphs.contains("*")
            }
        }
    }
}

extension AccessRule {
    func isAbout(_ principal: Principal) -> Bool {
        switch who {
        case .everybody: true
        case .role(let role): principal.roles.contains(role)
        case .principal(let name): principal.name == name
        }
    }
}
