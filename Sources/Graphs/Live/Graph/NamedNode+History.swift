internal import Commits
internal import Definitions
internal import Values

extension NamedNode {
    /// Starts the history of a node that has just been built, with its present value, if its
    /// definition asks for one.
    ///
    /// A node created by this commit has no past. A node that is built again was not recorded in
    /// between; a node of class `none` has certainly not changed since the last change of its
    /// inputs.
    func beginHistory(holding value: Datum?) {
        let capacity = definition.history
        guard capacity > 0 else { return }
        let change = lastChange
        var from = definition.stateClass == .none ? change.rev : graph.rev
        if definedAt == graph.rev { from = graph.rev - 1 }
        var ring = HistoryRing(capacity: capacity, byteLimit: graph.host.limits.historyBytes, from: from)
        ring.append(change, value, cause)
        self.ring = ring
    }

    /// The ring; if there is none, an empty ring that knows since when nothing happened.
    package var history: HistoryRing {
        ring ?? HistoryRing(capacity: 0, byteLimit: 0, from: lastChange.rev)
    }
}
