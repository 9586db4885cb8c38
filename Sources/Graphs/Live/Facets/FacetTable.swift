package import ReactiveGraph
package import Values

/// The facets of one graph's nodes (state besides the value), and the clients that watch them (L-1,
/// L-4).
///
/// Only nodes with a facet to report, or with a `fresh` time, have an entry;
/// ``NamedNode/hasFacets`` says which.
///
/// Facets of derived nodes are computed only for nodes that clients listen to with `facets: true`:
/// when one of their inputs changes. If values decide what the inputs are, they are computed after
/// each commit while any node has a facet to report.
package final class FacetTable {
    /// A client's listener that wants facets.
    struct Watcher {
        unowned let listener: any FacetListener
    }

    /// A node that clients watch, and the facets they have received.
    final class Watched {
        unowned let node: Node<Datum>
        fileprivate(set) var merged = MergedFacets()
        fileprivate var watchers: [ObjectIdentifier: Watcher] = [:]

        fileprivate init(_ node: Node<Datum>) {
            self.node = node
        }
    }

    private var entries: [ObjectIdentifier: FacetEntry] = [:]
    /// How many entries have a facet to report.
    private(set) var speaking = 0
    private var stale = 0
    private var watched: [UInt64: Watched] = [:]
    /// Watched nodes whose inputs depend on values.
    private var varying: Set<UInt64> = []
    /// The watched nodes that depend on each mutable node.
    private var dependents: [ObjectIdentifier: Set<UInt64>] = [:]
    /// Watched nodes to check at the end of the commit.
    private var due: Set<UInt64> = []

    /// Whether at least one client watches.
    ///
    /// Then each commit ends with ``settle(in:)``.
    private(set) var isWatched = false

    // MARK: - Mutable nodes

    package func facets(of node: NamedNode) -> Facets {
        node.hasFacets ? entries[ObjectIdentifier(node)]?.facets ?? Facets() : Facets()
    }

    package var staleNodes: [NamedNode] {
        stale == 0 ? [] : entries.values.filter(\.facets.isStale).map(\.node)
    }

    /// The source nodes of which a load is under way.
    var loadingSources: [NamedNode] {
        speaking == 0 ? [] : entries.values.filter { $0.facets.isLoading && $0.node.isFed }.map(\.node)
    }

    package func entry(of node: NamedNode) -> FacetEntry? {
        node.hasFacets ? entries[ObjectIdentifier(node)] : nil
    }

    /// Gives a node an entry, if its definition or a facet needs one.
    func begin(_ node: NamedNode) -> FacetEntry {
        if let known = entry(of: node) { return known }
        let made = FacetEntry(node)
        entries[ObjectIdentifier(node)] = made
        node.hasFacets = true
        return made
    }

    /// The node is no longer mutable, or is gone.
    func end(_ node: NamedNode) {
        guard let entry = entry(of: node) else { return }
        change(entry, to: Facets())
        entries[ObjectIdentifier(node)] = nil
        node.hasFacets = false
    }

    /// Changes the facets of a node; watched nodes that depend on it are checked at the end of the
    /// commit.
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

    /// A client starts watching a node.
    ///
    /// The client's listener keeps the node alive.
    package func watch(_ node: Node<Datum>, by listener: any FacetListener, in graph: LiveGraph) {
        let found = watched[node.id]
        let each = found ?? Watched(node)
        each.watchers[ObjectIdentifier(listener)] = Watcher(listener: listener)
        guard found == nil else { return }
        watched[node.id] = each
        isWatched = true
        follow(each, MergedFacets(of: node, in: graph))
    }

    /// A client stops watching.
    package func unwatch(_ number: UInt64, by listener: any FacetListener) {
        guard let each = watched[number] else { return }
        each.watchers[ObjectIdentifier(listener)] = nil
        guard each.watchers.isEmpty else { return }
        follow(each, MergedFacets())
        watched[number] = nil
        due.remove(number)
        isWatched = !watched.isEmpty
    }

    /// The facets that clients of a watched node have received.
    package func merged(of number: UInt64) -> MergedFacets? { watched[number]?.merged }

    /// Records the facets of a watched node and the nodes they come from.
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

    /// Edges have changed: all watched nodes must be checked.
    func noteEdges() { due.formUnion(watched.keys) }

    /// Called after a commit, a turn without one, and the runs of pipelines: sends the changes to
    /// clients, those of a pipeline once it has handled its emissions.
    func settle(in graph: LiveGraph) {
        if !varying.isEmpty {
            due.formUnion(varying.filter { speaking > 0 || watched[$0]?.merged.facets.isClear == false })
        }
        guard !due.isEmpty else { return }
        let numbers = due.sorted()
        due = []
        for number in numbers {
            guard let each = watched[number] else { continue }
            if graph.chains.record(of: number)?.isBehind == true {
                due.insert(number)
                graph.host.pipelines.touch(graph)
                continue
            }
            let merged = MergedFacets(of: each.node, in: graph)
            let isNews = merged.facets != each.merged.facets
            follow(each, merged)
            guard isNews else { continue }
            for watcher in each.watchers.values { watcher.listener.facetsChanged() }
        }
    }
}

/// A listener that sends its client a node's facets.
package protocol FacetListener: AnyObject {
    func facetsChanged()
}

/// The facets of one mutable node, and the time at which its value becomes stale.
package final class FacetEntry {
    let node: NamedNode
    fileprivate(set) var facets = Facets()
    /// The rev of the last report, while there is a facet to report.
    package internal(set) var reported: UInt64?
    /// How long a value is fresh (`fresh`).
    private(set) var lifetime: Duration?
    private let timer = Timer()
    /// Held strongly, because it may be freed together with the graph.
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

    /// Sets how long the value is fresh after each set; nil: for ever.
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

    /// When the value becomes stale, as saved.
    var deadline: Deadline? {
        get { timer.isRunning ? timer.deadline : nil }
        set { if let newValue { timers.restore(timer, at: newValue) } else { stop() } }
    }
}
