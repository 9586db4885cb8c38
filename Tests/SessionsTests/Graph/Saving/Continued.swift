@testable import Graphs
@testable import Sessions
import Commits
import ReactiveGraph
import Testing
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

    /// Another host, which goes on with what is saved now, and in which the same can be seen.
    func cut(_ graph: LiveGraph) throws -> (bench: Bench, graph: LiveGraph) {
        let (second, restored) = try continued(graph, from: SavedGraph(graph: graph).save())
        #expect(restored.seen == graph.seen)
        return (second, restored)
    }
}

extension LiveGraph {
    /// All that can be seen of the graph, a line for each thing.
    var seen: [String] { seen(causes: true) }

    /// The same, with or without the causes of values.
    func seen(causes: Bool) -> [String] {
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
            let history = (node.ring.map { " history \($0.text(causes: causes))" } ?? "") + steps
            let cause = causes ? " because \(node.cause.text)" : ""
            let line = "\(node.name) \(held) at \(change.rev)/\(change.time), defined at \(node.definedAt)"
            let more = writer + cause + expiry + fresh + facets + history
            lines.append(line + (node.isHeld ? " held" : "") + more)
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
    fileprivate func text(causes: Bool) -> String {
        let entries = (0..<count).map { index in
            let cause = causes ? self[index].cause.map { " (\($0.text))" } ?? "" : ""
            return "\(self[index].stamp.rev)=\(self[index].value?.text ?? "empty")\(cause)"
        }
        return "from \(from) \(entries) \(isEmptyNow)"
    }
}

extension Cause {
    fileprivate var text: String { "\(origin) \(by ?? "-")" }
}
