/// The nodes that a list of names and globs means, each once; a glob gives its nodes in order of definition.
public enum NodeSelection {
    /// How many globs one list may have: each is compared with every node of the graph.
    static let maximumGlobs = 64

    /// Picks nodes that the caller may read.
    ///
    /// - Throws: `unknown_node` for a name that is not there; `sub_limit` when there are more than `limit`, or
    ///   more than ``maximumGlobs`` globs.
    public static func pick(
        _ patterns: [String],
        in view: GraphView,
        limit: Int = .max
    ) throws(HostError) -> [NamedNode] {
        var picked: [NamedNode] = []
        var seen: Set<ObjectIdentifier> = []
        var globs = 0
        // Who may read which nodes is found out once for all globs.
        lazy var readable = view.nodes
        for pattern in patterns {
            if isGlob(pattern) {
                globs += 1
                guard globs <= maximumGlobs else {
                    throw HostError(.subLimit, "more than \(maximumGlobs) globs in one list")
                }
                view.graph.host.work += Access.work(looking: readable.count)
                for node in readable where matches(node.name, glob: pattern) {
                    guard seen.insert(ObjectIdentifier(node)).inserted else { continue }
                    picked.append(node)
                    if picked.count > limit { break }
                }
            } else {
                let node = try view.node(view.graph.node(pattern), named: pattern, to: .read)
                if seen.insert(ObjectIdentifier(node)).inserted { picked.append(node) }
            }
            guard picked.count <= limit else { throw HostError(.subLimit, "more than \(limit) nodes match") }
        }
        return picked
    }

    /// Whether it is a pattern, and not just a name.
    static func isGlob(_ pattern: String) -> Bool {
        pattern.utf8.contains { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "?") }
    }

    /// Whether a name or glob means the node of that name.
    static func matches(_ pattern: String, _ name: String) -> Bool {
        isGlob(pattern) ? matches(name, glob: pattern) : pattern == name
    }

    /// Whether a name matches a glob; makes no arrays.
    static func matches(_ name: String, glob: String) -> Bool {
        var (name, glob) = (name, glob)
        return name.withUTF8 { name in glob.withUTF8 { matches(name, $0) } }
    }

    /// Reads the `nodes` field of a message: a list of names and globs, or one of them; all nodes without it.
    static func read(
        _ fields: Fields,
        in view: GraphView,
        limits: SessionLimits
    ) throws(HostError) -> [NamedNode] {
        guard let patterns = try patterns(fields) else {
            let nodes = view.nodes
            guard nodes.count <= limits.matches else {
                throw HostError(.subLimit, "more than \(limits.matches) nodes match")
            }
            return nodes
        }
        return try pick(patterns, in: view, limit: limits.matches)
    }

    /// The names and globs of the `nodes` field of a message; nil without it.
    static func patterns(_ fields: Fields) throws(HostError) -> [String]? {
        guard let field = fields["nodes"] else { return nil }
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

    /// Whether `name` matches `pattern`, in which `*` stands for any run of characters and `?` for one.
    private static func matches(
        _ name: UnsafeBufferPointer<UInt8>,
        _ pattern: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        var (i, j) = (0, 0)
        var retry: (name: Int, pattern: Int)?
        while i < name.count {
            if j < pattern.count, pattern[j] == UInt8(ascii: "*") {
                retry = (i, j)
                j += 1
                if j == pattern.count { return true }
            } else if j < pattern.count, pattern[j] == UInt8(ascii: "?") || pattern[j] == name[i] {
                i += 1
                j += 1
            } else if let back = retry {
                retry = (back.name + 1, back.pattern)
                i = back.name + 1
                j = back.pattern + 1
            } else {
                return false
            }
        }
        while j < pattern.count, pattern[j] == UInt8(ascii: "*") { j += 1 }
        return j == pattern.count
    }
}
