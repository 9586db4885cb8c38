/// How a picture of a graph is written.
public enum PictureFormat: String, Sendable {
    case json, dot, mermaid
}

extension GraphView {
    /// What the graph looks like, as far as the caller may see.
    ///
    /// - Parameters:
    ///   - format: how it is written.
    ///   - isLive: whether everything is shown that exists at the moment, and who owns it.
    ///   - surroundings: of what only the surroundings are shown; nil: everything is.
    /// - Returns: the picture as UTF-8.
    /// - Throws: `forbidden` where that is not the caller's to see, `unknown_node` where there are no such surroundings.
    public func picture(
        _ format: PictureFormat,
        live isLive: Bool,
        around surroundings: Surroundings? = nil
    ) throws(HostError) -> [UInt8] {
        if isLive { try requireObservation() }
        if let surroundings { try require(surroundings) }
        let nodes = isLive ? nil : nodes
        return switch format {
        case .json:
            graph.pictureJSON(
                live: isLive,
                of: nodes,
                access.readableFamilies(graph),
                around: surroundings,
                for: access
            )
        case .dot: graph.pictureDOT(live: isLive, of: nodes, around: surroundings)
        case .mermaid: graph.pictureMermaid(live: isLive, of: nodes, around: surroundings)
        }
    }
}
