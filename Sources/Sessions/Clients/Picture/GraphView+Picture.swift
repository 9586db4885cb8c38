public import Graphs
internal import Definitions
public import Values

/// The form of a picture.
public enum PictureFormat: String, CaseIterable, Sendable {
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
        if let surroundings { try require(surroundings) } else { try requirePicture(live: isLive) }
        return PictureText(of: graph, live: isLive, around: surroundings, for: access).bytes(as: format)
    }

    /// Throws `too_large` if the graph has too many nodes for a picture of the whole.
    func requirePicture(live isLive: Bool) throws(HostError) {
        let most = graph.host.limits.pictureNodes
        guard graph.nodes.count > most || graph.chains.all.count > most else { return }
        let shown = isLive ? graph.nodes.count + graph.chains.all.count : access.countReadable(graph)
        guard shown > most else { return }
        var error = HostError(
            .tooLarge,
            "\(graph.name) has \(shown) nodes, more than a picture shows (limits.picture: \(most))"
        )
        error.hint = "ask for a part with 'around' and 'depth', or page through …/nodes"
        throw error
    }
}
