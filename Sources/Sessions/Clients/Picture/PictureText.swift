public import Graphs
internal import Definitions
internal import Support

/// A picture of a graph as text: JSON, or a diagram.
///
/// The same graph gives the same text (G-106).
public struct PictureText {
    let graph: LiveGraph
    let picture: Picture
    private let isLive: Bool
    private let access: Access?

    /// A picture of a graph, or of a part.
    ///
    /// With `live` also of the nodes of client pipelines, the listeners and the open upstreams.
    /// With `access` it shows what the caller may read, and what it may set.
    public init(
        of graph: LiveGraph,
        live isLive: Bool,
        around surroundings: Surroundings? = nil,
        for access: Access? = nil
    ) {
        self.graph = graph
        self.isLive = isLive
        self.access = access
        // Live pictures are for callers that may read everything.
        let limit = isLive ? nil : access
        picture = Picture(of: graph, isLive: isLive, access: limit, surroundings: surroundings)
    }

    /// The picture in that form.
    public func bytes(as format: PictureFormat) -> [UInt8] {
        switch format {
        case .json: json()
        case .dot: dot()
        case .mermaid: mermaid()
        }
    }

    /// `{"graph","epoch","rev","t","nodes":[…],"edges":[…],"listeners":[…],"upstreams":[…]}`.
    public func json() -> [UInt8] {
        var buffer = ByteBuffer()
        buffer.append("{")
        buffer.member("graph", graph.name)
        Answer.appendMoment(of: graph, to: &buffer)
        buffer.member("nodes", list: picture.entries) { $0.append(to: &$1, isLive: isLive, for: access) }
        buffer.member("edges", list: picture.links) { $0.append(to: &$1) }
        if !picture.families.isEmpty {
            buffer.member("families", list: picture.families) { $0.append(to: &$1) }
        }
        if isLive {
            buffer.member("listeners", list: picture.listeners) { $0.append(to: &$1) }
            if graph.definition.hasSources {
                buffer.member("upstreams", list: picture.upstreams) { $0.append(to: &$1) }
            }
        }
        buffer.append("}")
        return Array(buffer.bytes)
    }

    /// The listeners and their nodes: `{"listeners":[…]}`, entries as in a live picture.
    public static func listenersJSON(of graph: LiveGraph) -> [UInt8] {
        var buffer = ByteBuffer()
        buffer.append("{")
        buffer.member("listeners", list: Picture.listeners(of: graph)) { $0.append(to: &$1) }
        buffer.append("}")
        return Array(buffer.bytes)
    }
}
