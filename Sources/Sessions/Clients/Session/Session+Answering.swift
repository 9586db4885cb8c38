internal import Graphs
internal import Support

extension Session {
    /// Sends an answer, or keeps it until those before it have been sent.
    func answer(
        id: UInt64?,
        bytes: Int,
        as kind: Outgoing.Kind = .answer,
        of graph: LiveGraph? = nil,
        _ build: (inout ByteBuffer) -> Void
    ) {
        let message = clients.dispatcher.message(kind, of: graph, rev: graph?.rev, build)
        guard !inbox.pending.isEmpty, !inbox.isDraining else { return send(message) }
        clients.dispatcher.keep(message, of: self, id: id, bytes: bytes)
    }

    func isTaken(_ id: UInt64) -> Bool {
        subscription(id) != nil || observer(id) != nil || demand(id) != nil
    }
}
