internal import Definitions
package import ReactiveGraph
package import Values

/// Several nodes that are read together.
///
/// All are held until the last one is read, so that a node that more than one of them needs is
/// built once.
public struct HeldValues {
    package let graph: LiveGraph
    package let nodes: [(name: NamedNode, living: Node<Datum>)]

    /// The nodes of a graph, built if they do not live.
    public init(_ nodes: [NamedNode], in graph: LiveGraph) {
        self.graph = graph
        self.nodes = nodes.map { ($0, graph.builder.materialise($0)) }
        graph.host.work += UInt64(nodes.count)
    }

    /// The first of these nodes, as many as have ``SessionLimits/answerBytes`` together.
    package init(fitting nodes: [NamedNode], in graph: LiveGraph) {
        self.graph = graph
        var held: [(name: NamedNode, living: Node<Datum>)] = []
        var bytes = 0
        for node in nodes {
            guard held.isEmpty || bytes < graph.host.limits.answerBytes else { break }
            let living = graph.builder.materialise(node)
            held.append((node, living))
            bytes += living.value?.knownByteCount ?? 0
        }
        self.nodes = held
        graph.host.work += UInt64(held.count)
    }

    package var count: Int { nodes.count }

    /// The nodes with their names.
    package var living: [(name: String, node: Node<Datum>)] { nodes.map { ($0.name.name, $0.living) } }

    public func forEach(_ visit: (NamedNode, Held) -> Void) {
        for (name, living) in nodes { visit(name, living.held) }
    }
}
