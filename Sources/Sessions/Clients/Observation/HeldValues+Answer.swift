internal import Graphs
internal import Definitions
internal import ReactiveGraph
internal import Support
internal import Values

extension HeldValues {
    /// Throws `too_large` if the values have more bytes than one message may
    /// (``SessionLimits/answerBytes``); a single value may be of any length.
    func checkSize() throws(HostError) {
        let bytes = nodes.reduce(0) { $0 + ($1.living.value?.knownByteCount ?? 0) }
        let most = graph.host.limits.answerBytes
        guard nodes.count > 1, bytes > most else { return }
        throw HostError(
            .tooLarge,
            "the \(nodes.count) values have \(bytes) bytes; \(most) are allowed in one answer (limits.answer)"
        )
    }

    /// Appends `{"a":{"v":…},"b":{"empty":true}}`; with `facets`, each with its `state`.
    func append(facets hasFacets: Bool, to buffer: inout ByteBuffer) {
        buffer.append("{")
        buffer.append(separated: nodes) { entry, buffer in
            buffer.append(json: entry.name.name)
            buffer.append(":{")
            Subscription.append(entry.living.value, to: &buffer)
            if hasFacets {
                buffer.append(",")
                let facets = MergedFacets(of: entry.living, in: graph).facets
                facets.append(stateOf: entry.living, in: graph, to: &buffer)
            }
            buffer.append("}")
        }
        buffer.append("}")
    }
}
