internal import Commits
internal import Definitions
internal import ReactiveGraph

// What changes the facets of mutable nodes.
extension FacetTable {
    /// Applies producers' reports.
    func take(_ reports: [FacetReport], _ stamp: LogStamp) {
        for report in reports {
            let node = report.node.present
            // An empty member exists only while this server needs it, and its facets do not outlast
            // it.
            guard node.living != nil else { continue }
            node.graph.demand?.reported(node)
            let entry = begin(node)
            var changed = entry.facets
            changed.take(report.change, at: stamp.time)
            change(entry, to: changed)
            if !changed.isClear { entry.reported = stamp.rev }
            if report.change == .notModified, node.source?.isEmpty == false {
                entry.start(at: stamp.time)
            }
        }
    }

    /// A node with facets was set, or cleared by a client: the value is now up to date (L-2).
    @inline(never)
    func clear(of node: NamedNode, at time: UInt64, isSet: Bool) {
        guard let entry = entry(of: node) else { return }
        change(entry, to: Facets())
        if isSet { entry.start(at: time) } else { entry.stop() }
    }

    /// The value has expired: a missing value cannot be stale; the other facets stay.
    func valueExpired(of node: NamedNode) {
        guard let entry = entry(of: node) else { return }
        var changed = entry.facets
        changed.isStale = false
        changed.confirmed = nil
        change(entry, to: changed)
        entry.stop()
    }

    /// A mutable node starts with, or gets, a definition that says how long its values are fresh.
    func keepFresh(_ node: NamedNode, for lifetime: Stage.Span?, isSet: Bool) {
        guard let lifetime else {
            self.entry(of: node)?.keepFresh(for: nil)
            return
        }
        let entry = begin(node)
        entry.keepFresh(for: lifetime.duration)
        if isSet { entry.start(at: max(node.changed.time, entry.facets.confirmed ?? 0)) }
    }

    func restore(_ saved: SavedFacets, of node: NamedNode) {
        let entry = begin(node)
        change(entry, to: saved.facets)
        entry.reported = saved.reported
        entry.deadline = saved.deadline
    }
}
