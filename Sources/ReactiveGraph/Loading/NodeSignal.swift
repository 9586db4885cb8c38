/// What happens to a node that is not an emission: it changes facets, and only listeners of events
/// receive it.
///
/// Like an emission it waits while the node is in a pass, so that no listener sees things out of
/// order (G-37).
@usableFromInline
indirect enum NodeSignal {
    case requested
    case progress(Double)
    case cancelled
    case notModified
    case failed(any Error, endsLoad: Bool)
    /// A load has ended, and its value follows: no event.
    case finished
    /// The node is about to be wiped: no event.
    case wiped

    func event<Value>(of type: Value.Type) -> NodeEvent<Value>? {
        switch self {
        case .requested: .requested
        case .progress(let fraction): .progress(fraction)
        case .cancelled: .cancelled
        case .notModified: .notModified
        case .failed(let error, _): .error(error)
        case .finished, .wiped: nil
        }
    }
}

extension Node {
    /// Performs `signal` as a pass of this node, or queues it after the one that is running.
    final func send(_ signal: NodeSignal) {
        guard pass < 0 else {
            let queue = needPending()
            guard graph.mayQueue(on: self, queue) else { return }
            queue.entries.append(PendingEntry(emission: .empty, trail: nil, context: nil, signal: signal))
            hasPending = true
            return
        }
        withExtendedLifetime(self) {
            let saved = graph.beginTurn(trail: nil, context: nil)
            graph.push(.passUnretained(self))
            graph.frames[graph.depth - 1].next = nil
            graph.frames[graph.depth - 1].transforms = true
            handle(signal)
            graph.run(to: graph.base)
            graph.endTurn(saved)
        }
    }

    /// Changes facets, and notifies listeners of events.
    final func handle(_ signal: NodeSignal) {
        needFacets().apply(signal, at: graph.clock?.now)
        guard !graph.stopping else { return }
        for edge in listenEdges {
            // An earlier listener may have ended this one.
            guard let owned = edge.owners, owned.isActive, let listener = owned.livingListener() else {
                continue
            }
            edge.notify(signal, of: self, to: listener)
        }
    }
}
