internal import Graphs
internal import ReactiveGraph
internal import Support
internal import Values

/// Collects what ended in a graph since its observers last looked.
///
/// It exists while the graph is observed.
final class GraphWatch: ReleaseWatcher {
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

    private init(_ graph: LiveGraph) {
        self.graph = graph
    }

    /// The watch of a graph, from now on.
    static func watching(_ graph: LiveGraph) -> GraphWatch {
        let watch = graph.watch ?? GraphWatch(graph)
        graph.releases.watch = watch
        return watch
    }

    func add(_ observer: Observer) {
        observers.append(observer)
    }

    func remove(_ observer: Observer) {
        observers.removeAll { $0 === observer }
        if observers.isEmpty { graph.releases.watch = nil }
    }

    /// A named node is being freed; this is the last time that its properties can be read.
    func died(_ name: NamedNode, _ node: Node<Datum>) {
        note(Picture.Entry(named: name, node: node), node.id)
    }

    /// An unnamed node is being freed, or a named one that was already recorded.
    func died(_ node: AnyNode) {
        if graph.chains.record(of: node.id) != nil || graph.chains.inner(node.id) != nil {
            note(Picture.Entry(unnamed: node, in: graph), node.id)
        } else {
            for observer in observers { observer.forget(node.id) }
        }
    }

    private func note(_ entry: Picture.Entry, _ number: UInt64) {
        let now = graph.stampTime
        let born = entry.born
        let death = Death(
            number: number,
            name: entry.named?.name,
            isMember: entry.named?.family != nil || entry.inner?.part.isOfMember == true,
            reason: graph.releases.reason,
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
    /// Reports to its observers; nil if there are none.
    var watch: GraphWatch? { releases.watch as? GraphWatch }
}

extension Picture.Entry {
    /// When it was made, in milliseconds since 1970.
    var born: UInt64 { named?.born ?? record?.born ?? inner?.born ?? 0 }
}
