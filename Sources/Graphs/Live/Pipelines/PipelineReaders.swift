internal import Definitions

/// What chooses the nodes that the source of a client's pipeline reads, by the client's rights.
package protocol NodeChooser: AnyObject {
    /// The rights of one of the clients have changed.
    ///
    /// - Returns: false if the new rights choose other nodes than those that are read now.
    func admits(_ new: Access) -> Bool
}

/// The clients that share a pipeline whose nodes depend on their rights: each of them must be able
/// to use every node.
struct PipelineReaders {
    private var accesses: [Access]

    /// The most clients with different rights that may have used one pipeline.
    private static let most = 16

    /// Without an access, for a node of the definition, which may use every node.
    init(_ access: Access?) { accesses = access.map { [$0] } ?? [] }

    /// Whether they belong to a definition.
    var isEmpty: Bool { accesses.isEmpty }

    /// The one with which the pipeline began.
    var first: Access? { accesses.first }

    func mayUse(_ node: NamedNode) -> Bool { accesses.allSatisfy { Self.mayUse(node, $0) } }

    static func mayUse(_ node: NamedNode, _ access: Access) -> Bool {
        access.rights(on: node).isSuperset(of: [.read, .pipe])
    }

    /// Adds the new rights of one of them.
    ///
    /// - Returns: false if there are too many.
    mutating func add(_ new: Access) -> Bool {
        if accesses.contains(where: { $0.isLike(new) }) { return true }
        guard accesses.count < Self.most else { return false }
        accesses.append(new)
        return true
    }
}
