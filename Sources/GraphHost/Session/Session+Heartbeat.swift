internal import Support

extension Session {
    /// Whether the client knows everything up to the message that is being sent.
    ///
    /// Then no interval and no full socket holds anything back, no snapshot is still to come, and its cursor may move.
    public var isCaughtUp: Bool {
        !isOpening && subscriptions.allSatisfy { $0.folded == 0 && $0.queued == 0 }
    }

    /// Says that the server is alive, and moves the client's cursors: browsers cannot see pings.
    ///
    /// The server calls it when it has sent nothing for a heartbeat, the host when it becomes or ceases to be stale.
    public func heartbeat() {
        guard !isClosed, !isBare else { return }
        var graphs: [LiveGraph] = []
        for subscription in subscriptions where !graphs.contains(where: { $0 === subscription.graph }) {
            graphs.append(subscription.graph)
        }
        // A cursor may not move past what an interval or a full socket still holds back.
        for subscription in subscriptions where subscription.folded > 0 || subscription.queued > 0 {
            graphs.removeAll { $0 === subscription.graph }
        }
        send { buffer in
            buffer.append("{\"op\":\"hb\",\"revs\":{")
            buffer.append(separated: graphs) { graph, buffer in
                buffer.append(json: graph.name)
                buffer.append(":")
                buffer.append(decimal: graph.rev)
            }
            buffer.append(host.isStale ? "},\"stale\":true}" : "}}")
        }
    }
}
