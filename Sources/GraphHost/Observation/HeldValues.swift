internal import Definitions
internal import ReactiveGraph
internal import Values

/// Several nodes that are read together.
///
/// All are held until the last one is read, so that a node that more than one of them needs is
/// built once.
public struct HeldValues {
    let graph: LiveGraph
    let nodes: [(name: NamedNode, living: Node<Datum>)]

    /// The nodes of a graph, built if they do not live.
    public init(_ nodes: [NamedNode], in graph: LiveGraph) {
        self.graph = graph
        self.nodes = nodes.map { ($0, graph.builder.materialise($0)) }
        graph.host.work += UInt64(nodes.count)
    }

    /// The first of these nodes, as many as have ``SessionLimits/answerBytes`` together.
    init(fitting nodes: [NamedNode], in graph: LiveGraph) {
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

    var count: Int { nodes.count }

    /// The nodes with their names.
    var living: [(name: String, node: Node<Datum>)] { nodes.map { ($0.name.name, $0.living) } }

    public func forEach(_ visit: (NamedNode, Held) -> Void) {
        for (name, living) in nodes { visit(name, living.held) }
    }
}
