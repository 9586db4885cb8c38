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
    /// - Returns: the picture as UTF-8.
    /// - Throws: `forbidden` where that is not the caller's to see.
    public func picture(_ format: PictureFormat, live isLive: Bool) throws(HostError) -> [UInt8] {
        if isLive { try requireObservation() }
        let nodes = isLive ? nil : nodes
        return switch format {
        case .json: graph.pictureJSON(live: isLive, of: nodes, access.readableFamilies(graph))
        case .dot: graph.pictureDOT(live: isLive, of: nodes)
        case .mermaid: graph.pictureMermaid(live: isLive, of: nodes)
        }
    }
}
