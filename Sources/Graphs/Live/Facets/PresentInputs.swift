internal import Definitions
internal import ReactiveGraph
internal import Values

/// The mutable nodes on which the value of a living node depends at the moment.
enum PresentInputs {
    /// Visits them; for a mutable node, the node itself.
    ///
    /// It walks upwards in the order of the inputs. From a flatten it visits the chosen node only,
    /// and from a `case` of a switch or a side of an `if` only while it takes the present value.
    ///
    /// - Returns: whether values decide which nodes those are.
    @discardableResult
    static func visit(of target: AnyNode, in graph: LiveGraph, _ visit: (NamedNode) -> Void) -> Bool {
        var isVarying = false
        [target].walk { node in
            if let named = graph.name(of: node), named.isMutable {
                visit(named)
                return []
            }
            let upstream = node.upstreamNodes
            if let branching = branching(of: node, in: graph) {
                isVarying = true
                if case .sorted(let takes) = branching, let pair = (upstream.first as? Node<Datum>)?.value,
                    !takes(pair)
                {
                    return []
                }
            }
            return (upstream + node.followedNodes).reversed()
        }
        return isVarying
    }

    private static func branching(of node: AnyNode, in graph: LiveGraph) -> Branching? {
        let chains = graph.chains
        if chains.record(of: node.id) != nil { return chains.branching(of: node.id) }
        guard let inner = chains.inner(node.id), !inner.part.isOfLink,
            case .derived(let derived) = inner.part.of.definition.kind,
            derived.source.name == inner.part.stage
        else { return nil }
        return derived.source.argument.branching
    }
}
