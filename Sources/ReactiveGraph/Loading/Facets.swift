/// What a node that mirrors a remote thing knows beside its value (G-135).
final class Facets {
    // An error's death may look here: see `replace`.
    @exclusivity(unchecked) private(set) var error: (any Error)?
    private(set) var loads = 0
    /// The error of a node that can never have a value loaded.
    var lastingError: (any Error)?
    /// Stands first among the node's listeners while there is an error: a value clears it before anybody hears.
    fileprivate var clearing: Edge?

    func apply(_ signal: NodeSignal) {
        switch signal {
        case .requested: loads += 1
        case .cancelled, .finished: loads -= 1
        case .notModified:
            loads -= 1
            replace(&error, with: nil)
        case .failed(let failure, let endsLoad):
            if endsLoad { loads -= 1 }
            replace(&error, with: failure)
        case .wiped: replace(&error, with: nil)
        }
    }

    func valueCame() {
        replace(&error, with: nil)
    }
}

extension AnyNode {
    /// Why the latest load failed; `nil` once a value has come or a load has ended well since (G-135).
    ///
    /// An error does not clear the value.
    public final var latestError: (any Error)? {
        pending?.facets.flatMap { $0.lastingError ?? $0.error }
    }

    /// Whether at least one load is running (G-135).
    public final var isLoading: Bool { (pending?.facets?.loads ?? 0) > 0 }

    /// The number of loads that are running.
    public final var loadCount: Int { pending?.facets?.loads ?? 0 }
}

extension Node {
    final func needFacets() -> Facets {
        let pending = needPending()
        if let facets = pending.facets { return facets }
        let made = Facets()
        pending.facets = made
        return made
    }

    /// Watches for the value that clears the error, by an edge that holds nothing and counts for nothing.
    final func clearErrorWithNextValue(_ facets: Facets) {
        guard facets.clearing == nil else { return }
        let edge = Edge("Clear error", [.listener, .own]) { [unowned facets] edge in
            guard case .value = edge.input(Value.self), let graph = edge.graph else { return .nothing }
            facets.valueCame()
            // It runs: it is freed when the turn ends.
            graph.graves.append(edge)
            facets.clearing = nil
            graph.detachSource(edge)
            return .nothing
        }
        facets.clearing = edge
        graph.attachFirst(edge, to: self)
    }
}

extension Graph {
    /// Puts an edge that belongs to its own source in front of the source's listeners.
    func attachFirst(_ edge: Edge, to node: AnyNode) {
        let ref = EdgeRef.passUnretained(edge)
        edge.source = .passUnretained(node)
        edge.next = node.listens
        if let first = node.listens { first.previous = ref } else { node.lastListen = ref }
        node.listens = ref
        connections += 1
        edge.stamp = connections
    }
}
