internal import Support

extension GraphView {
    /// The values of the nodes that match these names and globs, all at one rev (`values`;
    /// docs/protocol.md, HTTP).
    ///
    /// - Parameters:
    ///   - patterns: names and globs; if empty, every node that the caller may read.
    ///   - limit: the most nodes.
    ///   - hasFacets: whether to include facets.
    ///   - loads: whether to ask producers for missing and stale values (D-2).
    /// - Returns: JSON, `{"epoch","rev","t","m":{name:{"v"|"empty"|"fail"}}}`.
    /// - Throws: the errors of ``NodeSelection/pick(_:in:limit:)``; `too_large`.
    public func values(
        of patterns: [String],
        limit: Int,
        facets hasFacets: Bool = false,
        load loads: Bool = false
    ) throws(HostError) -> [UInt8] {
        let nodes = try NodeSelection.pick(patterns.isEmpty ? ["*"] : patterns, in: self, limit: limit)
        let held = HeldValues(nodes, in: graph)
        try held.checkSize()
        if loads { for node in nodes { graph.load(node) } }
        var buffer = ByteBuffer()
        buffer.append("{")
        Answer.appendMoment(of: graph, to: &buffer)
        buffer.member("m")
        held.append(facets: hasFacets, to: &buffer)
        buffer.append("}\n")
        return Array(buffer.bytes)
    }
}
