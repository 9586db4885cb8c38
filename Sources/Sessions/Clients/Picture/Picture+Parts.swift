internal import Graphs
internal import Definitions
internal import ReactiveGraph
internal import Values

// What a picture consists of: nodes, edges, and who listens.
extension Picture {
    /// One node: a name of the definition, a living node, or both.
    struct Entry {
        let number: UInt64?
        let named: NamedNode?
        let record: Chains.Record?
        let inner: InnerStage?
        let node: Node<Datum>?
        let graph: LiveGraph
        /// The nodes it is made from, as far as they may be shown.
        var inputs: [String]
        /// Its members, if it joins all matches of a glob.
        let members: AllMembers?
        /// The owners that keep it alive, directly or through nodes that they listen to, connection
        /// by connection.
        var owners: [Owner] = []
        /// The families of which it uses members that are not shown.
        var families: [NodeFamily] = []

        /// A name of the definition, with its living node if there is one.
        init(named: NamedNode, node: Node<Datum>?) {
            graph = named.graph
            self.node = node
            number = node?.id
            self.named = named
            record = nil
            inner = nil
            inputs = named.definition.matches.count > NodeLookup.mostGathered ? [] : named.inputNames
            members = named.members
        }

        init(unnamed node: AnyNode, in graph: LiveGraph) {
            let chains = graph.chains
            self.graph = graph
            self.node = node as? Node<Datum>
            number = node.id
            named = nil
            record = chains.record(of: node.id)
            inner = record == nil ? chains.inner(node.id) : nil
            inputs = []
            members = record?.members
        }

        /// The label in diagrams: its name, or its operator; for an `all`, with the glob and the
        /// number of its members.
        var label: String {
            let label = named?.name ?? record?.label ?? node?.name ?? number.map { "n\($0)" } ?? ""
            return members.map { "\(label) (\($0.glob): \($0.count))" } ?? label
        }

        var kind: String {
            if let named { return named.definition.kindName.rawValue }
            return record == nil ? NodeDefinition.KindName.derived.rawValue : "chain"
        }
    }

    /// Something that keeps nodes alive from outside: a connection, or a ticket whose chain is kept
    /// (K-3).
    enum Holder: Hashable {
        case connection(UInt64)
        case ticket(UInt64)

        /// The name on the wire: `c:7`, `k:3`.
        var text: String {
            switch self {
            case .connection(let number): "c:\(number)"
            case .ticket(let number): "k:\(number)"
            }
        }

        /// The same for diagrams, whose names have no colons.
        var identifier: String { text.split(separator: ":").joined() }
    }

    /// A holder, or an owner that a connection has named.
    struct Owner: Equatable {
        let holder: Holder
        let name: String?

        /// `c:7`, `c:9/panel`, `k:3`.
        var text: String { name.map { "\(holder.text)/\($0)" } ?? holder.text }
    }

    struct Link {
        let number: UInt64
        let from: UInt64
        let to: UInt64
        /// The inner edge of a flatten.
        let isInner: Bool
        /// It closes a cycle.
        let isFeedback: Bool
        /// How many values wait in it.
        let queued: Int
        /// The owners that have made it, if it is a client's link.
        var owners: [Owner] = []
    }

    /// A connection that listens to this graph, or a chain that is kept for one.
    struct Listener {
        let holder: Holder
        /// The client's name from `hello`.
        let client: String?
        let transport: String
        /// Since when it listens, or the chain is kept; milliseconds since 1970.
        let since: UInt64
        private(set) var on: [UInt64]
        /// The families of which it listens to members that are not shown.
        private(set) var families: [NodeFamily] = []
        private let nodes: [Node<Datum>]
        /// The named owners of its subscriptions, each once.
        let owners: [String]
        let queued: Int
        let folded: UInt64
        /// The ticket of a kept chain.
        let kept: Kept?

        /// How long a chain is kept, and for which connection.
        struct Kept {
            let connection: Holder
            /// Milliseconds since the ticket was issued.
            let age: UInt64
            /// When the ticket expires, in milliseconds since 1970.
            let until: UInt64
        }

        /// The session as a listener to this graph; nil if it does not listen.
        init?(_ session: Session, in graph: LiveGraph) {
            let subscriptions = session.subscriptions.filter { $0.graph === graph }
            guard !subscriptions.isEmpty else { return nil }
            holder = .connection(session.number)
            client = session.client
            transport = session.kind.rawValue
            since = session.since
            kept = nil
            nodes = subscriptions.flatMap(\.listenedNodes)
            on = nodes.map(\.id)
            families = subscriptions.flatMap(\.listenedFamilies)
            owners =
                session.owners == nil
                ? [] : Set(subscriptions.flatMap { $0.ownerNames.compactMap(\.self) }).sorted()
            queued = subscriptions.reduce(0) { $0 + Int($1.queued) }
            folded = subscriptions.reduce(0) { $0 + $1.foldedInAll }
        }

        /// The listener with only those of its nodes; nil if it listens to none of them.
        func limited(to nodes: Set<UInt64>) -> Listener? {
            var listener = self
            listener.on = on.filter(nodes.contains)
            return listener.on.isEmpty ? nil : listener
        }

        /// The listener without the family members that are not shown.
        func hidingMembers(of graph: LiveGraph, besides shown: Set<UInt64>) -> Listener {
            var listener = self
            listener.on = on.filter(shown.contains)
            listener.families += Picture.families(of: nodes, in: graph, besides: shown)
            return listener
        }

        /// The listener without any family member.
        func hidingMembers(of graph: LiveGraph) -> Listener {
            let others = nodes.filter { graph.name(of: $0)?.family == nil }
            return hidingMembers(of: graph, besides: Set(others.map(\.id)))
        }

        init(_ chain: KeptChain) {
            let (subscription, session) = (chain.subscription, chain.subscription.session)
            let (now, given) = (session.host.clock.wall, chain.given)
            let stay = chain.stay ?? (given, given)
            holder = .ticket(chain.number)
            client = session.client
            transport = "kept"
            since = stay.since
            kept = Kept(
                connection: .connection(session.number),
                age: now > given ? now - given : 0,
                until: stay.until
            )
            nodes = subscription.listenedNodes
            on = nodes.map(\.id)
            owners = []
            queued = 0
            folded = subscription.foldedInAll
        }

        /// The label in diagrams: `wall-tablet/2.1 c:7 (panel, sidebar)`, with at most eight
        /// owners.
        var label: String {
            let name = "\(client ?? transport) \(holder.text)"
            guard !owners.isEmpty else { return name }
            return "\(name) (\(owners.prefix(8).joined(separator: ", "))\(owners.count > 8 ? ", …" : ""))"
        }
    }
}
