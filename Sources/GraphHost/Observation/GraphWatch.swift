internal import ReactiveGraph
internal import Support

/// Why a node was freed (docs/protocol.md, observe).
enum ReleaseReason: String {
    /// Its last owner went.
    case lastOwner = "last_owner"
    /// It is no longer in the definition, or the graph was removed.
    case removed
    /// The new definition built another node.
    case redefined
    /// Memory was short.
    case pressure
    /// The family member was not set for too long.
    case expired
    /// A client dropped the family member.
    case dropped
    /// It lives on, but is no longer near the observed node.
    case away
}

/// Collects what ended in a graph since its observers last looked.
///
/// It exists while the graph is observed.
final class GraphWatch {
    /// A node that was freed.
    struct Death: Ending {
        let number: UInt64
        /// nil: an unnamed node.
        let name: String?
        /// Whether it was a member of a family, or a step of one.
        let isMember: Bool
        let reason: ReleaseReason
        /// Its lifetime in milliseconds.
        let lived: UInt64
        /// Its last value; nil: empty.
        private(set) var last: Datum?
        /// The entry that an observer would have been shown while it lived.
        private(set) var entry: [UInt8]
        private(set) var wasShown = false
        /// Whether the last value was dropped.
        private(set) var isBrief = false

        var heldBytes: Int { entry.count + (last?.byteCount ?? 0) }

        /// The form for an observer that was shown the node.
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

    /// A session that no longer listens to the graph, or a chain that is no longer kept.
    struct Departure: Ending {
        let holder: Picture.Holder
        let reason: String
        private(set) var entry: [UInt8]
        private(set) var wasShown = false

        var heldBytes: Int { entry.count }

        /// The form for an observer that was shown the listener.
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

    /// A named node is being freed; this is the last time that its properties can be read.
    func died(_ name: NamedNode, _ node: Node<Datum>) {
        note(Picture.Entry(named: name, node: node), node.id)
    }

    /// An unnamed node is being freed, or a named one that was already recorded.
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

    /// A session is about to stop listening to the graph, or a chain is about to be no longer kept.
    func leaves(_ listener: Picture.Listener, because reason: String) {
        let departure = Departure(
            holder: listener.holder,
            reason: reason,
            entry: written { listener.append(to: &$0) }
        )
        for observer in observers { observer.note(departure) }
    }

    /// The graph has a new definition.
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
    /// Adds an observer.
    func watch(for observer: Observer) {
        let watch = chains.watch ?? GraphWatch(self)
        chains.watch = watch
        watch.add(observer)
    }

    /// Removes an observer.
    func unwatch(for observer: Observer) {
        chains.watch?.remove(observer)
        if chains.watch?.observers.isEmpty == true { chains.watch = nil }
    }

    /// Runs `body`, and reports the nodes that it frees with this reason.
    func releasing<Result>(because reason: ReleaseReason, _ body: () -> Result) -> Result {
        let outer = releaseReason
        releaseReason = reason
        defer { releaseReason = outer }
        return body()
    }

    /// The stamp of the last change of a living node; for an unnamed one, the newest among the
    /// named nodes it is made from.
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
    /// When it was made, in milliseconds since 1970.
    var born: UInt64 { named?.born ?? record?.born ?? inner?.born ?? 0 }
}
