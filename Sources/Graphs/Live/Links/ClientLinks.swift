internal import Commits
internal import Definitions
internal import ReactiveGraph
package import Values

/// A link that a client has made: one direction of it, for a `sync`.
package final class ClientLink {
    package enum Kind: String {
        case link, sync
    }

    package let kind: Kind
    private let source: NamedNode
    private let target: NamedNode
    /// The stages on the way, for pictures and explanations.
    package let label: String
    /// Whether one of them waits.
    let waits: Bool
    /// Why the last value was not delivered.
    package var refusal: Datum?
    /// The rev of the newest of its commits that were applied; 0: none.
    package var newest: UInt64 = 0
    fileprivate var number: UInt64 = 0

    /// A link over the pipeline of a single node.
    package init(_ kind: Kind, over subject: Subject, from source: NamedNode, to target: NamedNode) {
        self.kind = kind
        self.source = source
        self.target = target
        label = subject.pipe.map(\.label).joined(separator: " | ")
        waits = subject.pipe.contains { $0.stateClass == .timed }
    }

    /// The node that it reads.
    package var from: NamedNode { source.present }
    /// The node that it sets.
    package var to: NamedNode { target.present }

    /// Whether the newest change of the node, applied or on its way, is by this link.
    func isLast(toChange node: NamedNode) -> Bool {
        node.pending.map { $0.link === self } ?? (node.changed.rev == newest)
    }
}

/// The links that clients have made in one graph.
package struct ClientLinks {
    private var links: [ObjectIdentifier: ClientLink] = [:]
    private var made: UInt64 = 0

    package var isEmpty: Bool { links.isEmpty }
    package var count: Int { links.count }

    /// All, in the order in which they were made.
    package var all: [ClientLink] { links.values.sorted { $0.number < $1.number } }

    package mutating func add(_ link: ClientLink) {
        made += 1
        link.number = made
        links[ObjectIdentifier(link)] = link
    }

    package mutating func remove(_ link: ClientLink) { links[ObjectIdentifier(link)] = nil }
}
