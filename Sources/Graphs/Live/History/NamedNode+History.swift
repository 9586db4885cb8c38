internal import Commits
internal import Definitions
internal import ReactiveGraph
internal import Values

extension NamedNode {
    /// Starts the history of a node that has just been built, with its present value, if its
    /// definition asks for one.
    ///
    /// A node created by this commit has no past. A node that is built again was not recorded in
    /// between; a node of class `none` has certainly not changed since the last change of its
    /// inputs.
    func beginHistory(holding value: Datum?) {
        beginRing(holding: value)
        beginSteps(holding: value)
    }

    private func beginRing(holding value: Datum?) {
        let capacity = definition.history.count
        guard capacity > 0 else { return }
        let change = lastChange
        var from = definition.stateClass == .none ? change.rev : graph.rev
        if definedAt == graph.rev { from = graph.rev - 1 }
        var ring = HistoryRing(capacity: capacity, byteLimit: graph.host.limits.historyBytes, from: from)
        ring.append(change, value, cause)
        self.ring = ring
    }

    private func beginSteps(holding value: Datum?) {
        guard let rule = definition.history.steps else { return }
        let change = lastChange
        let steps = TimeHistory(of: name, rule, from: change.time, in: graph.host.memory.histories)
        steps.append(value, at: change)
        self.steps = steps
    }

    /// The node has emitted.
    func record(_ value: Datum?, at stamp: LogStamp, _ cause: Cause?) {
        ring?.append(stamp, value, cause)
        steps?.append(value, at: stamp)
        if family != nil, definition.history.isKept { graph.members.weigh(self) }
    }

    /// The definition asks for another history than before.
    func changeHistory() {
        let history = definition.history
        if history.count == 0 {
            ring = nil
        } else if let ring {
            self.ring = ring.resized(to: history.count)
        } else {
            beginRing(holding: living?.value)
        }
        if history.steps == nil {
            endSteps()
        } else if let steps, let rule = history.steps {
            steps.take(rule)
        } else {
            beginSteps(holding: living?.value)
        }
    }

    /// The living node is being freed.
    func endHistory() {
        ring = nil
        endSteps()
    }

    private func endSteps() {
        guard steps != nil else { return }
        steps = nil
        if graph.host.keepsHistory { graph.course.endedHistories[name] = graph.rev }
    }

    /// The ring; if there is none, an empty ring that knows since when nothing happened.
    package var history: HistoryRing {
        ring ?? HistoryRing(capacity: 0, byteLimit: 0, from: lastChange.rev)
    }

    /// Bytes of its history in memory.
    var historyBytes: Int { (ring?.bytes ?? 0) + (steps?.bytes ?? 0) }
}
