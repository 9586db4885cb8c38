internal import Graphs
internal import Definitions
internal import DequeModule
internal import ReactiveGraph
internal import Values

/// The contents of a graph at this moment: its named nodes, and with `live` everything else that
/// exists and who listens (docs/protocol.md, observe; docs/protocol-http.md).
///
/// It makes no node and keeps none alive: a declared node that does not live is shown with
/// `"exists": false` and no value.
struct Picture {
    let graph: LiveGraph
    private(set) var entries: [Entry] = []
    private(set) var links: [Link] = []
    private(set) var listeners: [Listener] = []
    private(set) var upstreams: [Upstream] = []
    let families: [NodeFamily]
    /// Whether only some members are shown; families represent the others.
    let hidesMembers: Bool
    /// With surroundings, the named nodes that may be near; nil: all of them.
    private let near: Set<ObjectIdentifier>?
    /// The most members that are shown by default; if there are more, none is.
    static let mostMembers = 200

    /// A picture of `nodes`, or of all nodes; a live one shows pipelines and listeners too.
    ///
    /// A live picture shows the family members named in `members`, and members connected with them;
    /// if `members` is nil, all members if they are few. With `surroundings` it shows only what is
    /// near one node (I-1), and looks no further. `access` limits it to what may be read.
    init(
        of graph: LiveGraph,
        isLive: Bool,
        access: Access? = nil,
        members names: [String]? = nil,
        surroundings: Surroundings? = nil
    ) {
        self.graph = graph
        families = access.map { $0.readableFamilies(graph) } ?? graph.members.families
        hidesMembers = isLive && Self.hidesMembers(of: graph, besides: names)
        let candidates = surroundings?.candidates(in: graph)
        near = candidates.map { Set($0.map(ObjectIdentifier.init)) }
        var members: [NamedNode] = []
        if let names {
            members = names.compactMap { graph.existing($0) }.filter { $0.family != nil && $0.node != nil }
        } else if isLive, !hidesMembers {
            members = graph.members.living.filter(isNear)
        }
        var declared = candidates?.filter { $0.family == nil } ?? graph.nodes
        if let access { declared.removeAll { !access.rights(on: $0).contains(.read) } }
        for named in declared + members { entries.append(Entry(named: named, node: named.living)) }
        if let access { hideInputs(from: access) }
        let middle = surroundings.flatMap { graph.existing($0.node) }
        // The node in the middle may be a member of a family, which is not declared.
        if let middle, !entries.contains(where: { $0.named === middle }) {
            entries.append(Entry(named: middle, node: middle.living))
        }
        if isLive {
            addUnnamed(with: hidesMembers ? relatives(of: members + (middle.map { [$0] } ?? [])) : [])
        }
        addLinks()
        if isLive, !graph.clients.links.isEmpty, let clients = graph.host.clients {
            links += clients.links(of: graph, among: Set(entries.compactMap(\.number)))
        }
        if hidesMembers { addFamilies() }
        if let surroundings { keep(surroundings.places(in: self)) }
        if isLive {
            let isLimited = surroundings != nil
            addListeners(limited: isLimited)
            let shown = isLimited || hidesMembers ? Set(entries.compactMap(\.number)) : nil
            upstreams = Self.upstreams(of: graph, among: shown, limited: isLimited)
        }
    }

    /// Removes all entries except these, and the links to others.
    private mutating func keep(_ places: Set<Int>) {
        entries = entries.indices.filter(places.contains).map { entries[$0] }
        let known = Set(entries.compactMap(\.number))
        links.removeAll { !known.contains($0.from) || !known.contains($0.to) }
    }

    private func isNear(_ node: NamedNode) -> Bool { near?.contains(ObjectIdentifier(node)) ?? true }

    /// Removes the names of nodes that may not be read from the inputs.
    private mutating func hideInputs(from access: Access) {
        for place in entries.indices {
            entries[place].inputs.removeAll { name in
                guard let node = graph.existing(name), node.family == nil else { return true }
                return !access.rights(on: node).contains(.read)
            }
        }
    }

    /// Adds the nodes of client pipelines and the inner nodes of definitions' pipes, in order of
    /// creation.
    ///
    /// Family members are included if they are few, or among `relatives`.
    private mutating func addUnnamed(with relatives: Set<AnyNode>) {
        var open: [AnyNode] = entries.compactMap(\.node)
        open.append(contentsOf: relatives)
        for record in graph.chains.all {
            open.append(record.node)
        }
        var found: [AnyNode] = []
        open.walk { node in
            if let named = graph.name(of: node), !relatives.contains(node) {
                if hidesMembers, named.family != nil { return [] }
                if !isNear(named) { return [] }
            }
            found.append(node)
            return Self.joinsMany(node) ? [] : node.neededNodes
        }
        let known = Set(entries.compactMap(\.number))
        for node in found.sorted(by: { $0.id < $1.id }) where !known.contains(node.id) {
            if graph.chains.isHidden(node.id) { continue }
            if let named = graph.name(of: node) {
                entries.append(Entry(named: named, node: named.living))
            } else {
                entries.append(Entry(unnamed: node, in: graph))
            }
        }
    }

    /// Determines which entries are made from members that are not shown.
    private mutating func addFamilies() {
        let shown = Set(entries.compactMap(\.number))
        for place in entries.indices {
            entries[place].families = families(of: entries[place], besides: shown)
        }
    }

    /// Whether the node has more members than are shown with an edge each.
    static func joinsMany(_ node: AnyNode) -> Bool {
        if let all = node as? any Gathering { all.memberCount > NodeLookup.mostGathered } else { false }
    }

    /// Adds links between shown nodes.
    ///
    /// A path over nodes that are not shown becomes one link.
    private mutating func addLinks() {
        let known = Set(entries.compactMap(\.number))
        for entry in entries {
            guard let node = entry.node else { continue }
            var open: Deque = [Way(node)]
            var seen: Set<UInt64> = [node.id]
            while let way = open.popFirst() {
                if Self.joinsMany(way.node) { continue }
                let connections = way.node.connections
                // Values that a stage holds back count for the edge into it.
                let waiting = connections.reduce(way.queued) { $0 + $1.waiting }
                for connection in connections {
                    let isInner = way.isInner || connection.isInner
                    let isFeedback = way.isFeedback || connection.isFeedback
                    if known.contains(connection.source) {
                        links.append(
                            Link(
                                number: connection.number,
                                from: connection.source,
                                to: node.id,
                                isInner: isInner,
                                isFeedback: isFeedback,
                                queued: waiting
                            )
                        )
                        continue
                    }
                    let hidden = way.node.neededNodes.first {
                        $0.id == connection.source
                    }
                    guard let hidden, isPart(hidden, of: entry), seen.insert(hidden.id).inserted else {
                        continue
                    }
                    open.append(Way(hidden, isInner: isInner, isFeedback: isFeedback, queued: waiting))
                }
            }
        }
    }

    /// Whether a node that is not shown is a stage of the one that is.
    private func isPart(_ node: AnyNode, of entry: Entry) -> Bool {
        if let record = entry.record { return record.previous == nil && graph.chains.isHidden(node.id) }
        return !graph.chains.isHidden(node.id) && graph.name(of: node) == nil && entry.named != nil
    }

    /// A part of the path from a shown node to its source.
    private struct Way {
        let node: AnyNode
        let isInner: Bool
        let isFeedback: Bool
        let queued: Int

        init(_ node: AnyNode, isInner: Bool = false, isFeedback: Bool = false, queued: Int = 0) {
            self.node = node
            self.isInner = isInner
            self.isFeedback = isFeedback
            self.queued = queued
        }
    }

    private mutating func addListeners(limited isLimited: Bool) {
        let shown = isLimited || hidesMembers ? Set(entries.compactMap(\.number)) : []
        var owners: [UInt64: [Owner]] = [:]
        var needs = Needs()
        func add(_ owner: Owner, of nodes: [Node<Datum>]) {
            for node in nodes {
                for number in needs.all(of: node) where owners[number]?.last != owner {
                    owners[number, default: []].append(owner)
                }
            }
        }
        func show(_ listener: Listener) {
            if isLimited {
                if let listener = listener.limited(to: shown) { listeners.append(listener) }
            } else {
                listeners.append(hidesMembers ? listener.hidingMembers(of: graph, besides: shown) : listener)
            }
        }
        guard let clients = graph.host.clients else { return }
        for session in clients.sessions.all {
            guard let listener = Listener(session, in: graph) else { continue }
            show(listener)
            for (name, nodes) in Self.nodesByOwner(session, in: graph) {
                add(Owner(holder: .connection(session.number), name: name), of: nodes)
            }
        }
        if graph.clients.keptChains > 0 {
            for chain in clients.sessions.kept.kept where chain.subscription.graph === graph {
                show(Listener(chain))
                add(Owner(holder: .ticket(chain.number), name: nil), of: chain.subscription.listenedNodes)
            }
        }
        for place in entries.indices {
            if let number = entries[place].number { entries[place].owners = owners[number] ?? [] }
        }
    }
}

extension Picture {
    /// The listeners of a graph, as in a live picture of it, without looking at its nodes.
    static func listeners(of graph: LiveGraph) -> [Listener] {
        guard let clients = graph.host.clients else { return [] }
        var found = clients.sessions.all.compactMap { Listener($0, in: graph) }
        if graph.clients.keptChains > 0 {
            let kept = clients.sessions.kept.kept.filter { $0.subscription.graph === graph }
            found += kept.map { Listener($0) }
        }
        guard hidesMembers(of: graph, besides: nil) else { return found }
        return found.map { $0.hidingMembers(of: graph) }
    }

    /// The nodes that each owner of a session listens to: the connection itself (nil) first, then
    /// the others by name.
    private static func nodesByOwner(
        _ session: Session,
        in graph: LiveGraph
    ) -> [(owner: String?, nodes: [Node<Datum>])] {
        var own: [Node<Datum>] = []
        var named: [String: [Node<Datum>]] = [:]
        for subscription in session.subscriptions where subscription.graph === graph {
            guard subscription.owners != nil else {
                own += subscription.listenedNodes
                continue
            }
            for name in subscription.ownerNames {
                if let name {
                    named[name, default: []] += subscription.listenedNodes
                } else {
                    own += subscription.listenedNodes
                }
            }
        }
        return [(nil, own)] + named.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}

/// The nodes that a node needs: itself and everything upstream.
private struct Needs {
    private var known: [UInt64: [UInt64]] = [:]

    mutating func all(of node: AnyNode) -> [UInt64] {
        if let known = known[node.id] { return known }
        // A node that joins many members keeps none of them alive.
        let all = Array([node].walk { Picture.joinsMany($0) ? [] : $0.neededNodes })
        known[node.id] = all
        return all
    }
}
