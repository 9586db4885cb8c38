package import Commits
internal import Definitions
internal import ReactiveGraph
package import Values

// What is known of a source node, for what asks its upstream.
extension NamedNode {
    /// The value that the upstream sent last; nil: none.
    package var fedValue: Datum? { source?.value }

    /// When its value was set or confirmed last, in milliseconds since 1970.
    package var confirmedAt: UInt64 { max(changed.time, graph.facets.facets(of: self).confirmed ?? 0) }

    /// Until when its value is fresh, in milliseconds since 1970; nil: it has none, or nothing says
    /// how long it is.
    package var freshUntil: UInt64? {
        guard fedValue != nil, case .mutable(let rules) = definition.kind, let fresh = rules.fresh,
            !graph.facets.facets(of: self).isStale
        else { return nil }
        return confirmedAt + fresh.count
    }

    /// Whether an equal value has something to say: that the value is fresh again, or that a load
    /// has ended.
    package var takesConfirmations: Bool {
        if case .mutable(let rules) = definition.kind, rules.fresh != nil { return true }
        let facets = graph.facets.facets(of: self)
        return facets.isLoading || facets.error != nil || facets.isStale
    }

    /// Whether a report says nothing new: that the upstream has failed as it did before.
    package func knows(_ change: FacetChange) -> Bool {
        let present = graph.facets.facets(of: self)
        guard let error = present.error else { return false }
        var changed = present
        changed.take(change, at: error.at)
        return changed == present
    }

    /// Whether a load of its value is under way.
    package var isLoadingValue: Bool { graph.facets.facets(of: self).isLoading }

    /// The source nodes from which it is made at the moment, itself included, at most so many.
    package func presentSources(atMost most: Int) -> [NamedNode] {
        guard graph.definition.hasSources, let living else { return [] }
        var found: [NamedNode] = []
        var count: UInt64 = 0
        PresentInputs.visit(of: living, in: graph) { input in
            count += 1
            if input.isFed, found.count < most { found.append(input) }
        }
        graph.host.work += count
        return found
    }

    /// A member of a family is not wanted any more: its time to stay begins now.
    package func renewLease() {
        guard case .lease(let lease) = expiry, isLeased else { return }
        family?.leases.start(lease, at: graph.stampTime)
    }
}

extension Commit {
    /// A commit of what upstreams have sent to a graph's source nodes (S-3).
    package init(fedTo graph: LiveGraph) {
        self.init(graph: graph)
        isOfSource = true
        by = "source"
    }

    /// Says what is known of a source node besides its value.
    package mutating func note(_ change: FacetChange, of node: NamedNode) {
        reports.append(FacetReport(node: node, change: change))
    }
}
