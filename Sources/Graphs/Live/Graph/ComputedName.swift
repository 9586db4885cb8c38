internal import Definitions
internal import ReactiveGraph
internal import Support
internal import Values

/// Finds the members that a computed name means, for one `flatten`.
///
/// In a client's pipeline only those that the client may use, asked anew for each name.
package final class ComputedName: NodeChooser {
    private unowned let graph: LiveGraph
    private var readers: PipelineReaders
    /// The newest name that means a node, and whether that may be used.
    private var newest: (name: String, isUsable: Bool)?

    /// For a node of the definition, `access` is nil.
    init(in graph: LiveGraph, for access: Access?) {
        self.graph = graph
        readers = PipelineReaders(access)
    }

    /// The living node of that name, built if it does not live, as for a listener.
    ///
    /// - Returns: nil if no family has such a member, or the client may not use it.
    /// - Throws: `too_large` or `sub_limit` if there is no room for another member.
    func node(_ name: String) throws(HostError) -> Node<Datum>? {
        newest = nil
        // A declared node counts only in the place of a member.
        guard Name.isValid(name), graph.members.family(of: name) != nil, let node = graph.node(name) else {
            return nil
        }
        let isUsable = readers.mayUse(node)
        newest = (name, isUsable)
        guard isUsable else { return nil }
        if node.living == nil { try graph.members.checkRoom(for: node, to: readers.first) }
        guard let access = readers.first else { return graph.builder.materialise(node) }
        return graph.charging(access.name) { graph.builder.materialise(node) }
    }

    package func admits(_ new: Access) -> Bool {
        if let (name, isUsable) = newest, let node = graph.node(name),
            PipelineReaders.mayUse(node, new) != isUsable
        {
            return false
        }
        return readers.add(new)
    }
}
