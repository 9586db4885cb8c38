internal import Definitions
internal import Graphs
internal import ReactiveGraph
internal import Values

/// The source nodes of one graph: which of them are wanted, and which are open (S-1).
///
/// What comes and goes is only noted; ``settle()`` works off the difference once, at the end of the
/// turn.
final class GraphFeeds: DemandFollower {
    let graph: LiveGraph
    let patterns: [String]
    /// The definition whose sources it follows.
    let definition: String
    private unowned let upstreams: Upstreams
    private var open: [String: OpenFeed] = [:]
    private var changed: Set<String> = []
    private var asked: Set<String> = []
    /// A successor follows the graph; what was noted for this one is its business now.
    private var isEnded = false
    private let places: [String: UpstreamDefinition]

    init(of graph: LiveGraph, in upstreams: Upstreams) {
        self.graph = graph
        self.upstreams = upstreams
        let definition = graph.definition
        self.definition = definition.hash
        let sources = (definition.nodes + definition.families).filter { $0.feed != nil }
        patterns = sources.map { $0.pattern?.glob ?? $0.name }
        places = Dictionary(uniqueKeysWithValues: definition.upstreams.map { ($0.name, $0) })
    }

    /// Starts to follow what is wanted.
    ///
    /// - Parameter former: the same graph with its former definition, whose unchanged sources stay
    ///   open.
    func begin(after former: GraphFeeds?) {
        if let former {
            for (name, feed) in former.open {
                let node = graph.node(name)
                let isSame =
                    node?.definition.feed?.canonical == feed.feed.canonical
                    && places[feed.feed.upstream] == former.places[feed.feed.upstream]
                if isSame { open[name] = feed } else { upstreams.close(feed) }
                changed.insert(name)
            }
            former.open = [:]
        } else {
            // What a server that was killed has asked for came to nothing.
            for node in graph.loadingSources { upstreams.forgetLoad(of: node) }
        }
        let demand = graph.begin(self)
        for pattern in patterns { changed.formUnion(demand.wanted(matching: pattern)) }
        upstreams.note(self)
    }

    /// Stops following; what is open is closed unless a successor has taken it over.
    func end() {
        isEnded = true
        graph.end(self)
        for feed in open.values { upstreams.close(feed) }
        open = [:]
    }

    // MARK: - What is wanted

    func note(_ name: String) {
        changed.insert(name)
        upstreams.note(self)
    }

    func note(load name: String) {
        asked.insert(name)
        upstreams.note(self)
    }

    /// The server begins anew with the new definition.
    func redefined() {}

    /// Opens what is wanted and closes what is not.
    func settle() {
        guard !isEnded else { return }
        let (names, asked) = (changed, asked)
        (changed, self.asked) = ([], [])
        var opened: [OpenFeed] = []
        for name in names {
            let isWanted = graph.demand?.isWanted(name) ?? false
            if isWanted, open[name] == nil, let feed = opening(name) {
                open[name] = feed
                opened.append(feed)
            } else if !isWanted, let feed = open.removeValue(forKey: name) {
                upstreams.close(feed)
            }
        }
        for feed in opened { upstreams.open(feed, at: places[feed.feed.upstream]) }
        for name in asked {
            if let feed = open[name] { feed.upstream?.load(feed) }
        }
        audit()
    }

    /// In debug builds, requires that exactly the wanted source nodes are open (S-1).
    private func audit() {
        #if DEBUG
            let wanted = patterns.flatMap { graph.demand?.wanted(matching: $0) ?? [] }
            let sources = Set(wanted).filter { graph.node($0)?.definition.feed != nil }
            precondition(
                sources == Set(open.keys),
                """
                \(graph.name): wanted but not open: \(sources.subtracting(open.keys)), \
                open but not wanted: \(Set(open.keys).subtracting(sources))
                """
            )
        #endif
    }

    private func opening(_ name: String) -> OpenFeed? {
        guard let node = graph.node(name), let feed = node.definition.feed else { return nil }
        return OpenFeed(node, feed)
    }

    // MARK: - Looking

    /// The open upstreams in the order in which they were opened, each with the names of its nodes
    /// in alphabetical order.
    var opened: [(upstream: Upstream, names: [String])] {
        var names: [UInt64: [String]] = [:]
        var found: [Upstream] = []
        for (name, feed) in open {
            guard let upstream = feed.upstream else { continue }
            if names[upstream.number] == nil { found.append(upstream) }
            names[upstream.number, default: []].append(name)
        }
        graph.host.work += UInt64(open.count / Self.nodesPerWork)
        return found.sorted { $0.number < $1.number }.map { ($0, (names[$0.number] ?? []).sorted()) }
    }

    /// How many nodes take about as long to look at as one takes to build.
    private static let nodesPerWork = 4

    /// The upstream that is open for a node; nil: none is.
    func upstream(of name: String) -> Upstream? { open[name]?.upstream }
}
