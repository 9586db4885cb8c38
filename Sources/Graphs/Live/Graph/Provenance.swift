internal import Definitions
internal import ReactiveGraph
internal import Values

/// Where one emission has come from: its path, what it began with, and who.
///
/// Made only where a client asks for it.
package final class Provenance {
    package let cause: Cause
    private unowned let graph: LiveGraph
    /// The path that the client gave with whose commit it began.
    private let given: ValuePath?
    /// The named nodes that it has passed here, oldest first.
    private let nodes: [NamedNode]

    private init(_ cause: Cause, _ given: ValuePath?, _ nodes: [NamedNode], in graph: LiveGraph) {
        (self.cause, self.given, self.nodes, self.graph) = (cause, given, nodes, graph)
    }

    /// Of the emission that a node of the graph delivers at the moment.
    package convenience init(ofDeliveredBy node: UInt64, in graph: LiveGraph) {
        self.init(
            graph.present.cause(at: node, in: graph),
            graph.core.deliveredContext?.value(as: ValuePath.self),
            graph.core.passedEntries.map { $0 as! NamedNode },
            in: graph
        )
    }

    /// Of a node's present value, which goes out from the node as a replay does (G-40).
    package convenience init(ofValueOf node: NamedNode) {
        self.init(node.cause, nil, [node], in: node.graph)
    }

    /// The entries of its path as a caller may see them; a commit takes as many.
    ///
    /// If there are too many, the oldest derived nodes of this graph go first, because no commit
    /// sets them.
    package func entries(for access: Access) -> [String] {
        let names = PathNames(of: graph)
        var entries = (given?.entries ?? []).map { (text: names.shown($0, to: access), isSet: true) }
        entries += nodes.map { (names.entry(of: $0, for: access), $0.isMutable) }
        while !ValuePath.fits(entries.map(\.text)) {
            entries.remove(at: entries.dropLast().firstIndex { !$0.isSet } ?? 0)
        }
        return entries.map(\.text)
    }

    /// The path with which a commit continues it.
    package var path: ValuePath { ValuePath(entries(for: .full)) }
}

extension Provenance {
    /// So many more listeners ask for the paths of a graph's values: only then are names kept with
    /// what waits, and upstreams asked for paths.
    package static func ask(_ change: Int, in graph: LiveGraph) {
        graph.core.askForNames(change)
        if graph.definition.hasSources { graph.host.noteWays() }
    }

    package static func isAsked(in graph: LiveGraph) -> Bool { graph.core.isAskedForNames }
}
