internal import CEL

/// The nodes around one of them, for pictures of a part of a graph (I-1).
///
/// A node is near where at most `depth` lines of the picture lead to it, against the direction of values or with it.
public struct Surroundings: Hashable, Sendable {
    /// How far a picture may reach.
    public static let depths = 1...16
    /// How far it reaches unless something else is said.
    public static let customaryDepth = 2

    /// The name of the node in the middle.
    public let node: String
    /// How many lines away what is shown may be.
    public let depth: Int

    /// Of `node`; the caller has checked that `depth` is one of ``depths``.
    public init(of node: String, depth: Int?) {
        self.node = node
        self.depth = depth ?? Self.customaryDepth
    }

    /// The error for a depth that is given without a node.
    public static var depthAlone: HostError {
        HostError(.badField, "depth: belongs to 'around', which is missing")
    }

    /// The places of the entries that are near, in a picture of everything.
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
        // Of a node that does not exist, what it would be made from.
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
    /// Refuses surroundings of a node that does not exist for the caller.
    ///
    /// - Throws: `unknown_node`, with the name that was probably meant.
    public func require(_ surroundings: Surroundings) throws(HostError) {
        let name = surroundings.node
        if let node = graph.node(name), access.rights(on: node).contains(.read) { return }
        var error = HostError(.unknownNode, "around: no such node in \(graph.name)", node: name)
        error.hint = Spelling.hint(for: name, among: nodes.lazy.map(\.name))
        throw error
    }
}
