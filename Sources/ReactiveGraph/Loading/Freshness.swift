extension AnyNode {
    /// Why the latest load failed; `nil` once a value has come or a load has ended well since
    /// (G-135).
    ///
    /// An error does not clear the value.
    public final var latestError: (any Error)? {
        core.pending?.facets.flatMap { $0.lastingError ?? $0.state.error }
    }

    /// Whether at least one load is running (G-135).
    public final var isLoading: Bool { loadCount > 0 }

    /// The number of loads that are running.
    public final var loadCount: Int { core.pending?.facets?.state.loads ?? 0 }

    /// Whether the node holds a value that was set or confirmed within `age`, and not invalidated
    /// since (G-160).
    ///
    /// Times are noted from the node's first load, or its first set with a ``ValueSource``, on: a
    /// value that was set before that counts as out of date. The graph needs a clock.
    public final func isUpToDate(within age: Duration) -> Bool {
        let now = graph.timers(for: "isUpToDate").now
        guard !isEmpty, let state = core.pending?.facets?.state, !state.isStale,
            let confirmed = state.confirmed
        else { return false }
        return now - confirmed <= age
    }

    /// Takes the value as out of date until the next one, or until a load confirms it (G-160).
    ///
    /// The value stays, and no listener is called. After an error the next load may begin at once.
    public final func invalidate() {
        core.pending?.facets?.invalidate()
    }

    /// Cancels the running loads of this node, unless a listener reaches it: one of its own, or one
    /// of a node that is made from it (G-160).
    ///
    /// For a view that goes away: another one may wait for the same load.
    ///
    /// - Returns: whether no listener reaches the node.
    @discardableResult
    public final func cancelLoadsIfUnobserved() -> Bool {
        guard !Traversal.reachesListener(from: self) else { return false }
        core.pending?.facets?.cancelLoads()
        return true
    }
}
