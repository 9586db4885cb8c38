internal import Commits
package import ReactiveGraph
package import Support

/// The facets of a node.
///
/// For a derived node they are merged from the mutable nodes on which its value depends at the
/// moment (L-4).
package struct MergedFacets {
    package internal(set) var facets = Facets()
    /// The mutable nodes that it depends on.
    var inputs: Set<ObjectIdentifier> = []
    /// Whether values decide which nodes those are.
    var isVarying = false
}

extension MergedFacets {
    package init(of target: AnyNode, in graph: LiveGraph) {
        if let named = graph.name(of: target), named.isMutable {
            inputs.insert(ObjectIdentifier(named))
            facets = graph.facets.facets(of: named)
            return
        }
        isVarying = PresentInputs.visit(of: target, in: graph) { named in
            inputs.insert(ObjectIdentifier(named))
            if named.hasFacets { facets.merge(graph.facets.facets(of: named)) }
        }
        facets.confirmed = nil
    }
}

extension Facets {
    package func append(stateOf node: AnyNode, in graph: LiveGraph, to buffer: inout ByteBuffer) {
        buffer.append("\"state\":")
        append(of: node, in: graph, to: &buffer)
    }

    fileprivate func append(of node: AnyNode, in graph: LiveGraph, to buffer: inout ByteBuffer) {
        var lastSet: UInt64?
        if let named = graph.name(of: node), let source = named.source, !source.isEmpty {
            lastSet = named.changed.time
        }
        append(lastSet: lastSet, to: &buffer)
    }
}

extension NamedNode {
    /// Its facets as JSON: `{"t","loading","progress","stale","error"}`.
    public var facetsJSON: [UInt8] {
        var buffer = ByteBuffer()
        guard exists, !isMutable || living != nil else { return Array("{}".utf8) }
        let living = graph.builder.materialise(self)
        MergedFacets(of: living, in: graph).facets.append(of: living, in: graph, to: &buffer)
        return Array(buffer.bytes)
    }
}
