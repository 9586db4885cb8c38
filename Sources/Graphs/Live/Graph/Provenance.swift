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
            graph.present.causeOfPassed(at: node, in: graph),
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
    package func entries(for access: Access) -> [String] { fitting(all(for: access)).map(\.text) }

    /// An entry, and whether commits may set the node.
    private typealias Entry = (text: String, isSet: Bool)

    private func all(for access: Access) -> [Entry] {
        let names = PathNames(of: graph)
        let entries = (given?.entries ?? []).map { (names.shown($0, to: access), true) }
        return entries + newest.map { (names.entry(of: $0, for: access), $0.isMutable) }
    }

    /// Its nodes, without those that no path has room for: there may be very many.
    private var newest: [NamedNode] {
        guard nodes.count > ValuePath.longest else { return nodes }
        // One more of either kind shows that there are too many.
        var (derived, others) = (ValuePath.longest + 1, ValuePath.longest + 1)
        let newest = nodes.reversed().filter { node in
            if node.isMutable { others -= 1 } else { derived -= 1 }
            return (node.isMutable ? others : derived) >= 0
        }
        return newest.reversed()
    }

    private func fitting(_ all: [Entry]) -> [Entry] {
        var (count, bytes) = (all.count, ValuePath.bytes(of: all.lazy.map(\.text)))
        func leave(_ entry: Entry) -> Bool {
            guard !ValuePath.fits(count, bytes) else { return false }
            count -= 1
            bytes -= ValuePath.bytes(of: CollectionOfOne(entry.text))
            return true
        }
        let kept = all.enumerated().filter { place, entry in
            entry.isSet || place == all.count - 1 || !leave(entry)
        }
        return kept.map(\.element).filter { !leave($0) }
    }

    /// The path with which a client's link continues it; nil: no further link may.
    package var path: ValuePath? {
        let all = all(for: .full)
        let entries = fitting(all)
        // Without its oldest nodes that are set, a ring would not stop.
        guard entries.count(where: \.isSet) == all.count(where: \.isSet) else { return nil }
        let spread = given?.spread ?? LinkSpread()
        return spread.add() ? ValuePath(entries.map(\.text), spread: spread) : nil
    }
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
