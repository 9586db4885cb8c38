@testable import Graphs
@testable import Sessions
import Commits
import ReactiveGraph
import Values

extension Bench {
    /// Another host at the same time, which goes on with a graph of this one from what was saved.
    func continued(_ graph: LiveGraph, from saved: [UInt8]) throws -> (bench: Bench, graph: LiveGraph) {
        let bench = Bench(
            epoch: graph.epoch,
            clock: ManualHostClock(now: clock.now, wall: clock.wall),
            limits: host.limits
        )
        return (bench, try bench.host.restorer.restore(saved, epochs: Epochs(graph.epoch)))
    }
}

extension LiveGraph {
    /// All that can be seen of the graph, a line for each thing.
    var seen: [String] {
        var lines = ["rev \(rev) time \(time) next tick \(nextTick.map(String.init) ?? "never")"]
        let counts = statistics
        lines.append("\(counts.nodes) nodes, \(counts.edges) edges, \(counts.listeners) listeners")
        for node in nodes {
            let change = node.lastChange
            let held = node.living?.held.text ?? "none"
            let writer = node.writer.map { " by \($0.by ?? "-") \($0.context?.text ?? "-")" } ?? ""
            let expiry = node.deadline.map { " until \($0.time)" } ?? ""
            let entry = node.graph.facets.entry(of: node)
            let fresh = entry?.deadline.map { " fresh until \($0.time)" } ?? ""
            let facets = entry.map { " \($0.facets) reported \($0.reported ?? 0)" } ?? ""
            let steps = node.steps.map { " steps \($0.chunks.last?.bytes ?? [])" } ?? ""
            let history = (node.ring.map { " history \($0.text)" } ?? "") + steps
            let line = "\(node.name) \(held) at \(change.rev)/\(change.time), defined at \(node.definedAt)"
            lines.append(line + (node.isHeld ? " held" : "") + writer + expiry + fresh + facets + history)
        }
        for tie in ties.all { lines.append("\(tie.key) \(tie.refusal?.text ?? "delivers")") }
        return lines
    }
}

extension Graphs.Held {
    fileprivate var text: String {
        switch self {
        case .empty: "empty"
        case .value(let datum): datum.text
        case .fail(let datum): "fail:" + (datum.fail?.code ?? "?")
        }
    }
}

extension HistoryRing {
    fileprivate var text: String {
        let entries = (0..<count).map { "\(self[$0].stamp.rev)=\(self[$0].value?.text ?? "empty")" }
        return "from \(from) \(entries) \(isEmptyNow)"
    }
}
