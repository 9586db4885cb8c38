// What holds a node, besides the edges that come out of it. Edges are known; what else there is
// shows in the node's reference count. Everything here goes by unowned references, so as not to
// count itself.

/// A part of a graph and the holds of nodes on nodes that are not edges: by a value, or by the
/// state of an edge.
struct HoldMap {
    private(set) var nodes: [NodeRef] = []
    /// Keyed by the number of the node that is held: once per reference.
    private(set) var keepers: [UInt64: [NodeRef]] = [:]
    private let count = ReferenceCount()

    /// Everything connected with `starts`, in whichever direction and way.
    init(around starts: [NodeRef]) {
        var seen: Set<UInt64> = []
        for start in starts where seen.insert(start.id).inserted { nodes.append(start) }
        var index = 0
        while index < nodes.count {
            let node = nodes[index]
            index += 1
            node.with { holder in
                let visit = { (next: NodeRef) in
                    if seen.insert(next.id).inserted { nodes.append(next) }
                }
                holder.forEachProvider(visit)
                holder.forEachConsumer(visit)
                holder.forEachKept { kept in
                    keepers[kept.id, default: []].append(node)
                    if seen.insert(kept.id).inserted { nodes.append(kept) }
                }
            }
        }
    }

    /// The nodes that hold `node`: targets of its edges, and keepers; `visit` gets the name of what
    /// holds.
    func forEachHolder(of node: NodeRef, _ visit: (NodeRef, String) -> Void) {
        node.with { held in
            held.forEachOutgoing { edge in
                if let target = edge.target { visit(target, edge.name) }
            }
        }
        for keeper in keepers[node.id] ?? [] { visit(keeper, "value") }
    }

    /// References that are neither an edge's nor another node's.
    func outsideReferences(to node: NodeRef) -> Int {
        var known = keepers[node.id]?.count ?? 0
        node.with { node in
            known += node.registrations.count
            node.forEachOutgoing { edge in
                if !edge.traits.contains(.own) { known += 1 }
            }
        }
        return count.references(to: node) - known
    }
}

/// How many references an object has.
struct ReferenceCount {
    /// What the count of an object shows beyond its one reference: depends on how this was
    /// compiled.
    private let surplus: Int

    init() {
        let probe = Ref<AnyObject>.retaining(Probe())
        surplus = probe.countedReferences - 1
        probe.release()
    }

    func references(to node: NodeRef) -> Int {
        // The public node is what is held, and taking hold of it adds one.
        guard let held = node.with({ $0.retainedNode() }) else { return 0 }
        defer { held.release() }
        return held.cast(to: AnyObject.self).countedReferences - surplus - 1
    }
}

private final class Probe {}

extension NodeCore {
    /// Each reference to a node that its value or the state of an incoming edge holds.
    final func forEachKept(_ visit: (NodeRef) -> Void) {
        forEachNodeInValue { visit($0.ref) }
        forEachHeld { edge in
            edge.side?.state?.forEachKeptNode { visit($0.ref) }
        }
    }
}

extension Edge {
    /// The public object of this edge is held, and it holds its source (G-20).
    var isHeldFromOutside: Bool {
        guard let side else { return false }
        if side.user != nil { return !isKnownUniquelyReferenced(&side.user) }
        return side.userRef != nil
    }
}

extension Ref where Object == AnyObject {
    @inline(never)
    fileprivate var countedReferences: Int {
        with { Int(_getRetainCount($0)) }
    }
}
