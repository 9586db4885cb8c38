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
            if let paths { paths.newest.take()?.append(for: session.access, to: &buffer) }
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

/// A node's emission in mode `all` that has more than a value: where it has come from, or the state
/// that came with it, which may also stand alone.
final class NodeEmission: WideEmission {
    private let state: [UInt8]?
    private let value: Datum?
    private let provenance: [UInt8]
    /// Whether it has no value.
    private let isAlone: Bool

    /// A state without a value.
    init(state: [UInt8]) {
        (self.state, value, provenance, isAlone) = (state, nil, [], true)
    }

    /// A value with its provenance, as a caller may see that.
    init(_ value: Datum?, _ provenance: Provenance, _ access: Access?) {
        var buffer = ByteBuffer()
        provenance.append(for: access, to: &buffer)
        (state, self.value, self.provenance, isAlone) = (nil, value, Array(buffer.bytes), false)
    }

    /// What a subscription has queued, with a new state.
    init(_ former: AnyObject?, with state: [UInt8]) {
        self.state = state
        guard let former = former as? NodeEmission else {
            (value, provenance, isAlone) = (Subscription.value(former), [], false)
            return
        }
        (value, provenance, isAlone) = (former.value, former.provenance, former.isAlone)
    }

    override var size: (count: Int, bytes: Int) {
        // The size counted when it was queued; adding a state to a value later adds little.
        (1, isAlone ? state?.count ?? 0 : (value?.byteCount ?? 12) + provenance.count)
    }

    override func append(id: UInt64, to buffer: inout ByteBuffer) {
        Subscription.append(id: id, to: &buffer) { appendContent(to: &$0) }
    }

    /// Appends what there is of the value with its provenance, and the state.
    func appendContent(to buffer: inout ByteBuffer) {
        if !isAlone {
            Subscription.append(value, to: &buffer)
            buffer.append(provenance)
        }
        guard let state else { return }
        if !isAlone { buffer.append(",") }
        buffer.append(state)
    }
}
