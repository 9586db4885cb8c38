package import Commits
internal import Definitions
internal import ReactiveGraph
internal import Support
internal import Values

/// What the past of a derived node can be computed from: the newest samples of the nodes that it is
/// made from, as their rings (`history: N`) have them, in names and bytes for another thread.
///
/// Only a node that depends on nothing but its present inputs has such a past. What an operator
/// with state, a timer, a link or a member that came or went has made of earlier values does not
/// follow from these samples, nor do the values between two steps of one commit in a graph of mode
/// `immediate`.
public struct KeptSamples: Sendable {
    /// How many nodes a node may be made from, directly or not.
    static var mostNodes: Int { 256 }
    /// How many samples, and bytes of them, are copied: that takes the loop about a millisecond.
    static var mostSamples: Int { 10_000 }
    static var mostBytes: Int { 1 << 20 }

    /// A source held this value from `stamp` on.
    package struct Sample {
        package let stamp: LogStamp
        /// Tells those of one commit apart, in the order in which a source had them.
        let number: Int
        package let source: Int
        /// Where the value stands in `bytes`; nil: it was empty.
        package let value: Range<Int>?
        package let cause: Cause?
    }

    /// The node, its graph, and the graph's rev and epoch when it was asked.
    package let node: String
    package let graph: String
    package let epoch: String
    package let present: UInt64
    /// The node and all that it is made from, as a definition; the sources take any value.
    package let definition: String
    /// When each derived node got its definition, in milliseconds since 1970.
    package let defined: [(node: String, time: UInt64)]
    package let sources: [String]
    /// In order, all up to ``end``; those up to ``base`` say what the sources held then.
    package private(set) var samples: [Sample] = []
    package private(set) var bytes: [UInt8] = []
    /// The last rev before the known history, and the rev and time of the state from
    /// which it is computed.
    package let start: UInt64
    package let base: LogStamp
    /// The last rev whose samples are here.
    package let end: UInt64
    /// What was asked.
    package let since: UInt64?
    package let limit: Int

    /// Whether it begins with what the node held at the oldest rev that is known.
    package var beginsWithBase: Bool { start < base.rev }

    /// Takes what is known of a node's past, after `since` or at the end.
    ///
    /// Nil: its sources' rings do not say what is asked, or its own does. The authors of a source's
    /// values are only named if `access` may read it.
    public init?(
        of node: NamedNode,
        since: UInt64?,
        epoch: String?,
        limit: Int,
        for access: Access = .full
    ) {
        let graph = node.graph
        let hasRing = since.map { $0 >= node.history.from } ?? (node.ring != nil)
        guard !hasRing, !node.isMutable, graph.definition.mode == .settled,
            epoch.map({ graph.epochs.hold(since ?? 0, of: $0) }) ?? true,
            let (derived, sources) = Self.ancestry(of: node)
        else { return nil }
        let known = (sources.map(\.knownSince) + derived.map(\.changed)).max { $0.rev < $1.rev }
        guard let known, known.rev > 0, since.map({ $0 + 1 >= known.rev && $0 <= graph.rev }) ?? true else {
            return nil
        }
        let reach = (since ?? known.rev - 1)...graph.rev
        let most = min(Self.mostSamples, max(limit, 1) * sources.count)
        guard let part = Self.part(of: reach, atMost: most, forward: since != nil, sources) else {
            return nil
        }
        self.node = node.name
        self.graph = graph.name
        self.epoch = graph.epoch
        present = graph.rev
        definition = Self.definition(derived, sources)
        defined = derived.map { ($0.name, $0.changed.time) }
        self.sources = sources.map(\.name)
        start = part.lowerBound
        base = start < known.rev ? known : LogStamp(rev: start, time: 0)
        end = part.upperBound
        (self.since, self.limit) = (since, limit)
        for (place, source) in sources.enumerated() {
            copy(source, place, namesAuthors: access.rights(on: source).contains(.read))
        }
        samples.sort { ($0.stamp.rev, $0.number) < ($1.stamp.rev, $1.number) }
    }

    /// Copies what a source held at the base, and what it emitted until the end.
    private mutating func copy(_ source: NamedNode, _ place: Int, namesAuthors: Bool) {
        func append(_ stamp: LogStamp, _ value: Datum?, _ cause: Cause?) {
            let cause = namesAuthors ? cause : cause.map { Cause.of($0.origin, by: nil) }
            self.append(stamp, value, cause, place)
        }
        guard let ring = source.ring, ring.count > 0 else {
            return append(source.changed, source.source?.value, source.cause)
        }
        for index in max(0, ring.index(after: base.rev) - 1)..<ring.index(after: end) {
            append(ring[index].stamp, ring[index].value, ring[index].cause)
        }
    }

    private mutating func append(_ stamp: LogStamp, _ value: Datum?, _ cause: Cause?, _ place: Int) {
        let from = bytes.count
        value?.withBytes { bytes.append(contentsOf: $0) }
        let range = value == nil ? nil : from..<bytes.count
        samples.append(
            Sample(stamp: stamp, number: samples.count, source: place, value: range, cause: cause)
        )
    }

    // MARK: - What is needed

    /// The derived nodes on the way to a node, itself among them, and the nodes that are set; nil
    /// where one of them depends on more than present values, or where they are too many.
    private static func ancestry(of node: NamedNode) -> (derived: [NamedNode], sources: [NamedNode])? {
        var (derived, sources): ([NamedNode], [NamedNode]) = ([], [])
        var open = [node]
        var seen: Set<ObjectIdentifier> = []
        while let next = open.popLast() {
            guard seen.insert(ObjectIdentifier(next)).inserted else { continue }
            guard seen.count <= mostNodes else { return nil }
            if next.isMutable {
                sources.append(next)
            } else {
                guard next.definition.stateClass == .none, next.definition.glob == nil else { return nil }
                derived.append(next)
                open.append(contentsOf: next.inputs)
            }
        }
        return sources.isEmpty ? nil : (derived, sources)
    }

    /// The nodes as a definition of their own, in which nothing but the commits sets a source.
    private static func definition(_ derived: [NamedNode], _ sources: [NamedNode]) -> String {
        var texts: [String: String] = [:]
        for node in derived { texts[node.definition.name] = node.definition.canonical }
        for node in sources { texts[node.definition.name] = #"{"set":"any"}"# }
        var buffer = ByteBuffer()
        buffer.append("{\"nodes\":{")
        var isFirst = true
        for (name, text) in texts {
            if !isFirst { buffer.append(",") }
            isFirst = false
            buffer.append(json: name)
            buffer.append(":")
            buffer.append(utf8: text)
        }
        buffer.append("}}")
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    // MARK: - How much

    /// The part of `reach` whose samples fit: the oldest if it goes forward, the newest otherwise;
    /// nil: not even one commit's do.
    private static func part(
        of reach: ClosedRange<UInt64>,
        atMost most: Int,
        forward: Bool,
        _ sources: [NamedNode]
    ) -> ClosedRange<UInt64>? {
        let rings = sources.compactMap(\.ring)
        var most = most
        while most > 0 {
            let part = part(of: reach, atMost: most, forward: forward, rings)
            if part.count == 1, reach.count > 1 { return nil }
            if bytes(of: part, sources) <= mostBytes { return part }
            most /= 2
        }
        return nil
    }

    private static func part(
        of reach: ClosedRange<UInt64>,
        atMost most: Int,
        forward: Bool,
        _ rings: [HistoryRing]
    ) -> ClosedRange<UInt64> {
        func fits(_ from: UInt64, _ to: UInt64) -> Bool {
            rings.reduce(0) { $0 + $1.index(after: to) - $1.index(after: from) } <= most
        }
        let (first, last) = (reach.lowerBound, reach.upperBound)
        var (least, width) = (UInt64(0), last - first)
        // How many revs fit.
        while least < width {
            let middle = width - (width - least) / 2
            if forward ? fits(first, first + middle) : fits(last - middle, last) {
                least = middle
            } else {
                width = middle - 1
            }
        }
        return forward ? first...first + least : last - least...last
    }

    private static func bytes(of part: ClosedRange<UInt64>, _ sources: [NamedNode]) -> Int {
        var total = 0
        for source in sources {
            guard let ring = source.ring, ring.count > 0 else {
                total += source.source?.value?.byteCount ?? 0
                continue
            }
            for index in max(0, ring.index(after: part.lowerBound) - 1)..<ring.index(after: part.upperBound) {
                total += ring[index].value?.byteCount ?? 0
                if total > mostBytes { return total }
            }
        }
        return total
    }
}

extension NamedNode {
    /// Of a node that is set: since when each of its values is known.
    fileprivate var knownSince: LogStamp {
        guard let ring, ring.count > 0 else { return changed }
        // One whose ring is as old as itself was empty until its first value.
        guard family == nil, ring.from < definedAt else { return ring[0].stamp }
        return LogStamp(rev: definedAt, time: min(born, ring[0].stamp.time))
    }
}
