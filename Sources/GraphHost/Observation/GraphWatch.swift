internal import ReactiveGraph
internal import Support

/// Why a node was freed (docs/protocol.md, observe).
enum ReleaseReason: String {
    /// The last one who needed it went.
    case lastOwner = "last_owner"
    /// The definition, or the graph, does not have it any more.
    case removed
    /// The definition made another node of it.
    case redefined
    /// Memory was short.
    case pressure
    /// A member of a family was not set for too long.
    case expired
    /// A client dropped a member of a family.
    case dropped
    /// It lives on, and is not near any more what an observer looks at.
    case away
}

/// What everybody who observes a graph has to be told of things that do not exist any more when they look.
///
/// There is one while a graph is observed, and none otherwise.
final class GraphWatch {
    /// A node that was freed.
    struct Death: Ending {
        let number: UInt64
        /// nil: a node without a name.
        let name: String?
        /// Whether it was a member of a family, or a step of one.
        let isMember: Bool
        let reason: ReleaseReason
        /// Milliseconds.
        let lived: UInt64
        /// What it held last; nil: nothing.
        private(set) var last: Datum?
        /// What an observer would have been shown while it lived.
        private(set) var entry: [UInt8]
        private(set) var wasShown = false
        /// Whether what it held last is forgotten.
        private(set) var isBrief = false

        var heldBytes: Int { entry.count + (last?.byteCount ?? 0) }

        /// The same for an observer that was shown the node.
        var shown: Death {
            var death = self
            death.entry = []
            death.wasShown = true
            return death
        }

        var brief: Death {
            var death = self
            death.last = nil
            death.entry = []
            death.isBrief = true
            return death
        }
    }

    /// A session that does not listen to anything in the graph any more, or a chain that is no longer kept.
    struct Departure: Ending {
        let holder: Picture.Holder
        let reason: String
        private(set) var entry: [UInt8]
        private(set) var wasShown = false

        var heldBytes: Int { entry.count }

        /// The same for an observer that was shown the listener.
        var shown: Departure {
            var departure = self
            departure.entry = []
            departure.wasShown = true
            return departure
        }

        var brief: Departure { self }
    }

    private unowned let graph: LiveGraph
    private(set) var observers: [Observer] = []

    init(_ graph: LiveGraph) {
        self.graph = graph
    }

    func add(_ observer: Observer) {
        observers.append(observer)
    }

    func remove(_ observer: Observer) {
        observers.removeAll { $0 === observer }
    }

    /// The node of a name is being freed; everything about it can still be asked, for the last time.
    func died(_ name: NamedNode, _ node: Node<Datum>) {
        note(Picture.Entry(named: name, node: node), node.id)
    }

    /// A node without a name is being freed, or one whose name has been seen to.
    func died(_ number: UInt64) {
        if let node = graph.chains.record(of: number)?.node ?? graph.chains.inner(number)?.node {
            note(Picture.Entry(unnamed: node, in: graph), number)
        } else {
            for observer in observers { observer.forget(number) }
        }
    }

    private func note(_ entry: Picture.Entry, _ number: UInt64) {
        let now = graph.host.clock.wall
        let born = entry.born
        let death = Death(
            number: number,
            name: entry.named?.name,
            isMember: entry.named?.family != nil || entry.inner?.isOfMember == true,
            reason: graph.releaseReason,
            lived: now > born ? now - born : 0,
            last: entry.node?.value,
            entry: written { entry.append(to: &$0, isLive: true) }
        )
        for observer in observers { observer.note(death) }
    }

    /// A session stops listening to anything in the graph, and still does; or a chain is about to be kept no longer.
    func leaves(_ listener: Picture.Listener, because reason: String) {
        let departure = Departure(
            holder: listener.holder,
            reason: reason,
            entry: written { listener.append(to: &$0) }
        )
        for observer in observers { observer.note(departure) }
    }

    /// The graph has another definition.
    func redefined() {
        for observer in observers { observer.noteRedefinition() }
    }

    private func written(_ write: (inout ByteBuffer) -> Void) -> [UInt8] {
        var buffer = ByteBuffer()
        write(&buffer)
        return Array(buffer.bytes)
    }
}

extension LiveGraph {
    /// Puts an observer on the list of those who are told.
    func watch(for observer: Observer) {
        let watch = chains.watch ?? GraphWatch(self)
        chains.watch = watch
        watch.add(observer)
    }

    /// Takes it off.
    func unwatch(for observer: Observer) {
        chains.watch?.remove(observer)
        if chains.watch?.observers.isEmpty == true { chains.watch = nil }
    }

    /// Does something that frees nodes for another reason than that nobody needs them.
    func releasing<Result>(because reason: ReleaseReason, _ body: () -> Result) -> Result {
        let outer = releaseReason
        releaseReason = reason
        defer { releaseReason = outer }
        return body()
    }

    /// The stamp of the last change of any living node: of one without a name the newest among the names it is made of.
    func lastChange(of node: AnyNode) -> LogStamp {
        var newest = LogStamp(rev: 0, time: 0)
        var seen: Set<UInt64> = [node.id]
        var open = [node]
        while let next = open.popLast() {
            if let named = name(of: next) {
                let change = named.lastChange
                if change.rev > newest.rev { newest = change }
                continue
            }
            for upstream in next.upstreamNodes + next.followedNodes where seen.insert(upstream.id).inserted {
                open.append(upstream)
            }
        }
        return newest
    }
}

extension Picture.Entry {
    /// Milliseconds since 1970 of its birth.
    var born: UInt64 { named?.born ?? record?.born ?? inner?.born ?? 0 }
}
