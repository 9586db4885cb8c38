/// The form of a picture.
public enum PictureFormat: String, Sendable {
    case json, dot, mermaid
}

extension GraphView {
    /// A picture of the graph, as far as the caller may see it; if live, of everything that exists
    /// at the moment, and its owners.
    ///
    /// - Throws: `forbidden` if the caller may not see it, `unknown_node` if there are no such
    ///   surroundings.
    public func picture(
        _ format: PictureFormat,
        live isLive: Bool,
        around surroundings: Surroundings? = nil
    ) throws(HostError) -> [UInt8] {
        if isLive { try requireObservation() }
        if let surroundings { try require(surroundings) }
        return PictureText(
            of: graph,
            live: isLive,
            nodes: isLive ? nil : nodes,
            access.readableFamilies(graph),
            around: surroundings,
            for: access
        )
        .bytes(as: format)
    }
}
