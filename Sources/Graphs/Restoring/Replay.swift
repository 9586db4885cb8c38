public import Commits
public import Definitions
internal import ReactiveGraph
internal import Support
internal import Values

/// Replays the log of a graph without a server, to check what is stored or to see the effect of
/// another definition.
///
/// The same entries on the same definition give the same values and revs, so two replays up to the
/// same rev have the same ``LiveGraph/digest``.
public struct Replay {
    /// The result of a replay.
    public struct Outcome: Sendable {
        /// The last commit that was replayed.
        public let stamp: LogStamp
        /// How many commits were replayed after the oldest stored state.
        public let commits: UInt64
        /// The digest of the graph's state; nil if the graph has ended.
        public let digest: String?
        /// The newest snapshot on the way, and whether it agrees with the commits; nil if there is
        /// none except the first.
        public let snapshot: (rev: UInt64, agrees: Bool)?
        /// The nodes whose values differ under another definition, by name.
        public let differences: [Difference]
        /// How many sets and clears the other definition does not accept: it lacks the node, or a
        /// check refuses the value.
        public let skipped: UInt64
    }

    /// A node with another value under another definition.
    public struct Difference: Sendable, Equatable {
        public let node: String
        /// Its value as JSON text; a failure as an object with `fail`; nil if it is empty or
        /// missing.
        public let before: String?
        public let after: String?
    }

    private let graph: String
    private let reader: any LogReader
    private let options: () -> DefinitionOptions
    private let kept: ClosedRange<UInt64>
    private let end: UInt64

    /// A replay of one graph from the oldest stored state to the commit `rev`, or to the last one.
    ///
    /// `options` is called again for each host.
    ///
    /// - Throws: ``StoreError`` if there is no such graph or rev.
    public init(
        _ graph: String,
        from reader: any LogReader,
        to rev: UInt64?,
        options: @escaping () -> DefinitionOptions
    ) throws(StoreError) {
        guard let kept = try reader.revs(of: graph) else {
            throw StoreError("no data is stored for a graph '\(graph)'")
        }
        let end = rev ?? kept.upperBound
        guard kept.contains(end) else {
            throw StoreError(
                "graph \(graph) is stored from rev \(kept.lowerBound) to \(kept.upperBound), not at \(end)"
            )
        }
        (self.graph, self.reader, self.options, self.kept, self.end) = (graph, reader, options, kept, end)
    }

    /// Replays the commits, and compares the state with the newest snapshot before the end.
    public func run() throws(StoreError) -> Outcome {
        let played = try play()
        var snapshot: (rev: UInt64, agrees: Bool)?
        if let passed = played.passed {
            let other = makeHost()
            defer { withExtendedLifetime(other) {} }
            let restored = try other.restorer.restore(passed.snapshot, of: graph, epochs: Epochs(""))
            snapshot = (passed.snapshot.stamp.rev, restored.digest == passed.digest)
        }
        return Outcome(
            stamp: played.stamp,
            commits: played.commits,
            digest: played.graph.map { $0.digest },
            snapshot: snapshot,
            differences: [],
            skipped: 0
        )
    }

    /// Replays the commits twice, as they were made and on another definition, and compares the
    /// states at the end.
    ///
    /// - Throws: ``StoreError``, and the errors of `definition`.
    public func run(
        with definition: (DefinitionOptions) throws -> GraphDefinition
    ) throws -> Outcome {
        let before = try play()
        let host = makeHost()
        let other = try definition(host.definitions)
        let after = try play(other, in: host)
        return Outcome(
            stamp: before.stamp,
            commits: before.commits,
            digest: after.graph.map { $0.digest },
            snapshot: nil,
            differences: Self.differences(before.graph, after.graph),
            skipped: after.skipped
        )
    }

    // MARK: - Playing

    private struct Played {
        /// The host, because a graph does not hold its host.
        let host: Host
        var graph: LiveGraph?
        var stamp = LogStamp(rev: 0, time: 0)
        var commits: UInt64 = 0
        var skipped: UInt64 = 0
        var passed: (snapshot: GraphSnapshot, digest: String)?
    }

    private func makeHost() -> Host {
        Host(store: .memory(epoch: ""), clock: ManualHostClock(), definitions: options())
    }

    private func play() throws(StoreError) -> Played {
        var played = Played(host: makeHost())
        let base = try reader.snapshot(of: graph, notAfter: kept.lowerBound)
        let newest = try reader.snapshot(of: graph, notAfter: end)
        if let base { played.graph = try played.host.restorer.restore(base, of: graph, epochs: Epochs("")) }
        played.stamp = base?.stamp ?? played.stamp
        let first = played.stamp.rev + 1
        guard first <= end else { return played }
        let restorer = played.host.restorer
        try restorer.replay(graph, first...end, in: Epochs(""), on: &played.graph, from: reader) {
            (graph, _) in
            played.commits += 1
            played.stamp = graph.stamp
            if let newest, newest.stamp.rev == graph.rev { played.passed = (newest, graph.digest) }
            return true
        }
        if played.graph?.isLive == false { played.graph = nil }
        return played
    }

    /// Replays on another definition, from the first state on.
    private func play(_ definition: GraphDefinition, in host: Host) throws(StoreError) -> Played {
        var played = Played(host: host)
        let base = try reader.snapshot(of: graph, notAfter: kept.lowerBound)
        if let base {
            let graph = try host.restorer.restore(base, of: graph, epochs: Epochs(""))
            _ = host.apply(Commit(.redefine(definition, .file), of: graph), base.stamp)
            played.graph = graph
            played.stamp = base.stamp
        }
        let first = played.stamp.rev + 1
        guard first <= end else { return played }
        try reader.entries(of: graph, in: first...end) { (entry, stamp) throws(StoreError) in
            played.commits += 1
            played.stamp = stamp
            host.forgetLeftovers()
            guard let graph = played.graph, graph.isLive else {
                var begin = entry
                begin.kind = .define(text: definition.text, .file)
                played.graph = try host.restorer.begin(stored: begin, at: stamp, epochs: Epochs(""))
                return true
            }
            switch entry.kind {
            case .redefine, .define:
                // The stored change of the definition is left out; only its rev counts.
                _ = host.apply(Commit(graph: graph), stamp)
            case .values:
                let (commit, skipped) = try Self.fitting(entry, graph)
                played.skipped += skipped
                _ = host.apply(commit, stamp)
            case .tick, .remove, .drop, .expire: try host.restorer.apply(stored: entry, at: stamp, to: graph)
            }
            return true
        }
        if played.graph?.isLive == false { played.graph = nil }
        return played
    }

    /// The part of an entry that a graph accepts, and how many of its sets and clears it does not
    /// accept.
    private static func fitting(
        _ entry: LogEntry,
        _ graph: LiveGraph
    ) throws(StoreError) -> (commit: Commit, skipped: UInt64) {
        var fitting = entry
        fitting.set = []
        for assignment in entry.set {
            guard let node = graph.node(assignment.node), node.isMutable else { continue }
            let value = try Datum(stored: assignment.value)
            var budget = CheckBudget()
            if node.complaint(about: value, within: &budget) == nil { fitting.set.append(assignment) }
        }
        let nodes = Set(fitting.set.map(\.node))
        fitting.clear = entry.clear.filter { graph.node($0)?.isMutable == true }
        fitting.reports = entry.reports.filter { graph.node($0.node)?.isMutable == true }
        fitting.claimed = entry.claimed.filter(nodes.contains)
        let skipped = entry.set.count - fitting.set.count + entry.clear.count - fitting.clear.count
        return (try Commit(fitting, of: graph), UInt64(skipped))
    }

    private static func differences(_ before: LiveGraph?, _ after: LiveGraph?) -> [Difference] {
        func values(_ graph: LiveGraph?) -> [String: String] {
            var values: [String: String] = [:]
            guard let graph else { return values }
            let all = HeldValues(graph.visibleNodes(matching: "*"), in: graph)
            all.forEach { node, held in values[node.name] = held.text }
            return values
        }
        let (before, after) = (values(before), values(after))
        return Set(before.keys).union(after.keys).sorted().compactMap { name in
            guard before[name] != after[name] else { return nil }
            return Difference(node: name, before: before[name], after: after[name])
        }
    }
}

extension Held {
    /// The state for people; nil: empty.
    fileprivate var text: String? {
        switch self {
        case .empty: nil
        case .value(let datum): datum.text
        case .fail(let datum): "{\"fail\":\(datum.text)}"
        }
    }
}

extension LiveGraph {
    /// A hash of the state that commits have made: the rev, and the value and last change of each
    /// node that depends only on commits.
    ///
    /// Two processes that have applied the same commits on the same definition have the same
    /// digest.
    public var digest: String {
        var hash = FNV128()
        hash.add("\(rev) \(time)")
        for node in definition.replayedNodes.compactMap({ self.node($0.name) }) {
            hash.add(node.name)
            hash.add("\(node.lastChange.rev)")
            if let datum = node.living?.value {
                datum.withFragment { hash.add($0) }
            }
            let known = facets.facets(of: node)
            if !known.isClear {
                var buffer = ByteBuffer()
                known.append(lastSet: 0, to: &buffer)
                hash.add(buffer.bytes)
            }
        }
        return hash.text
    }
}
