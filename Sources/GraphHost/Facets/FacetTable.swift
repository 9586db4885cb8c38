internal import ReactiveGraph

/// What is known of the nodes of one graph besides their values, and which clients want to know (L-1, L-4).
///
/// Only nodes that have had something to say, or have a `fresh` time, have an entry; ``NamedNode/hasFacets`` says which.
///
/// What derived nodes have is computed for those that clients listen to with `facets: true`, and no others: when a node
/// changes from which they come, or, where their inputs change with values, after each commit while any node has something to say.
final class FacetTable {
    /// A client's listener that wants to know.
    struct Watcher {
        unowned(unsafe) let listener: any FacetListener
    }

    /// A node that clients listen to, and what they are told of it.
    final class Watched {
        unowned(unsafe) let node: Node<Datum>
        fileprivate(set) var merged = MergedFacets()
        fileprivate var watchers: [ObjectIdentifier: Watcher] = [:]

        fileprivate init(_ node: Node<Datum>) {
            self.node = node
        }
    }

    private var entries: [ObjectIdentifier: FacetEntry] = [:]
    /// How many of the entries have something to say.
    private(set) var speaking = 0
    /// How many of them say that a value is stale.
    private var stale = 0
    /// Watched nodes by number.
    private var watched: [UInt64: Watched] = [:]
    /// Those whose inputs change with values.
    private var varying: Set<UInt64> = []
    /// The watched nodes that come from a mutable one.
    private var dependents: [ObjectIdentifier: Set<UInt64>] = [:]
    /// Those that have to be looked at when the commit is over.
    private var due: Set<UInt64> = []

    /// Whether a client listens: then each commit ends with ``LiveGraph/settleFacets()``.
    @exclusivity(unchecked) private(set) var isWatched = false

    // MARK: - Mutable nodes

    /// What is known of a mutable node.
    func facets(of node: NamedNode) -> Facets {
        node.hasFacets ? entries[ObjectIdentifier(node)]?.facets ?? Facets() : Facets()
    }

    /// The nodes whose values are stale.
    var staleNodes: [NamedNode] {
        stale == 0 ? [] : entries.values.filter(\.facets.isStale).map(\.node)
    }

    /// The entry of a node that has one.
    func entry(of node: NamedNode) -> FacetEntry? {
        node.hasFacets ? entries[ObjectIdentifier(node)] : nil
    }

    /// Gives a node an entry, if its definition or something to say asks for one.
    func begin(_ node: NamedNode) -> FacetEntry {
        if let known = entry(of: node) { return known }
        let made = FacetEntry(node)
        entries[ObjectIdentifier(node)] = made
        node.hasFacets = true
        return made
    }

    /// The node is not mutable any more, or is gone.
    func end(_ node: NamedNode) {
        guard let entry = entry(of: node) else { return }
        change(entry, to: Facets())
        entries[ObjectIdentifier(node)] = nil
        node.hasFacets = false
    }

    /// Changes what is known of a node; watched nodes that come from it are looked at when the commit is over.
    func change(_ entry: FacetEntry, to facets: Facets) {
        guard facets != entry.facets else { return }
        speaking += (facets.isClear ? 0 : 1) - (entry.facets.isClear ? 0 : 1)
        let wasStale = entry.facets.isStale
        stale += (facets.isStale ? 1 : 0) - (wasStale ? 1 : 0)
        entry.facets = facets
        if facets.isStale, !wasStale { entry.node.graph.demand?.becameStale(entry.node) }
        if facets.isClear { entry.reported = nil }
        if isWatched, let numbers = dependents[ObjectIdentifier(entry.node)] { due.formUnion(numbers) }
    }

    // MARK: - Watched nodes

    /// A client begins to listen to a node that is alive as long as it does.
    func watch(_ node: Node<Datum>, by listener: any FacetListener, in graph: LiveGraph) {
        let found = watched[node.id]
        let each = found ?? Watched(node)
        each.watchers[ObjectIdentifier(listener)] = Watcher(listener: listener)
        guard found == nil else { return }
        watched[node.id] = each
        isWatched = true
        follow(each, graph.mergedFacets(of: node))
    }

    /// A client listens no longer.
    func unwatch(_ number: UInt64, by listener: any FacetListener) {
        guard let each = watched[number] else { return }
        each.watchers[ObjectIdentifier(listener)] = nil
        guard each.watchers.isEmpty else { return }
        follow(each, MergedFacets())
        watched[number] = nil
        due.remove(number)
        isWatched = !watched.isEmpty
    }

    /// What the clients of a watched node know.
    func merged(of number: UInt64) -> MergedFacets? { watched[number]?.merged }

    /// Notes what a watched node has, and from which nodes that comes.
    private func follow(_ each: Watched, _ merged: MergedFacets) {
        let number = each.node.id
        let (former, present) = (each.merged.inputs, merged.inputs)
        if former != present {
            for input in former where dependents[input]?.remove(number) != nil {
                if dependents[input]?.isEmpty == true { dependents[input] = nil }
            }
            for input in present { dependents[input, default: []].insert(number) }
        }
        if merged.isVarying { varying.insert(number) } else { varying.remove(number) }
        each.merged = merged
    }

    /// Edges have changed: everything has to be looked at.
    func noteEdges() { due.formUnion(watched.keys) }

    /// A commit, or a turn without one, is over: clients receive what has changed.
    func settle(in graph: LiveGraph) {
        if !varying.isEmpty {
            due.formUnion(varying.filter { speaking > 0 || watched[$0]?.merged.facets.isClear == false })
        }
        guard !due.isEmpty else { return }
        let numbers = due.sorted()
        due = []
        for number in numbers {
            guard let each = watched[number] else { continue }
            let merged = graph.mergedFacets(of: each.node)
            let isNews = merged.facets != each.merged.facets
            follow(each, merged)
            guard isNews else { continue }
            for watcher in each.watchers.values { watcher.listener.facetsChanged() }
        }
    }
}

/// A listen that tells its client what is known of the node besides its value.
protocol FacetListener: AnyObject {
    /// Something of it has changed.
    func facetsChanged()
}

/// What is known of one mutable node, and when its value becomes stale by itself.
final class FacetEntry {
    unowned(unsafe) let node: NamedNode
    fileprivate(set) var facets = Facets()
    /// The rev of the last report, while there is something to say.
    var reported: UInt64?
    /// How long a value is fresh (`fresh`).
    private(set) var lifetime: Duration?
    private let timer = Timer()
    /// Held, because it may be freed together with the graph.
    private let timers: TimerQueue

    fileprivate init(_ node: NamedNode) {
        self.node = node
        timers = node.graph.timers
        timer.action = { [unowned self] in
            var stale = facets
            stale.isStale = true
            node.graph.facets.change(self, to: stale)
            return nil
        }
    }

    deinit {
        stop()
    }

    /// The value is fresh for so long after each set from now on; nil: for ever.
    func keepFresh(for lifetime: Duration?) {
        self.lifetime = lifetime
        if lifetime == nil { stop() }
    }

    /// A value was set or confirmed at `time`, in milliseconds since 1970.
    func start(at time: UInt64) {
        guard let lifetime else { return }
        timers.set(timer, at: timers.moment(.milliseconds(time) + lifetime))
    }

    func stop() {
        if timer.isRunning { timers.cancel(timer) }
    }

    /// When the value becomes stale, as it is saved.
    var deadline: Deadline? {
        get { timer.isRunning ? timer.deadline : nil }
        set { if let newValue { timers.restore(timer, at: newValue) } else { stop() } }
    }
}
