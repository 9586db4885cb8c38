internal import Graphs
internal import ReactiveGraph
internal import Support
internal import Values

// A subscription with `facets: true`: its client receives the node's facets besides the value
// (L-4).
extension Subscription: FacetListener {
    final func facetsChanged() {
        guard !isEnded, !isMuted else { return }
        if options.isAll { return queueState() }
        hasNewState = true
        if !isMarked { mark() }
    }

    /// Mode `all`: the state is sent with the last value of this commit, or alone.
    private func queueState() {
        guard !session.isClosed else { return }
        var state = ByteBuffer()
        appendFacets(to: &state)
        session.queue(self, state: Array(state.bytes))
    }

    /// Appends `"v":…` if there is a new value and `"state":{…}` if the facets have changed, and
    /// counts them as delivered.
    final func appendNews(to buffer: inout ByteBuffer) {
        if folded > 0 {
            Self.append(node?.value, to: &buffer)
            guard hasNewState else { return }
            buffer.append(",")
        }
        hasNewState = false
        appendFacets(to: &buffer)
    }

    /// Appends `"state":{…}`.
    final func appendFacets(to buffer: inout ByteBuffer) {
        guard let node, let merged = graph.facets.merged(of: node.id) else {
            return buffer.append("\"state\":{}")
        }
        merged.facets.append(stateOf: node, in: graph, to: &buffer)
    }
}

extension Session {
    fileprivate func queue(_ subscription: Subscription, state: [UInt8]) {
        if outbox.queue.append(state: state, of: subscription, subscription.graph.present.commit) {
            count(subscription, bytes: state.count)
        }
    }
}

/// A node's state in mode `all`, with the value of the same commit or alone.
final class StateEmission: WideEmission {
    private let state: [UInt8]
    let value: Datum?
    /// Whether it has no value.
    let isAlone: Bool

    init(_ state: [UInt8], isAlone: Bool, beside value: Datum?) {
        self.state = state
        self.isAlone = isAlone
        self.value = value
    }

    override var size: (count: Int, bytes: Int) {
        // The size counted when it was queued; adding a state to a value later adds little.
        (1, isAlone ? state.count : value?.byteCount ?? 12)
    }

    override func append(id: UInt64, to buffer: inout ByteBuffer) {
        buffer.append("{\"id\":")
        buffer.append(decimal: id)
        buffer.append(",")
        appendContent(to: &buffer)
        buffer.append("}")
    }

    /// Appends the value, if there is one, and the state.
    func appendContent(to buffer: inout ByteBuffer) {
        if !isAlone {
            Subscription.append(value, to: &buffer)
            buffer.append(",")
        }
        buffer.append(state)
    }
}
