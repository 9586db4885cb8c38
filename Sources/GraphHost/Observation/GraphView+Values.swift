internal import Support

extension GraphView {
    /// The values of the nodes that match these names and globs, all at one rev (`values`;
    /// docs/protocol.md, HTTP); without patterns, of every node that the caller may read.
    ///
    /// `loads` asks producers for missing and stale values (D-2).
    ///
    /// - Throws: the errors of ``NodeSelection/pick(_:in:limit:)``.
    public func values(
        of patterns: [String],
        limit: Int,
        facets hasFacets: Bool = false,
        load loads: Bool = false
    ) throws(HostError) -> [UInt8] {
        let nodes = try NodeSelection.pick(patterns.isEmpty ? ["*"] : patterns, in: self, limit: limit)
        if loads { for node in nodes { graph.load(node) } }
        var buffer = ByteBuffer()
        buffer.append("{")
        Answer.appendMoment(of: graph, to: &buffer)
        buffer.member("m")
        HeldValues(nodes, in: graph).append(facets: hasFacets, to: &buffer)
        buffer.append("}\n")
        return Array(buffer.bytes)
    }
}
