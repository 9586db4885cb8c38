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
    fileprivate var number: UInt64 = 0

    /// A link over the pipeline of a single node.
    package init(_ kind: Kind, over subject: Subject, from source: NamedNode, to target: NamedNode) {
        self.kind = kind
        self.source = source
        self.target = target
        label = subject.pipe.map(\.label).joined(separator: " | ")
        waits = subject.pipe.contains { $0.stateClass == .timed }
    }

    package var fromName: String { source.name }
    package var toName: String { target.name }
    /// The node that it reads.
    package var from: NamedNode { source.present }
    /// The node that it sets.
    package var to: NamedNode { target.present }
}

/// The links that clients have made in one graph.
package struct ClientLinks {
    /// What leads to one node.
    private struct Leading {
        var links: [ObjectIdentifier: ClientLink] = [:]
        /// The last change of the node that came over a `sync`, and when it was made.
        var last: (rev: UInt64, birth: UInt64) = (0, 0)
    }

    /// By the names of the nodes that they lead to.
    private var links: [String: Leading] = [:]
    private var made: UInt64 = 0
    package private(set) var count = 0

    package var isEmpty: Bool { links.isEmpty }

    /// The names of the nodes that they lead to.
    var targets: some Collection<String> { links.keys }

    /// Those that lead to a node, in the order in which they were made.
    package func leading(to name: String) -> [ClientLink] {
        links[name]?.links.values.sorted { $0.number < $1.number } ?? []
    }

    package mutating func add(_ link: ClientLink) {
        made += 1
        link.number = made
        links[link.toName, default: Leading()].links[ObjectIdentifier(link)] = link
        count += 1
    }

    package mutating func remove(_ link: ClientLink) {
        let name = link.toName
        guard links[name]?.links.removeValue(forKey: ObjectIdentifier(link)) != nil else { return }
        count -= 1
        if links[name]?.links.isEmpty == true { links[name] = nil }
    }

    /// A commit that a `sync` has made changes the node.
    mutating func note(_ commit: Commit, at rev: UInt64) {
        commit.set.forEachNode { links[$0.name]?.last = (rev, commit.birth) }
        for node in commit.clear { links[node.name]?.last = (rev, commit.birth) }
    }

    /// A `sync` begins with the present value of the node: that counts as made now, so that what
    /// another change still leads to it does not win over it on its way.
    ///
    /// - Returns: when that is.
    package mutating func begin(from node: NamedNode) -> UInt64 {
        let birth = 2 * node.graph.rev + 1
        links[node.name]?.last = (node.changed.rev, birth)
        return birth
    }

    /// When the change of a node at `rev` was made, in half revs: twice the rev of a commit.
    ///
    /// A change that came over a `sync` is as old as the one that it goes back to, so that the
    /// newest wins, whichever way and however late it comes. The value that a `sync` begins with
    /// is made after all that is there, and before the next commit.
    package func birth(ofChangeAt rev: UInt64, of name: String) -> UInt64 {
        guard let last = links[name]?.last, last.rev == rev else { return 2 * rev }
        return last.birth
    }
}

extension NamedNode {
    /// When its newest change was made, applied or on its way
    /// (``ClientLinks/birth(ofChangeAt:of:)``).
    var birth: UInt64 {
        pending?.birth ?? graph.clients.links.birth(ofChangeAt: changed.rev, of: name)
    }
}
