package import Commits
internal import Definitions
internal import ReactiveGraph
public import Values

/// What a node has in memory of its history by time, for another thread that answers a question
/// about a range of it.
public struct KeptSteps: Sendable {
    /// How many emissions of the ring are taken: that takes the loop less than a millisecond.
    private static var mostEmissions: Int { 10_000 }

    package let node: String
    package let graph: String
    package let epoch: String
    package let rev: UInt64
    /// The range that is asked for, in milliseconds since 1970, and since when it is complete.
    package let begin: UInt64
    package let end: UInt64
    package let since: UInt64
    /// The most steps of the answer.
    package let points: Int
    /// The shortest step that it may have, in milliseconds.
    package let every: UInt64
    package let chunks: [HistoryChunk]
    /// Whether the log may have earlier ones.
    package let hasStored: Bool

    /// Takes what is known from `begin` up to `end`; without them, as far as it is kept and up to
    /// now.
    ///
    /// Where the ring reaches back to `begin`, the answer is made from its emissions, so that
    /// short ranges have short steps.
    ///
    /// - Throws: `bad_field` for a range that ends before it begins; `gone` for a node without a
    ///   history.
    public init(of node: NamedNode, from begin: UInt64?, to end: UInt64?, points: Int) throws(HostError) {
        let (graph, ring) = (node.graph, node.ring)
        guard node.definition.history.isKept else {
            throw HostError(
                .gone,
                "\(node.name) keeps no history; its definition can have 'history: { for: 7d, every: 1m }'",
                node: node.name
            )
        }
        if let begin, let end, end < begin {
            throw HostError(.badField, "the range ends before it begins: begin is \(begin), end is \(end)")
        }
        let now = max(graph.host.clock.wall, graph.time)
        let end = min(end ?? now, now)
        let kept = node.steps.map { steps in
            max(steps.from, now > steps.rule.keep ? now - steps.rule.keep : 0)
        }
        let first = ring.map { $0.count > Self.mostEmissions ? $0.count - Self.mostEmissions : 0 } ?? 0
        let ringSince = ring.map { ring in
            let oldest = ring.count > first ? ring[first].stamp.time : graph.time
            return first > 0 || ring.from >= node.definedAt ? oldest : min(node.born, oldest)
        }
        let begin = min(end, begin ?? min(kept ?? .max, ringSince ?? .max))
        (self.node, self.graph, epoch, rev) = (node.name, graph.name, graph.epoch, graph.rev)
        (self.begin, self.end, self.points) = (begin, end, points)
        if let ring, let ringSince, kept == nil || ringSince <= begin {
            (since, every, hasStored) = (ringSince, 1, false)
            chunks = [ring.packed(from: first)].compactMap { $0 }
        } else {
            (since, every) = (kept ?? begin, node.steps?.rule.every ?? 1)
            (chunks, hasStored) = (node.steps?.chunks ?? [], graph.host.keepsHistory)
        }
    }
}

extension HistoryRing {
    /// Its emissions from an index on, each as a step of its own; nil: there are none.
    fileprivate func packed(from first: Int) -> HistoryChunk? {
        guard first < count else { return nil }
        let start = self[first].stamp.time
        var (bytes, former) = ([UInt8](), start)
        for index in first..<count {
            var step = HistoryStep(start: self[index].stamp.time)
            step.add(self[index].value)
            bytes.append(step, after: former, every: 1)
            former = step.start
        }
        return HistoryChunk(start: start, every: 1, bytes)
    }
}
