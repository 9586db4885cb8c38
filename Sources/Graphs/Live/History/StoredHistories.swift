internal import Commits
internal import Definitions

// What the log has to learn about a graph's histories by time.
extension HistoryChange {
    /// What changes with the next snapshot of a graph; nil: nothing.
    init?(of graph: LiveGraph) {
        self.init(byteLimit: graph.host.limits.historyBytes)
        ended = graph.course.endedHistories.keys.sorted()
        for node in graph.nodes + graph.members.living {
            guard let steps = node.steps else { continue }
            let kept = graph.time > steps.rule.keep ? graph.time - steps.rule.keep : 0
            added += steps.unstored.map { chunk in
                Addition(node.name, chunk, keptFrom: kept > chunk.span ? kept - chunk.span : 0)
            }
        }
        if ended.isEmpty, added.isEmpty { return nil }
    }
}

extension LiveGraph {
    /// The snapshot at `rev` is stored.
    func forgetHistories(storedAt rev: UInt64) {
        course.endedHistories = course.endedHistories.filter { $0.value > rev }
        for node in nodes + members.living {
            guard let steps = node.steps else { continue }
            let former = steps.bytes
            steps.forget(storedAt: rev)
            if node.family != nil, steps.bytes != former { members.weigh(node) }
        }
    }
}
