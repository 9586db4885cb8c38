// Feedback through listeners that does not settle (G-39).
extension Graph {
    /// Whether one more emission may be queued on `node`; stops the turn when the limit is passed.
    @usableFromInline
    func mayQueue(on node: AnyNode, _ queue: PendingBase) -> Bool {
        if stopping { return false }
        guard queue.countInTurn(turnNumber) > feedbackLimit else { return true }
        stop = .feedback(node: node.id, name: node.name, limit: feedbackLimit)
        stopping = true
        for index in 0..<depth {
            frames[index].next = nil
            frames[index].transforms = true
            frames[index].node?._withUnsafeGuaranteedRef { $0.dropPending() }
        }
        return false
    }

    /// The stopped turn is over: the graph is usable again, and the error is reported.
    func reportStop() {
        stopping = false
        guard let error = stop else { return }
        stop = nil
        onError?(error)
    }
}
