package import Definitions
package import Support
package import Values

/// The nodes that match a list of names and globs, each once, as far as there is room for them.
///
/// A glob gives its declared nodes in the order of the definition, then family members by name.
public struct NodeSelection {
    package private(set) var nodes: [NamedNode] = []
    /// The names of the other nodes that match and that the caller may read.
    package let left = SortedNames()

    /// Selects nodes that the caller may read, at most `limit`.
    ///
    /// Nodes that are named are in before those that a glob matches.
    ///
    /// - Throws: `unknown_node` for a name that does not exist; `sub_limit` if more than `limit`
    ///   are named, or if finding the others takes more steps than one request may use
    ///   (``SessionLimits/globSteps``).
    package init(_ patterns: [String], in view: GraphView, limit: Int) throws(HostError) {
        let graph = view.graph
        var named: [String: NamedNode] = [:]
        for pattern in patterns where !Glob.isGlob(pattern) {
            named[pattern] = try view.node(graph.node(pattern), named: pattern, to: .read)
        }
        guard named.count <= limit else {
            let message = "at most \(limit) nodes can be named (limits.matches)"
            throw HostError(.subLimit, message, retry: false)
        }
        var free = limit - named.count
        var seen: Set<String> = []
        var steps = 0
        defer { graph.host.work += UInt64(steps / GlobSteps.perWork) + Access.work(looking: left.count) }
        // The readable nodes are determined once for all globs.
        lazy var readable = view.nodes
        for pattern in patterns {
            guard Glob.isGlob(pattern) else {
                if let node = named[pattern], seen.insert(pattern).inserted { nodes.append(node) }
                continue
            }
            for node in readable
            where try Self.isMeant(node.name, by: pattern, &steps, graph.host.limits) {
                take(node.name, named[node.name], &free, &seen) { node }
            }
            for name in try Self.members(pattern, of: graph, &steps) {
                take(name, named[name], &free, &seen) {
                    guard let node = graph.node(name) else { return nil }
                    return view.access.rights(on: node).contains(.read) ? node : nil
                }
            }
        }
    }

    /// Selects the nodes that match one glob, as many as a subscription may have.
    package init(glob: String, in view: GraphView) throws(HostError) {
        try self.init([glob], in: view, limit: view.graph.host.limits.matches)
    }

    /// Takes a node that a glob matches, unless it is there already; `find` returns nil if the
    /// caller may not read it.
    private mutating func take(
        _ name: String,
        _ named: NamedNode?,
        _ free: inout Int,
        _ seen: inout Set<String>,
        _ find: () -> NamedNode?
    ) {
        guard !seen.contains(name), let node = named ?? find() else { return }
        if named == nil, free == 0 {
            left.insert(name)
            return
        }
        if named == nil { free -= 1 }
        seen.insert(name)
        nodes.append(node)
    }

    static func isMeant(
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

    package static func matches(_ pattern: String, _ name: String) -> Bool {
        Glob.isGlob(pattern) ? Glob.matches(name, pattern) : pattern == name
    }

    /// Reads the fields `nodes` and `node` of a message; all nodes if both are absent.
    package static func read(
        _ fields: Fields,
        in view: GraphView,
        limits: SessionLimits
    ) throws(HostError) -> NodeSelection {
        try NodeSelection(try names(fields) ?? ["*"], in: view, limit: limits.matches)
    }

    /// Appends how many nodes are left out, if any are.
    package func appendMore(to buffer: inout ByteBuffer) {
        if left.count > 0 { buffer.member("more", left.count) }
    }

    /// The names and globs of the field `nodes`, and the one of `node`; nil if both are absent.
    package static func names(_ fields: Fields) throws(HostError) -> [String]? {
        let patterns = try patterns(fields)
        guard let name = try fields.string(.node) else { return patterns }
        return (patterns ?? []) + [name]
    }

    /// The names and globs of the field `nodes`: a list, or a single one; nil if it is absent.
    package static func patterns(_ fields: Fields) throws(HostError) -> [String]? {
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
