public import Definitions
internal import ReactiveGraph
internal import Support
public import Values

/// What one caller may see and do (docs/access.md).
///
/// With authentication these are the rights of the principal's token, bounded by the rules of each
/// graph. Without it, every caller has the same rights on every node.
///
/// What a caller may not read does not exist for it: graphs, nodes, pictures and errors are the
/// same as if it were not there.
public struct Access {
    /// Eight bytes, because every connection has one.
    private enum Caller {
        case principal(Principal)
        case everybody(Rights)
    }

    private let caller: Caller

    public init(_ principal: Principal) {
        caller = .principal(principal)
    }

    /// The access of every caller of a server without authentication.
    public init(everybody rights: Rights) {
        caller = .everybody(rights)
    }

    /// The caller; nil if the server has no authentication.
    public var principal: Principal? {
        if case .principal(let principal) = caller { principal } else { nil }
    }

    /// The rights on every node of callers without a principal.
    var everywhere: Rights {
        if case .everybody(let rights) = caller { rights } else { [] }
    }

    public static var full: Access { Access(everybody: .all) }

    /// The access of a caller without any right.
    public static var nobody: Access { Access(everybody: []) }

    /// The name recorded as `by` in the caller's commits.
    public var name: String? { principal?.name }

    /// Whether the caller has the right on at least one node, or on the server itself.
    public func has(_ right: Rights) -> Bool {
        guard let principal else { return everywhere.contains(right) }
        return principal.grants.contains { $0.can.contains(right) }
    }

    /// More than nodes that are known one by one.
    public enum Scope {
        /// All nodes that a graph of this name has and may get.
        case graph(String)
        /// All graphs and nodes.
        case everything
    }

    /// Whether the caller has the right over all of that.
    ///
    /// The rules of graphs do not count: they are about nodes.
    public func has(_ right: Rights, over scope: Scope) -> Bool {
        guard let principal else { return everywhere.contains(right) }
        return principal.grants.contains { $0.can.contains(right) && $0.covers(scope) }
    }

    public var dashboardGraphs: GraphNames {
        let rights: Rights = [.dashboards, .admin]
        guard let principal else { return GraphNames(everywhere.isDisjoint(with: rights) ? [] : ["*"]) }
        return GraphNames(principal.grants.filter { !$0.can.isDisjoint(with: rights) }.flatMap(\.graphs))
    }

    /// Whether it gives the same rights on whatever node: a token that was read again, or renewed.
    func isLike(_ other: Access) -> Bool {
        switch (caller, other.caller) {
        case (.principal(let own), .principal(let other)): own.isLike(other)
        case (.everybody(let own), .everybody(let other)): own == other
        case (.principal, .everybody), (.everybody, .principal): false
        }
    }

    @inline(__always)
    package func rights(on node: NamedNode) -> Rights {
        guard let principal else { return everywhere }
        return rights(of: principal, in: node.graph) { Glob.matches(node.name, anyOf: $0) }
    }

    /// The rights on the nodes that `means` finds in the globs of grants and rules.
    private func rights(
        of principal: Principal,
        in graph: LiveGraph,
        _ means: ([String]) -> Bool
    ) -> Rights {
        var granted: Rights = []
        for grant in principal.grants
        where Glob.matches(graph.name, anyOf: grant.graphs) && means(grant.nodes) {
            granted.formUnion(grant.can)
        }
        return
            granted
            .intersection(Self.allowed(by: graph.definition.access, principal, means))
            .intersection(Self.allowed(by: principal.presentRules, principal, means))
    }

    /// The part of a principal's rights on a node that the graph's rules allow; all of it if the
    /// graph has no rules.
    private static func allowed(
        by rules: [AccessRule],
        _ principal: Principal,
        _ means: ([String]) -> Bool
    ) -> Rights {
        guard !rules.isEmpty else { return .all }
        var allowed: Rights = []
        for rule in rules where rule.isAbout(principal) && means(rule.nodes) { allowed.formUnion(rule.can) }
        return allowed
    }

    private func rights(onAllOf family: NodeFamily) -> Rights {
        guard let principal else { return everywhere }
        // A glob that means the pattern as it is written means every name that fits.
        return rights(of: principal, in: family.graph) { Glob.matches(family.pattern.text, anyOf: $0) }
    }

    /// The rights on at least one possible member of a family.
    private func rights(onSomeOf family: NodeFamily) -> Rights {
        guard let principal else { return everywhere }
        let glob = family.pattern.glob
        return rights(of: principal, in: family.graph) { $0.contains { Glob.meet($0, glob) } }
    }

    /// The families that have at least one member the caller may read.
    package func readableFamilies(_ graph: LiveGraph) -> [NodeFamily] {
        graph.members.families.filter { rights(onSomeOf: $0).contains(.read) }
    }

    /// The nodes of a graph that may be read, in the order of the definition.
    public func readable(_ graph: LiveGraph) -> [NamedNode] {
        if principal == nil, everywhere.contains(.read) { return graph.nodes }
        graph.host.work += Self.work(looking: graph.nodes.count)
        return graph.nodes.filter { rights(on: $0).contains(.read) }
    }

    public func countReadable(_ graph: LiveGraph) -> Int {
        guard let principal else { return readable(graph).count }
        let known = principal.graphRights[graph]
        if let count = known.readable { return count }
        let count = readable(graph).count
        known.readable = count
        return count
    }

    /// The graphs that exist for this caller, in the order in which they were added.
    public func graphs(of host: Host) -> [LiveGraph] {
        let graphs = host.graphs
        host.work += UInt64(graphs.count)
        return graphs.filter(sees)
    }

    /// The cost of comparing so many names, in units of work of a turn: sixteen names cost about as
    /// much as reading one value.
    package static func work(looking looks: Int) -> UInt64 { UInt64(looks / 16) }

    /// Whether the caller may see everything that lives in a graph.
    package func observes(_ graph: LiveGraph) -> Bool {
        let needed: Rights = [.observe, .read]
        guard let principal else { return everywhere.isSuperset(of: needed) }
        let known = principal.graphRights[graph]
        if let observes = known.observes { return observes }
        let secret = graph.nodes.firstIndex { !rights(on: $0).isSuperset(of: needed) }
        graph.host.work += Self.work(looking: secret ?? graph.nodes.count)
        let observes =
            secret == nil && graph.members.families.allSatisfy { rights(onAllOf: $0).isSuperset(of: needed) }
        known.observes = observes
        return observes
    }

    /// Whether the graph exists for this caller: it has a right on at least one of its nodes.
    public func sees(_ graph: LiveGraph) -> Bool {
        guard let principal else { return !everywhere.isEmpty }
        let known = principal.graphRights[graph]
        if let sees = known.sees { return sees }
        let first = graph.nodes.firstIndex { !rights(on: $0).isEmpty }
        graph.host.work += Self.work(looking: first ?? graph.nodes.count)
        let sees = first != nil || graph.members.families.contains { !rights(onSomeOf: $0).isEmpty }
        known.sees = sees
        return sees
    }
}

/// Names of graphs, by the globs of a token.
public struct GraphNames: Sendable {
    private let patterns: [String]

    init(_ patterns: [String]) {
        self.patterns = patterns
    }

    /// Whether it matches no graph.
    public var isEmpty: Bool { patterns.isEmpty }

    public func contains(_ name: String) -> Bool { Glob.matches(name, anyOf: patterns) }
}

extension Access {
    /// Throws if the right on a node is missing, or if its graph does not exist for the caller.
    ///
    /// - Throws: `forbidden`, `unknown_node`, `unknown_graph`.
    public func require(_ right: Rights, on node: NamedNode) throws(HostError) {
        // A graph exists for everybody who has a right on one of its nodes.
        guard !rights(on: node).contains(right) else { return }
        try GraphView(node.graph, for: self).require(right, on: node)
    }
}

extension Glob {
    static func matches(_ name: String, anyOf patterns: [String]) -> Bool {
        patterns.contains { $0 == "*" || $0 == name || matches(name, $0) }
    }
}
