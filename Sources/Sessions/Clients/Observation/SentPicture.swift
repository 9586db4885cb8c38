internal import Graphs
internal import ReactiveGraph
internal import Values

/// What an observer has sent of a graph: the next message has the differences from it.
struct SentPicture {
    struct KnownNode {
        unowned let node: Node<Datum>
        let owners: [Picture.Owner]
        var count: UInt32
    }

    struct KnownListener: Equatable {
        let on: [UInt64]
        let families: [String]
        let owners: [String]
        let client: String?
        let queued: Int
        let folded: UInt64
    }

    var nodes: [UInt64: KnownNode] = [:]
    /// The names that are shown, if not all are.
    private(set) var names: Set<String> = []
    /// How many values wait in each edge.
    private(set) var edges: [UInt64: Int] = [:]
    var listeners: [Picture.Holder: KnownListener] = [:]

    init() {}

    /// A picture with only these of its listeners.
    init(_ picture: Picture, _ listed: [Picture.Listener], namesToo: Bool) {
        for entry in picture.entries {
            guard let number = entry.number, let node = entry.node else { continue }
            nodes[number] = KnownNode(
                node: node,
                owners: entry.owners,
                count: node.emissionCount
            )
        }
        if namesToo { names = Set(picture.entries.compactMap(\.named?.name)) }
        for link in picture.links { edges[link.number] = link.queued }
        for listener in listed {
            listeners[listener.holder] = KnownListener(
                on: listener.on,
                families: listener.families.map(\.pattern.text),
                owners: listener.owners,
                client: listener.client,
                queued: listener.queued,
                folded: listener.folded
            )
        }
    }
}
