internal import GraphHost
internal import HTTP

/// `If-Match` and `If-None-Match` (RFC 9110 §13.1) on nodes, whose entity tags are `"epoch:rev"`.
enum Preconditions {
    /// Converts the fields into conditions of a commit on `node`.
    ///
    /// - Throws: `conflict` if one cannot hold, `bad_request` if one is invalid.
    static func read(_ head: RequestHead, for node: NamedNode, into commit: inout Commit) throws(HostError) {
        if let value = head.value(.ifMatch) {
            let condition = try condition(value, "If-Match")
            guard let expected = expectedChange(condition, node) else {
                throw conflict(node, "the node is not in the state that If-Match asks for")
            }
            commit.epoch = node.graph.epoch
            commit.conditions.append(Condition(node, .changedAt(expected)))
        }
        if let value = head.value(.ifNoneMatch) {
            let condition = try condition(value, "If-None-Match")
            if case .any = condition {
                commit.conditions.append(Condition(node, .isEmpty))
            } else if condition.matchesWeakly(tag(node.graph.read(node), of: node)) {
                throw conflict(node, "the node is in a state that If-None-Match rules out")
            }
        }
    }

    /// Whether the client of a read with this `If-None-Match` has the present state already.
    ///
    /// An empty node has a state, and so a tag; only `*` asks for a value.
    static func isKnown(
        _ value: UnsafeRawBufferPointer,
        _ reading: Reading,
        of node: NamedNode
    ) throws(HostError) -> Bool {
        var isEmpty = false
        if case .empty = reading.held { isEmpty = true }
        return try isKnown(value, tag: "\(node.graph.epoch):\(reading.changed)", isEmpty: isEmpty)
    }

    /// The same for a node as it was.
    static func isKnown(_ value: UnsafeRawBufferPointer, _ reading: PastReading) throws(HostError) -> Bool {
        var isEmpty = false
        if case .empty = reading.held { isEmpty = true }
        return try isKnown(value, tag: "\(reading.epoch):\(reading.changed)", isEmpty: isEmpty)
    }

    private static func isKnown(
        _ value: UnsafeRawBufferPointer,
        tag: String,
        isEmpty: Bool
    ) throws(HostError) -> Bool {
        let condition = try condition(value, "If-None-Match")
        if case .any = condition { return !isEmpty }
        return condition.matchesWeakly(tag)
    }

    fileprivate static func condition(
        _ value: UnsafeRawBufferPointer,
        _ name: String
    ) throws(HostError) -> EntityTagCondition {
        if let condition = EntityTagCondition(value) { return condition }
        throw HostError(.badRequest, "\(name) must be * or a list of quoted entity tags")
    }

    /// The change rev that the node must have for `If-Match` to hold; nil if it cannot hold.
    private static func expectedChange(_ condition: EntityTagCondition, _ node: NamedNode) -> UInt64? {
        if case .list(let list) = condition, list.count == 1 {
            // The usual form does not read the node: the host checks pending commits.
            var rev: UInt64?
            list.forEach { tag, isWeak in
                if !isWeak { rev = Self.rev(in: tag, epoch: node.graph.epoch) }
                return true
            }
            return rev
        }
        let reading = node.graph.read(node)
        return condition.matchesStrongly(tag(reading, of: node)) ? reading.changed : nil
    }

    /// The rev in a tag `epoch:rev`; nil if the tag has another epoch or another form.
    private static func rev(in tag: UnsafeRawBufferPointer, epoch: String) -> UInt64? {
        guard let colon = tag.lastIndex(of: UInt8(ascii: ":")), tag[..<colon].elementsEqual(epoch.utf8) else {
            return nil
        }
        return UnsafeRawBufferPointer(rebasing: tag[(colon + 1)...]).decimal.map { UInt64($0) }
    }

    /// The tag of a node; nil if it is empty and so has no representation.
    private static func tag(_ reading: Reading, of node: NamedNode) -> String? {
        if case .empty = reading.held { return nil }
        return "\(node.graph.epoch):\(reading.changed)"
    }

    private static func conflict(_ node: NamedNode, _ sentence: String) -> HostError {
        HostError(.conflict, sentence, node: node.name, rev: node.graph.read(node).changed)
    }
}

/// `If-Match` and `If-None-Match` on something with one entity tag, such as a definition or a
/// dashboard; kept beyond the request's head.
struct TagConditions: Sendable {
    private let ifMatch: [UInt8]?
    private let ifNoneMatch: [UInt8]?

    /// - Throws: `bad_request` if a field is invalid.
    init(_ head: RequestHead) throws(HostError) {
        func read(_ name: HeaderName, _ text: String) throws(HostError) -> [UInt8]? {
            guard let value = head.value(name) else { return nil }
            _ = try Preconditions.condition(value, text)
            return Array(value)
        }
        ifMatch = try read(.ifMatch, "If-Match")
        ifNoneMatch = try read(.ifNoneMatch, "If-None-Match")
    }

    /// Whether `If-Match` allows a change of what has this tag; nil: there is no such thing.
    func allowsMatch(_ tag: String?) -> Bool {
        ifMatch.map { Self.holds($0, tag) { $0.matchesStrongly($1) } } ?? true
    }

    /// Whether `If-None-Match` allows a change of what has this tag.
    func allowsNoMatch(_ tag: String?) -> Bool {
        ifNoneMatch.map { !Self.holds($0, tag) { $0.matchesWeakly($1) } } ?? true
    }

    private static func holds(
        _ value: [UInt8],
        _ tag: String?,
        _ matches: (EntityTagCondition, String?) -> Bool
    ) -> Bool {
        value.withUnsafeBytes { EntityTagCondition($0).map { matches($0, tag) } ?? false }
    }
}
