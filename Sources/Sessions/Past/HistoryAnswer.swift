public import Graphs
internal import Commits
internal import Definitions
internal import Support
public import Values

/// The history of nodes as JSON.
public struct HistoryAnswer {
    private let graph: LiveGraph

    /// Answers about a graph's nodes.
    public init(in graph: LiveGraph) {
        self.graph = graph
    }

    /// The history of a node.
    ///
    /// - Parameters:
    ///   - node: a node of this graph.
    ///   - since: only emissions newer than this rev, oldest first; nil: the newest.
    ///   - epoch: the epoch of `since`; nil: the present one.
    ///   - limit: the most emissions; those of one rev are never split. If emissions are left out,
    ///     there or because the answer has ``SessionLimits/answerBytes``, it has `"more":true`.
    /// - Returns: JSON, `{"epoch","from","rev","d":[{"rev","t","v"|"empty"|"fail","by","origin"}]}`.
    /// - Throws: `gone` if emissions after `since` are no longer kept; its `rev` is the oldest
    ///   valid `since`.
    public func json(
        of node: NamedNode,
        since: UInt64? = nil,
        epoch: String? = nil,
        limit: Int
    ) throws(HostError) -> [UInt8] {
        let ring = node.history
        let isKnown = epoch.map { graph.epochs.hold(since ?? 0, of: $0) } ?? true
        if let since, since < ring.from || since > graph.rev || !isKnown {
            throw HostError(
                .gone,
                "the history of \(node.name) is known from rev \(ring.from) to \(graph.rev) of this epoch",
                node: node.name,
                rev: ring.from
            )
        }
        return json(ring, since: since, limit: limit, rev: graph.rev)
    }

    /// The JSON of the emissions newer than `since`, or of the newest.
    ///
    /// - Parameters:
    ///   - ring: the emissions.
    ///   - states: the facets, each time they changed.
    ///   - since: only what is newer than this rev, oldest first; nil: the newest.
    ///   - limit: the most emissions; those of one rev are never split.
    ///   - rev: the graph's present rev.
    ///   - end: the last rev whose emissions are in `ring`, if there may be newer ones.
    /// - Returns: JSON, see ``json(of:since:epoch:limit:)``; with `"to"` if `end` cut it.
    func json(
        _ ring: HistoryRing,
        _ states: [PastRecorder.State] = [],
        since: UInt64?,
        limit: Int,
        rev: UInt64,
        end: UInt64? = nil
    ) -> [UInt8] {
        let most = graph.host.limits.answerBytes
        let last = since.map { ring.lastRev(of: limit, bytes: most, after: $0, states) }
        let range =
            since.map { ring.index(after: $0)..<ring.index(after: last ?? 0) }
            ?? ring.newest(limit, bytes: most)
        let shown = states.prefix { $0.stamp.rev <= last ?? 0 }
        var buffer = ByteBuffer()
        buffer.append("{")
        buffer.member("epoch", graph.epoch)
        let start = range.lowerBound > 0 ? ring[range.lowerBound - 1].stamp.rev : ring.from
        buffer.member("from", since ?? start)
        buffer.member("rev", rev)
        let isCut =
            range.count < ring.count - (since.map(ring.index(after:)) ?? 0) || shown.count < states.count
        if isCut || end != nil { buffer.member("more", true) }
        if !isCut { buffer.member("to", end) }
        buffer.member("d")
        ring.append(range, shown, to: &buffer)
        buffer.append("}\n")
        return Array(buffer.bytes)
    }
}

extension HistoryRing {
    /// The rev of the last of `limit` emissions and states after `rev`, or of the one with which
    /// they have `bytes`; the largest rev if all of them fit.
    fileprivate func lastRev(
        of limit: Int,
        bytes: Int,
        after rev: UInt64,
        _ states: [PastRecorder.State]
    ) -> UInt64 {
        var (emission, state, last, held) = (index(after: rev), 0, rev, 0)
        for _ in 0..<limit where held < bytes {
            let next = emission < count ? self[emission].stamp.rev : .max
            let nextState = state < states.count ? states[state].stamp.rev : .max
            last = min(next, nextState)
            if last == .max { break }
            if next <= nextState {
                held += jsonSize(at: emission)
                emission += 1
            } else {
                held += states[state].json.count
                state += 1
            }
        }
        return last
    }

    /// The last `limit` emissions with at most `bytes` of JSON, but at least the last one; without
    /// an incomplete first rev.
    func newest(_ limit: Int, bytes: Int) -> Range<Int> {
        let all = max(0, count - limit)..<count
        let start = min(fitting(all, bytes: bytes).lowerBound, max(all.lowerBound, count - 1))
        guard start > 0, start < count, self[start - 1].stamp.rev == self[start].stamp.rev else {
            return start..<count
        }
        return index(after: self[start].stamp.rev)..<count
    }

    /// The newest of `range` whose JSON has at most `limit` bytes.
    func fitting(_ range: Range<Int>, bytes limit: Int) -> Range<Int> {
        var start = range.upperBound
        var bytes = 0
        while start > range.lowerBound {
            bytes += jsonSize(at: start - 1)
            if bytes > limit { break }
            start -= 1
        }
        return start..<range.upperBound
    }

    /// About the size of an emission in an answer, in bytes.
    private func jsonSize(at index: Int) -> Int { (self[index].value?.byteCount ?? 0) + 64 }

    /// Appends `[{"rev":…,"t":…,"v":…,"by":…,"origin":…,"state":{…}},…]`; a state goes with the last
    /// emission of its rev, or alone.
    func append(
        _ range: Range<Int>,
        _ states: ArraySlice<PastRecorder.State> = [],
        causes: Bool = true,
        to buffer: inout ByteBuffer
    ) {
        var states = states
        buffer.append("[")
        var isFirst = true
        func append(_ stamp: LogStamp, _ more: (inout ByteBuffer) -> Void) {
            if !isFirst { buffer.append(",") }
            isFirst = false
            buffer.append("{")
            buffer.member("rev", stamp.rev)
            buffer.member("t", stamp.time)
            more(&buffer)
            buffer.append("}")
        }
        func appendState(_ state: PastRecorder.State, to buffer: inout ByteBuffer) {
            buffer.member("state")
            buffer.append(state.json)
        }
        for index in range {
            let entry = self[index]
            while let state = states.first, state.stamp.rev < entry.stamp.rev {
                states.removeFirst()
                append(state.stamp) { appendState(state, to: &$0) }
            }
            let isLast = index + 1 == range.upperBound || self[index + 1].stamp.rev != entry.stamp.rev
            append(entry.stamp) { buffer in
                buffer.append(",")
                Subscription.append(entry.value, to: &buffer)
                if causes { entry.cause?.append(to: &buffer) }
                guard isLast, let state = states.first, state.stamp.rev == entry.stamp.rev else { return }
                states.removeFirst()
                appendState(state, to: &buffer)
            }
        }
        for state in states { append(state.stamp) { appendState(state, to: &$0) } }
        buffer.append("]")
    }
}
