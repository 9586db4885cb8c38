public import Graphs
internal import Definitions
internal import Support
public import Values

/// A part of the values that match, in the byte order of the names.
public struct ValuesPage: Sendable {
    /// The name before the first one; nil: from the beginning.
    public let after: String?
    /// The most nodes; nil: as many as an answer may have.
    public let limit: Int?

    /// Values of at most `limit` nodes that come after `after`.
    public init(after: String?, limit: Int?) {
        self.after = after
        self.limit = limit
    }

    /// How many globs one page may have: each may look at thousands of names.
    static let mostGlobs = 16
}

extension GraphView {
    /// The values of the nodes that match these names and globs, all at one rev (`values`;
    /// docs/protocol-http.md).
    ///
    /// - Parameters:
    ///   - patterns: names and globs; if empty, every node that the caller may read.
    ///   - limit: the most nodes of one answer. If more match, it is the first page.
    ///   - page: the page; nil: all of them, if there is room.
    ///   - hasFacets: whether to include facets.
    ///   - loads: whether to ask producers for missing and stale values (D-2).
    /// - Returns: JSON, `{"epoch","rev","t","m":{name:{"v"|"empty"|"fail"}},"next"}`; `next` asks
    ///   for the next page, if there may be one.
    /// - Throws: the errors of ``NodeSelection``; `too_large`, `bad_field`.
    public func values(
        of patterns: [String],
        limit: Int,
        page: ValuesPage? = nil,
        facets hasFacets: Bool = false,
        load loads: Bool = false
    ) throws(HostError) -> [UInt8] {
        let patterns = patterns.isEmpty ? ["*"] : patterns
        var (nodes, next) = try selected(patterns, page, limit: limit)
        var held: HeldValues
        if page == nil, next == nil {
            held = HeldValues(nodes, in: graph)
            try held.checkSize()
        } else {
            held = HeldValues(fitting: nodes, in: graph)
            if held.count < nodes.count {
                nodes.removeSubrange(held.count...)
                next = nodes.last?.name
            }
        }
        if loads { for node in nodes { graph.load(node) } }
        var buffer = ByteBuffer()
        buffer.append("{")
        Answer.appendMoment(of: graph, to: &buffer)
        buffer.member("m")
        held.append(facets: hasFacets, to: &buffer)
        buffer.member("next", next)
        buffer.append("}\n")
        return Array(buffer.bytes)
    }

    /// The nodes of a page; without one all that match, or the first page if they are more than
    /// `limit`.
    ///
    /// A page looks no further than it goes. More globs than it may have are all looked through,
    /// and names alone keep their order.
    private func selected(
        _ patterns: [String],
        _ page: ValuesPage?,
        limit: Int
    ) throws(HostError) -> (nodes: [NamedNode], next: String?) {
        let globs = Set(patterns.filter(Glob.isGlob)).count
        if page == nil, globs == 0 || globs > ValuesPage.mostGlobs {
            let selection = try NodeSelection(patterns, in: self, limit: limit)
            if selection.left.count == 0 { return (selection.nodes, nil) }
        }
        return try names(matchingAny: patterns, after: page?.after, limit: min(page?.limit ?? limit, limit))
    }

    /// At most `limit` nodes that match one of several names and globs, in the byte order of their
    /// names, and the `after` of the next page, if there may be one.
    private func names(
        matchingAny patterns: [String],
        after: String?,
        limit: Int
    ) throws(HostError) -> (nodes: [NamedNode], next: String?) {
        let globs = Set(patterns.filter(Glob.isGlob))
        guard globs.count <= ValuesPage.mostGlobs else {
            throw HostError(.badField, "nodes: a page can have at most \(ValuesPage.mostGlobs) globs")
        }
        var found: [String: NamedNode] = [:]
        for name in patterns where !Glob.isGlob(name) {
            let node = try node(graph.node(name), named: name, to: .read)
            if after.map({ $0 < name }) ?? true { found[name] = node }
        }
        // Each glob has been looked through only so far.
        var horizon: String?
        for glob in globs.sorted() {
            let (nodes, next) = names(matching: glob, after: after, limit: limit)
            for node in nodes { found[node.name] = node }
            if let next { horizon = min(horizon ?? next, next) }
        }
        var nodes = found.values.sorted { $0.name < $1.name }
        if let horizon { nodes.removeAll { $0.name > horizon } }
        guard nodes.count > limit else { return (nodes, horizon) }
        nodes.removeSubrange(limit...)
        return (nodes, nodes.last?.name)
    }
}
