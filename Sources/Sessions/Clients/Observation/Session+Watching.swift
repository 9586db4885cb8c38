// The observers and producers among the requests of a session: they hold nothing.
extension Session {
    func demand(_ id: UInt64) -> DemandWatch? {
        extras?.demands.first { $0.id == id }
    }

    /// Ends one `demand` and sends the client the reason.
    func end(_ watch: DemandWatch, _ code: EndCode) {
        watch.end()
        extras?.demands.removeAll { $0 === watch }
        answer(id: nil, bytes: 0, as: .end(code)) { Answer.end(id: watch.id, code, released: 0, to: &$0) }
    }

    func observer(_ id: UInt64) -> Observer? {
        observers.first { $0.id == id }
    }

    /// Ends one observation and sends the client the reason.
    ///
    /// It frees nothing, because it held nothing.
    func end(_ observer: Observer, _ code: EndCode) {
        observer.cancel()
        extras?.observers.removeAll { $0 === observer }
        answer(id: nil, bytes: 0, as: .end(code)) { Answer.end(id: observer.id, code, released: 0, to: &$0) }
    }

    /// Notifies the graph's observers if this is the session's last subscription to it.
    func reportEnd(of subscription: Subscription, because reason: @autoclosure () -> String) {
        guard let watch = subscription.graph.watch else { return }
        if let chain = subscription.ticket, subscription.isKept {
            return watch.leaves(Picture.Listener(chain), because: reason())
        }
        let graph = subscription.graph
        let others = subscriptions.contains { $0 !== subscription && $0.graph === graph }
        guard !others, let listener = Picture.Listener(self, in: graph) else { return }
        watch.leaves(listener, because: reason())
    }
}
