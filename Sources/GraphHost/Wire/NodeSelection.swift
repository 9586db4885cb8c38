internal import ReactiveGraph

/// The nodes that match a list of names and globs, each once.
///
/// A glob gives its declared nodes in the order of the definition, then family members by name.
public enum NodeSelection {
    /// Picks nodes that the caller may read.
    ///
    /// - Throws: `unknown_node` for a name that does not exist; `sub_limit` if there are more than
    ///   `limit`, or if finding them takes more steps than one request may use
    ///   (``SessionLimits/globSteps``).
    public static func pick(
        _ patterns: [String],
        in view: GraphView,
        limit: Int = .max
    ) throws(HostError) -> [NamedNode] {
        var picked: [NamedNode] = []
        var seen: Set<ObjectIdentifier> = []
        let host = view.graph.host
        var steps = 0
        defer { host.work += UInt64(steps / GlobSteps.perWork) }
        // The readable nodes are determined once for all globs.
        lazy var readable = view.nodes
        for pattern in patterns {
            if Glob.isGlob(pattern) {
                for node in readable where picked.count <= limit {
                    let isMeant = try isMeant(node.name, by: pattern, &steps, host.limits)
                    if isMeant, seen.insert(ObjectIdentifier(node)).inserted { picked.append(node) }
                }
                for name in try members(pattern, of: view.graph, &steps) where picked.count <= limit {
                    guard let node = view.graph.node(name), view.access.rights(on: node).contains(.read),
                        seen.insert(ObjectIdentifier(node)).inserted
                    else { continue }
                    picked.append(node)
                }
            } else {
                let node = try view.node(view.graph.node(pattern), named: pattern, to: .read)
                if seen.insert(ObjectIdentifier(node)).inserted { picked.append(node) }
            }
            guard picked.count <= limit else {
                throw HostError(.subLimit, "more than \(limit) nodes match", retry: false)
            }
        }
        return picked
    }

    private static func isMeant(
        _ name: String,
        by pattern: String,
        _ steps: inout Int,
        _ limits: SessionLimits
    ) throws(HostError) -> Bool {
        guard pattern != "*" else { return true }
        steps += GlobSteps.perLook
        let isMeant = Glob.matches(name, pattern, &steps)
        guard steps <= limits.globSteps else {
            throw HostError(
                .subLimit,
                "these globs take more than \(limits.globSteps) steps to compare",
                retry: false
            )
        }
        return isMeant
    }

    /// The names of the family members that match a glob, in order: only those with its fixed
    /// beginning are compared.
    private static func members(
        _ pattern: String,
        of graph: LiveGraph,
        _ steps: inout Int
    ) throws(HostError) -> [String] {
        var names: [String] = []
        var refusal: HostError?
        graph.members.names.visit(prefix: Glob.prefix(of: pattern)) { name in
            do throws(HostError) {
                if try isMeant(name, by: pattern, &steps, graph.host.limits) { names.append(name) }
                return true
            } catch {
                refusal = error
                return false
            }
        }
        if let refusal { throw refusal }
        return names
    }

    static func matches(_ pattern: String, _ name: String) -> Bool {
        Glob.isGlob(pattern) ? Glob.matches(name, pattern) : pattern == name
    }

    /// Reads the fields `nodes` and `node` of a message; all nodes if both are absent.
    static func read(
        _ fields: Fields,
        in view: GraphView,
        limits: SessionLimits
    ) throws(HostError) -> [NamedNode] {
        try pick(try names(fields) ?? ["*"], in: view, limit: limits.matches)
    }

    /// The names and globs of the field `nodes`, and the one of `node`; nil if both are absent.
    static func names(_ fields: Fields) throws(HostError) -> [String]? {
        let patterns = try patterns(fields)
        guard let name = try fields.string(.node) else { return patterns }
        return (patterns ?? []) + [name]
    }

    /// The names and globs of the field `nodes`: a list, or a single one; nil if it is absent.
    static func patterns(_ fields: Fields) throws(HostError) -> [String]? {
        guard let field = fields[.nodes] else { return nil }
        if let one = field.string { return [one] }
        guard field.kind == .array else { throw HostError(.badField, "nodes: a list of names is needed") }
        var patterns: [String] = []
        for element in field.elements {
            guard let name = element.string else {
                throw HostError(.badField, "nodes: a list of names is needed")
            }
            patterns.append(name)
        }
        return patterns
    }
}

/// The cost of comparing names with globs.
enum GlobSteps {
    /// The cost of looking at a name, before its first character is compared.
    static var perLook: Int { 16 }
    /// How many steps cost about as much as reading one value.
    static var perWork: Int { 256 }
}
