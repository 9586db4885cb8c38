// Rings hold themselves (G-56). What nobody reaches any more can be reported, to be cut by whoever made it.
extension Graph {
    /// The rings that nobody outside holds and no listener reaches, each as its nodes in order of creation.
    ///
    /// A ring is a set of nodes that all hold each other by edges. It is freed when one of its edges is
    /// disconnected. The search costs time in proportion to the rings and what is downstream of them; nodes behind
    /// an inner following count. The result holds the nodes.
    public func leakedRings() -> [[AnyNode]] {
        var reported: Set<UInt64> = []
        var result: [[AnyNode]] = []
        let surplus = retainCountSurplus()
        for edge in rings {
            guard let source = edge.source, let target = edge.target, !reported.contains(source.id) else {
                continue
            }
            let downstream = reachable(from: target) { $0.forEachConsumer }
            guard downstream[source.id] != nil else { continue }
            let upstream = reachable(from: target) { $0.forEachProvider }
            let ring = downstream.values.filter { upstream[$0.id] != nil }
            for node in ring { reported.insert(node.id) }
            guard downstream.values.allSatisfy({ $0.outsideHolders(surplus) == 0 }) else { continue }
            result.append(ring.sorted { $0.id < $1.id }.map { $0.takeUnretainedValue() })
        }
        return result
    }

    private typealias Neighbours = (AnyNode) -> ((NodeRef) -> Void) -> Void

    private func reachable(from start: NodeRef, _ neighbours: Neighbours) -> [UInt64: NodeRef] {
        var found = [start.id: start]
        var queue = [start]
        while let node = queue.popLast() {
            node._withUnsafeGuaranteedRef { node in
                let visit = neighbours(node)
                visit { next in
                    if found.updateValue(next, forKey: next.id) == nil { queue.append(next) }
                }
            }
        }
        return found
    }

    /// What the count of a node shows beyond its one reference: depends on how this was compiled.
    private func retainCountSurplus() -> Int {
        let probe = Unmanaged<AnyObject>.passRetained(Probe())
        let count = probe.countedReferences
        probe.release()
        return count - 1
    }
}

private final class Probe {}

extension Unmanaged where Instance == AnyNode {
    /// Listens, and references that are not an edge's.
    fileprivate func outsideHolders(_ surplus: Int) -> Int {
        var edges = 0
        var listens = 0
        _withUnsafeGuaranteedRef { node in
            node.forEachOutgoing { edge in
                edges += 1
                if edge.bag != nil { listens += 1 }
            }
        }
        let references = Unmanaged<AnyObject>.fromOpaque(toOpaque()).countedReferences - surplus
        return listens + references - edges
    }
}

extension Unmanaged where Instance == AnyObject {
    @inline(never)
    fileprivate var countedReferences: Int {
        _withUnsafeGuaranteedRef { Int(_getRetainCount($0)) }
    }
}
