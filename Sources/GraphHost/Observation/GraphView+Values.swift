internal import Support

extension GraphView {
    /// What the nodes that these names and globs mean hold, all at one rev (`values`; docs/protocol.md, HTTP).
    ///
    /// - Parameters:
    ///   - patterns: names and globs; every node that may be read where there are none.
    ///   - limit: how many nodes at most.
    ///   - hasFacets: whether what is known besides the values is told, too.
    ///   - loads: whether producers are asked for what is empty or stale (D-2).
    /// - Returns: JSON, `{"epoch","rev","t","m":{name:{"v"|"empty"|"fail"}}}`.
    /// - Throws: what ``NodeSelection/pick(_:in:limit:)`` does.
    public func values(
        of patterns: [String],
        limit: Int,
        facets hasFacets: Bool = false,
        load loads: Bool = false
    ) throws(HostError) -> [UInt8] {
        let nodes = try NodeSelection.pick(patterns.isEmpty ? ["*"] : patterns, in: self, limit: limit)
        if loads { for node in nodes { graph.load(node) } }
        var buffer = ByteBuffer()
        buffer.append("{\"epoch\":")
        buffer.append(json: graph.epoch)
        buffer.append(",\"rev\":")
        buffer.append(decimal: graph.rev)
        Answer.appendTime(of: graph, to: &buffer)
        buffer.append(",\"m\":")
        graph.appendValues(of: nodes, facets: hasFacets, to: &buffer)
        buffer.append("}\n")
        return Array(buffer.bytes)
    }
}
