internal import ReactiveGraph

/// What is known of a node besides its value: of a mutable one its own facets, of a derived one those of the mutable nodes that
/// its value depends on at the moment, merged (L-4).
struct MergedFacets {
    var facets = Facets()
    /// The mutable nodes that it comes from.
    var inputs: Set<ObjectIdentifier> = []
    /// Whether a value decides which those are.
    var isVarying = false
}

/// How the node of a source depends on its input, where that changes with its values.
enum Branching {
    /// It follows a node that a value chooses.
    case chosen
    /// It takes some of the values of a switch: whether this one is among them.
    case sorted(takes: (Datum) -> Bool)
}

extension LiveGraph {
    /// What is known of a living node of this graph besides its value.
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

    /// Visits the mutable nodes on which the value of a living node depends at the moment; of a mutable one it is the node itself.
    ///
    /// Goes upwards in the order of the inputs: of a flatten to the chosen node only, and from a `case` of a switch or one side of
    /// an `if` only while the present value is one of its own.
    ///
    /// - Returns: whether a value decides which nodes those are.
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

    /// A commit is over: clients that want facets receive what has changed.
    func settleFacets() {
        if facets.isWatched, isLive { facets.settle(in: self) }
    }
}
