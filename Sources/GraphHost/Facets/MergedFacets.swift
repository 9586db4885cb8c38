internal import ReactiveGraph

/// The facets of a node.
///
/// For a derived node they are merged from the mutable nodes on which its value depends at the
/// moment (L-4).
struct MergedFacets {
    var facets = Facets()
    /// The mutable nodes that it depends on.
    var inputs: Set<ObjectIdentifier> = []
    /// Whether values decide which nodes those are.
    var isVarying = false
}

/// How a node depends on its input, if values decide that.
enum Branching {
    /// It follows a node that a value chooses.
    case chosen
    /// It takes some of the values of a switch; `takes` says whether it takes this one.
    case sorted(takes: (Datum) -> Bool)
}

extension LiveGraph {
    /// The facets of a living node of this graph.
    func mergedFacets(of target: AnyNode) -> MergedFacets {
        var merged = MergedFacets()
        if let named = name(of: target), named.isMutable {
            merged.inputs.insert(ObjectIdentifier(named))
            merged.facets = facets.facets(of: named)
            return merged
        }
        merged.isVarying = visitInputs(of: target) { named in
            merged.inputs.insert(ObjectIdentifier(named))
            if named.hasFacets { merged.facets.merge(facets.facets(of: named)) }
        }
        merged.facets.confirmed = nil
        return merged
    }

    /// Visits the mutable nodes on which the value of a living node depends at the moment; for a
    /// mutable node, the node itself.
    ///
    /// It walks upwards in the order of the inputs. From a flatten it visits the chosen node only,
    /// and from a `case` of a switch or a side of an `if` only while it takes the present value.
    ///
    /// - Returns: whether values decide which nodes those are.
    @discardableResult
    func visitInputs(of target: AnyNode, _ visit: (NamedNode) -> Void) -> Bool {
        var isVarying = false
        var seen: Set<UInt64> = []
        var open = [target]
        while let node = open.popLast() {
            guard seen.insert(node.id).inserted else { continue }
            if let named = name(of: node), named.isMutable {
                visit(named)
                continue
            }
            let upstream = node.upstreamNodes
            if let branching = branching(of: node) {
                isVarying = true
                if case .sorted(let takes) = branching, let pair = (upstream.first as? Node<Datum>)?.value,
                    !takes(pair)
                {
                    continue
                }
            }
            open += (upstream + node.followedNodes).reversed()
        }
        return isVarying
    }

    private func branching(of node: AnyNode) -> Branching? {
        if chains.record(of: node.id) != nil { return chains.branching(of: node.id) }
        guard let inner = chains.inner(node.id), !inner.isOfLink,
            case .derived(let derived) = inner.of.definition.kind, derived.source.name == inner.stage
        else { return nil }
        return derived.source.branching
    }

    /// Called after a commit: sends facet changes to the clients that want them.
    func settleFacets() {
        if facets.isWatched, isLive { facets.settle(in: self) }
    }
}
