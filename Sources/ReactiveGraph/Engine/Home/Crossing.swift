/// Where an emission was before it came over a bridge: opaque to the graph it is in now (G-111).
///
/// The numbers of another graph's nodes mean nothing here; but when the emission comes back, the
/// graph knows its own ones again, and a ring that goes over other graphs stops where it began, as
/// any ring does (G-41).
final class Crossing: Sendable {
    let graph: GraphHandle
    let ids: [UInt64]
    let before: Crossing?

    init(_ graph: GraphHandle, _ path: Path) {
        self.graph = graph
        ids = path.ids
        before = path.before
    }

    /// The numbers of the nodes of `destination` that the emission has been to, oldest first.
    func ids(in destination: GraphHandle) -> [UInt64] {
        var found: [UInt64] = []
        var next: Crossing? = self
        while let crossing = next {
            if crossing.graph === destination { found.insert(contentsOf: crossing.ids, at: 0) }
            next = crossing.before
        }
        return found
    }
}

extension Path {
    /// This path, as the graph of `destination` sees it when it comes from `source`.
    func crossing(from source: GraphHandle, to destination: GraphHandle) -> Path {
        let crossing = Crossing(source, self)
        return Path(ids: crossing.ids(in: destination), before: crossing)
    }

    /// Whether the emission has come from another graph, over a bridge (G-111).
    ///
    /// What it went through there is not shown.
    public var hasCrossedGraphs: Bool { before != nil }
}
