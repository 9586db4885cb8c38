internal import Commits
internal import Definitions

/// What the log has to learn about a graph's histories by time.
struct StoredHistories {
    /// The names of histories that have ended, with the rev of the commit that ended each.
    private var ended: [String: UInt64] = [:]

    /// A node's history has ended: what is stored of it is to be deleted.
    mutating func end(_ name: String, at rev: UInt64) { ended[name] = rev }

    /// What changes with the next snapshot; nil: nothing.
    func change(of graph: LiveGraph) -> HistoryChange? {
        var change = HistoryChange(byteLimit: graph.host.limits.historyBytes)
        change.ended = ended.keys.sorted()
        for node in graph.nodes + graph.members.living {
            guard let steps = node.steps else { continue }
            let kept = graph.time > steps.rule.keep ? graph.time - steps.rule.keep : 0
            change.added += steps.unstored.map { chunk in
                HistoryChange.Addition(node.name, chunk, keptFrom: kept > chunk.span ? kept - chunk.span : 0)
            }
        }
        return change.ended.isEmpty && change.added.isEmpty ? nil : change
    }

    /// The snapshot at `rev` is stored.
    mutating func forget(storedAt rev: UInt64, of graph: LiveGraph) {
        ended = ended.filter { $0.value > rev }
        for node in graph.nodes + graph.members.living {
            guard let steps = node.steps else { continue }
            let former = steps.bytes
            steps.forget(storedAt: rev)
            if node.family != nil, steps.bytes != former { graph.members.weigh(node) }
        }
    }
}
