public import Graphs
internal import Definitions
internal import ReactiveGraph
internal import Support
public import Values

/// Why a node is alive: the paths from everything that holds something down to it (`why`;
/// docs/protocol-http.md; I-2).
///
/// The library finds them (`ownerPaths`); this writes them in the server's terms. It makes no node
/// and keeps none alive.
struct WhyAlive {
    private let named: NamedNode
    private let paths: [OwnerPath]
    private let isCut: Bool
    /// The upstreams of the source nodes that it is made from.
    private let upstreams: [WhyOpen]

    init(_ named: NamedNode, limit: Int) {
        self.named = named
        let sources =
            named.definition.feed != nil && named.living == nil
            ? [named] : named.presentSources(atMost: limit)
        upstreams = sources.map { WhyOpen($0, limit: limit) }
        guard let node = named.living else {
            (paths, isCut) = ([], false)
            return
        }
        // Two more: one may be the variable of this request, and one shows that there are others.
        let found = node.ownerPaths(limit: limit + 2).filter { !$0.isQuestion }
        paths = Array(found.prefix(limit))
        isCut = found.count > limit
        let counts = named.graph.core.counts
        named.graph.host.work += Access.work(looking: counts.liveNodes + counts.liveListeners)
    }

    /// Appends `{"graph","node","epoch","rev","t","retain","exists","ways":[…],"upstreams":[…]}`.
    func append(to buffer: inout ByteBuffer) {
        let graph = named.graph
        buffer.append("{")
        buffer.member("graph", graph.name)
        buffer.member("node", named.name)
        Answer.appendMoment(of: graph, to: &buffer)
        buffer.member("retain", named.definition.retain.rawValue)
        buffer.member("exists", named.living != nil)
        buffer.member("ways", list: paths) { append($0, to: &$1) }
        if isCut { buffer.member("more", true) }
        if !upstreams.isEmpty { buffer.member("upstreams", list: upstreams) { $0.append(to: &$1) } }
        buffer.append("}\n")
    }

    private func append(_ path: OwnerPath, to buffer: inout ByteBuffer) {
        buffer.append("{")
        buffer.member("by")
        switch path.holder {
        case .listener: append(listens: path.listens, to: &buffer)
        case .registry:
            let holder = named.graph.name(of: path.nodes[0]) ?? named
            buffer.append(json: holder.definition.retain.rawValue)
        case .edge: buffer.append(json: NodeHolder.edge.rawValue)
        case .reference: buffer.append(json: NodeHolder.reference.rawValue)
        case .ring: buffer.append(json: NodeHolder.ring.rawValue)
        }
        buffer.member("path", list: Array(path.nodes.enumerated())) { step, buffer in
            append(step.element, via: step.offset == 0 ? nil : path.links[step.offset - 1], to: &buffer)
        }
        buffer.append("}")
    }

    /// Appends the subscriptions of one connection with the same owners, after `"by":`.
    private func append(listens: [Edge], to buffer: inout ByteBuffer) {
        buffer.append(json: NodeHolder.listener.rawValue)
        let subscriptions = listens.compactMap(Subscription.of)
        guard let first = subscriptions.first else { return }
        let session = first.session
        let holder =
            first.ticket.flatMap { first.isKept ? .ticket($0.number) : nil }
            ?? Picture.Holder.connection(session.number)
        buffer.member("l", holder.text)
        buffer.member("client", session.client)
        buffer.member("transport", first.isKept ? "kept" : session.kind.rawValue)
        buffer.member("subs", list: subscriptions.map(\.whole.id)) { $1.append(decimal: $0) }
        let targets = subscriptions.compactMap { ($0 as? LinkSubscription)?.link.to.name }
        if !targets.isEmpty { buffer.member("links", list: targets) { $1.append(json: $0) } }
        var owners: [Picture.Owner] = []
        for name in subscriptions.flatMap(\.ownerNames) {
            let owner = Picture.Owner(holder: holder, name: name)
            if !owners.contains(owner) { owners.append(owner) }
        }
        buffer.member("owners")
        buffer.append(owners: owners)
    }

    /// Appends a node of a path, and how the one before holds it.
    private func append(_ node: AnyNode, via link: String?, to buffer: inout ByteBuffer) {
        let graph = named.graph
        buffer.append("{")
        buffer.member("n", node.id)
        // The edge's name as definitions write it.
        buffer.member("via", link.map { $0.prefix(1).lowercased() + $0.dropFirst() })
        if let named = graph.name(of: node) {
            buffer.member("name", named.name)
        } else if let record = graph.chains.record(of: node.id) {
            buffer.member("chain", record.label)
        } else if let inner = graph.chains.inner(node.id) {
            buffer.member("of", inner.part.name)
            buffer.member("label", inner.part.label)
        }
        buffer.append("}")
    }
}

/// What holds a node at the end of a path, besides its definition (`by`).
package enum NodeHolder: String, CaseIterable {
    case listener, edge, reference, ring

    /// All values of `by`.
    package static let words = allCases.map(\.rawValue) + Retention.held.map(\.rawValue)
}

extension OwnerPath {
    /// Whether it is this request that holds the node.
    fileprivate var isQuestion: Bool { holder == .reference && nodes.count == 1 }
}

extension GraphView {
    /// At most `limit` paths that keep a node alive:
    /// `{"graph","node","epoch","rev","t","retain","exists","ways"}`, and `upstreams` if it is
    /// made from source nodes.
    ///
    /// - Throws: `forbidden` if the caller may not see everything that lives in the graph.
    public func whyAlive(_ node: NamedNode, limit: Int) throws(HostError) -> [UInt8] {
        try requireObservation()
        var buffer = ByteBuffer()
        WhyAlive(node, limit: limit).append(to: &buffer)
        return Array(buffer.bytes)
    }
}
