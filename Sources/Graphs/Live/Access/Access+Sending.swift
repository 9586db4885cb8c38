internal import Definitions

/// What a caller may do in one graph, in a form that can be sent to another thread.
///
/// The graph's present rules go with it. A caller who looks at the graph as it was is bound by
/// both: the rules of that time and the present ones.
package struct SentAccess: Sendable {
    private let everywhere: Rights
    private let principal: (name: String, roles: [String], grants: [Principal.Grant])?
    private let rules: [AccessRule]

    /// The access to `graph`, and its present rules.
    package init(_ access: Access, to graph: LiveGraph) {
        everywhere = access.everywhere
        principal = access.principal.map { ($0.name, $0.roles, $0.grants) }
        rules = graph.definition.access
    }

    /// The access, for the thread that asks.
    package func received() -> Access {
        guard let principal else { return Access(everybody: everywhere) }
        let copy = Principal(name: principal.name, roles: principal.roles, grants: principal.grants)
        copy.presentRules = rules
        return Access(copy)
    }
}
