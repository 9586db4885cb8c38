internal import ReactiveGraph

/// What a graph looks like at this moment: its named nodes, and with `live` everything else that exists and who
/// listens (wire-protocol.md §1.7, §3).
///
/// Looking makes nothing and keeps nothing: a declared node that does not exist at the moment is shown with
/// `"exists": false` and no value.
struct Picture {
    /// One node: a name of the definition, or a number of the graph, or both.
    struct Entry {
        let number: UInt64?
        let named: NamedNode?
        let record: Chains.Record?
        let node: Node<Datum>?
        var owners: [UInt64] = []

        /// What the wire calls it.
        var kind: String {
            if let named { return named.definition.kindName }
            return record == nil ? "stage" : "chain"
        }
    }

    struct Link {
        let from: UInt64
        let to: UInt64
        /// The inner following of a flatten.
        let isInner: Bool
    }

    /// A connection that listens to something in this graph.
    struct Listener {
        let session: Session
        let on: [UInt64]
        let queued: Int
        let folded: UInt64
    }

    let graph: LiveGraph
    private(set) var entries: [Entry] = []
    private(set) var links: [Link] = []
    private(set) var listeners: [Listener] = []

    init(of graph: LiveGraph, isLive: Bool) {
        self.graph = graph
        for named in graph.nodes {
            let node = named.living
            entries.append(Entry(number: node?.id, named: named, record: nil, node: node))
        }
        if isLive { addUnnamed() }
        addLinks()
        if isLive { addListeners() }
    }

    /// The nodes of client pipelines and the inner ones of definitions' pipes, in order of birth.
    private mutating func addUnnamed() {
        var open: [AnyNode] = entries.compactMap(\.node)
        for record in graph.chains.all {
            open.append(record.node)
        }
        var seen: Set<UInt64> = []
        var found: [AnyNode] = []
        while let node = open.popLast() {
            guard seen.insert(node.id).inserted else { continue }
            found.append(node)
            open.append(contentsOf: node.upstreamNodes)
            open.append(contentsOf: node.followedNodes)
        }
        let known = Set(entries.compactMap(\.number))
        for node in found.sorted(by: { $0.id < $1.id }) where !known.contains(node.id) {
            if graph.chains.isHidden(node.id) { continue }
            let record = graph.chains.record(of: node.id)
            entries.append(Entry(number: node.id, named: nil, record: record, node: node as? Node<Datum>))
        }
    }

    private mutating func addLinks() {
        let known = Set(entries.compactMap(\.number))
        for entry in entries {
            guard let node = entry.node else { continue }
            for upstream in node.upstreamNodes where known.contains(upstream.id) {
                links.append(Link(from: upstream.id, to: node.id, isInner: false))
            }
            for inner in node.followedNodes where known.contains(inner.id) {
                links.append(Link(from: inner.id, to: node.id, isInner: true))
            }
        }
    }

    private mutating func addListeners() {
        var owners: [UInt64: [UInt64]] = [:]
        for session in graph.host.sessions.all {
            let subscriptions = session.subscriptions.filter { $0.graph === graph }
            guard !subscriptions.isEmpty else { continue }
            let on = subscriptions.flatMap { $0.listenedNodes.map(\.id) }
            listeners.append(
                Listener(
                    session: session,
                    on: on,
                    queued: subscriptions.reduce(0) { $0 + $1.queued },
                    folded: subscriptions.reduce(0) { $0 + $1.foldedInAll }
                )
            )
            for number in on where owners[number]?.last != session.number {
                owners[number, default: []].append(session.number)
            }
        }
        for place in entries.indices {
            if let number = entries[place].number { entries[place].owners = owners[number] ?? [] }
        }
    }
}
