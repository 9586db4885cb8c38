internal import Graphs
internal import Support

extension Session {
    /// Whether the client has received everything up to the message that is being sent.
    ///
    /// Then no interval and no full socket holds anything back, no snapshot is outstanding, and its
    /// cursor may move.
    public var isCaughtUp: Bool {
        !isOpening && subscriptions.allSatisfy { $0.folded == 0 && $0.queued == 0 }
    }

    /// Sends a sign of life, and moves the client's cursors.
    ///
    /// Browsers cannot see pings.
    ///
    /// The server calls it when it has sent nothing for a heartbeat, the host when it becomes stale
    /// or current again.
    public func heartbeat() {
        guard !isClosed, !isBare else { return }
        var graphs: [LiveGraph] = []
        for subscription in subscriptions where !graphs.contains(where: { $0 === subscription.graph }) {
            graphs.append(subscription.graph)
        }
        // A cursor must not move past something that an interval or a full socket still holds back.
        for subscription in subscriptions where subscription.folded > 0 || subscription.queued > 0 {
            graphs.removeAll { $0 === subscription.graph }
        }
        let only = graphs.count == 1 ? graphs[0] : nil
        let message = clients.dispatcher.message(.heartbeat, of: only, rev: only?.rev) { buffer in
            buffer.append("{\"op\":\"hb\",\"revs\":{")
            buffer.append(separated: graphs) { graph, buffer in
                buffer.append(json: graph.name)
                buffer.append(":")
                buffer.append(decimal: graph.rev)
            }
            buffer.append(host.isStale ? "},\"stale\":true}" : "}}")
        }
        send(message)
    }
}
