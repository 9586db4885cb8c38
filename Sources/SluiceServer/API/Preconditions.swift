internal import Commits
internal import Graphs
internal import Sessions
internal import HTTP
internal import Support
internal import Values

/// `If-Match` and `If-None-Match` (RFC 9110 §13.1) on nodes, whose entity tags are `"epoch:rev"`.
enum Preconditions {
    /// Converts the fields into conditions of a commit on `node`.
    ///
    /// - Throws: `conflict` if one cannot hold, `bad_request` if one is invalid.
    static func read(_ head: RequestHead, for node: NamedNode, into commit: inout Commit) throws(HostError) {
        if let value = head.value(.ifMatch) {
            let condition = try EntityTagCondition(value, of: "If-Match")
            let expected = try expectedChange(condition, node)
            commit.epoch = node.graph.epoch
            commit.conditions.append(Condition(node, .changedAt(expected)))
        }
        if let value = head.value(.ifNoneMatch) {
            let condition = try EntityTagCondition(value, of: "If-None-Match")
            if case .any = condition {
                commit.conditions.append(Condition(node, .isEmpty))
            } else if try isKnown(value, node.graph.read(node), of: node) {
                throw conflict(node, "the node is in a state that If-None-Match rules out")
            }
        }
    }

    /// Whether the client of a read with this `If-None-Match` has the present state already.
    ///
    /// An empty node has a state, and so a tag; only `*` asks for a value.
    static func isKnown(
        _ value: BorrowedBytes,
        _ reading: Reading,
        of node: NamedNode
    ) throws(HostError) -> Bool {
        var isEmpty = false
        if case .empty = reading.held { isEmpty = true }
        return try isKnown(value, tag: tag(reading.changed, in: node.graph), isEmpty: isEmpty)
    }

    /// The same for a node as it was.
    static func isKnown(_ value: BorrowedBytes, _ reading: PastReading) throws(HostError) -> Bool {
        var isEmpty = false
        if case .empty = reading.held { isEmpty = true }
        return try isKnown(value, tag: "\(reading.epoch):\(reading.changed)", isEmpty: isEmpty)
    }

    private static func isKnown(
        _ value: BorrowedBytes,
        tag: String,
        isEmpty: Bool
    ) throws(HostError) -> Bool {
        let condition = try EntityTagCondition(value, of: "If-None-Match")
        if case .any = condition { return !isEmpty }
        return condition.matches(tag)
    }

    /// The change rev that the node must have for `If-Match` to hold.
    ///
    /// - Throws: `conflict` if it cannot hold.
    private static func expectedChange(
        _ condition: EntityTagCondition,
        _ node: NamedNode
    ) throws(HostError) -> UInt64 {
        guard case .list(let list) = condition else {
            let reading = node.graph.read(node)
            if case .empty = reading.held {
                throw conflict(node, "the node is empty, and If-Match: * asks for a value")
            }
            return reading.changed
        }
        var (revs, isForeign) = ([UInt64](), true)
        list.forEach { tag in
            guard let (epoch, rev) = version(in: tag) else { return true }
            isForeign = false
            if node.graph.epochs.hold(rev, of: epoch) { revs.append(rev) }
            return true
        }
        guard let first = revs.first else {
            if isForeign { throw foreign(node) }
            throw conflict(node, "the tag in If-Match is not in the graph's history: read the node again")
        }
        // The usual form does not read the node: the host checks pending commits, and says at which
        // rev the node has changed.
        guard revs.count > 1 else { return first }
        let changed = node.graph.read(node).changed
        return revs.contains(changed) ? changed : first
    }

    /// The tag of what was last changed at `rev`.
    private static func tag(_ rev: UInt64, in graph: LiveGraph) -> String {
        "\(graph.epochs.epoch(of: rev)):\(rev)"
    }

    /// What a tag `epoch:rev` says; nil if it has another form.
    private static func version(in tag: BorrowedBytes) -> (epoch: String, rev: UInt64)? {
        guard let colon = tag.lastIndex(of: UInt8(ascii: ":")), colon > 0 else { return nil }
        let rev = tag.part((colon + 1)...).decimal
        return rev.map { (String(decoding: tag[..<colon], as: UTF8.self), UInt64($0)) }
    }

    private static func foreign(_ node: NamedNode) -> HostError {
        var error = conflict(node, TagConditions.foreignTag)
        error.hint = TagConditions.foreignHint
        return error
    }

    private static func conflict(_ node: NamedNode, _ sentence: String) -> HostError {
        HostError(.conflict, sentence, node: node.name, rev: node.graph.read(node).changed)
    }
}
