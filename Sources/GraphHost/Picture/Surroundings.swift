internal import CEL

/// The nodes near one of them, for pictures of a part of a graph (I-1).
///
/// A node is near if a path of at most `depth` lines of the picture leads to it, upstream or
/// downstream.
public struct Surroundings: Hashable, Sendable {
    public static let depths = 1...16
    public static let customaryDepth = 2

    /// The name of the node in the middle.
    public let node: String
    /// The largest distance, in lines.
    public let depth: Int

    /// The surroundings of `node`; the caller has checked that `depth` is one of ``depths``.
    public init(of node: String, depth: Int?) {
        self.node = node
        self.depth = depth ?? Self.customaryDepth
    }

    public static var depthAlone: HostError {
        HostError(.badField, "depth: belongs to 'around', which is missing")
    }

    /// The indices of the near entries in a picture of everything.
    func places(in picture: Picture) -> Set<Int> {
        var byNumber: [UInt64: Int] = [:]
        var byName: [String: Int] = [:]
        for (place, entry) in picture.entries.enumerated() {
            if let number = entry.number { byNumber[number] = place }
            if let named = entry.named { byName[named.name] = place }
        }
        guard let middle = byName[node] else { return [] }
        var neighbours: [Int: [Int]] = [:]
        func connect(_ one: Int?, _ other: Int?) {
            guard let one, let other else { return }
            neighbours[one, default: []].append(other)
            neighbours[other, default: []].append(one)
        }
        for link in picture.links { connect(byNumber[link.from], byNumber[link.to]) }
        // For a node that does not live, the nodes it would be made from.
        for (place, entry) in picture.entries.enumerated() where entry.node == nil {
            for input in entry.inputs { connect(byName[input], place) }
        }
        var near: Set<Int> = [middle]
        var edge = [middle]
        for _ in 0..<depth where !edge.isEmpty {
            edge = edge.flatMap { neighbours[$0] ?? [] }.filter { near.insert($0).inserted }
        }
        return near
    }
}

extension GraphView {
    /// Throws `unknown_node`, with a similar name as a hint, if the node in the middle does not
    /// exist for the caller.
    public func require(_ surroundings: Surroundings) throws(HostError) {
        let name = surroundings.node
        if let node = graph.node(name), access.rights(on: node).contains(.read) { return }
        var error = HostError(.unknownNode, "around: no such node in \(graph.name)", node: name)
        error.hint = Spelling.hint(for: name, among: nodes.lazy.map(\.name))
        throw error
    }
}
