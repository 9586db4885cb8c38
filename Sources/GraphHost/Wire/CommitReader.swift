/// Reads `set`, `clear`, `if`, `ctx` and `key` of a socket's `set` or of a batch body (wire-protocol.md §1.6, §3).
public enum CommitReader {
    /// Reads the body of a batch request.
    ///
    /// - Throws: `bad_json`, `bad_field`, `unknown_node`, `type_mismatch`.
    public static func read(
        batch body: UnsafeRawBufferPointer,
        for graph: LiveGraph
    ) throws(HostError) -> Commit {
        let reader: JSONReader
        do throws(JSONError) {
            reader = try JSONReader(checking: body)
        } catch {
            throw HostError(error)
        }
        guard let fields = Fields(reader) else { throw HostError(.badField, "the body is an object") }
        var commit = Commit(graph: graph)
        try read(fields, into: &commit)
        return commit
    }

    static func read(_ fields: Fields, into commit: inout Commit) throws(HostError) {
        let graph = commit.graph
        if let set = fields["set"] {
            guard set.kind == .object else { throw HostError(.badField, "set: an object of names is needed") }
            for member in set.members {
                commit.set.append(Assignment(try node(member.key, in: graph), Datum(member.value)))
            }
        }
        if let clear = fields["clear"] {
            guard clear.kind == .array else { throw HostError(.badField, "clear: a list of names is needed") }
            for element in clear.elements {
                guard let name = element.text else {
                    throw HostError(.badField, "clear: a list of names is needed")
                }
                commit.clear.append(try node(name, in: graph))
            }
        }
        if let conditions = fields["if"] { try read(conditions: conditions, into: &commit) }
        if let context = fields["ctx"] { commit.context = Datum(context) }
        if let key = try fields.string("key") {
            guard !key.isEmpty, key.utf8.count <= 128 else {
                throw HostError(.badField, "key: 1 to 128 bytes are allowed")
            }
            commit.key = key
        }
    }

    private static func read(conditions: JSONReader, into commit: inout Commit) throws(HostError) {
        guard conditions.kind == .object else {
            throw HostError(.badField, "if: an object of names is needed")
        }
        for member in conditions.members {
            // `epoch` is the history of the revs; a node of that name cannot stand in a condition.
            if member.key == "epoch" {
                guard let epoch = member.value.string else {
                    throw HostError(.badField, "if.epoch: a string is needed")
                }
                commit.epoch = epoch
                continue
            }
            let node = try node(member.key, in: commit.graph)
            var isKnown = false
            for test in member.value.members {
                if test.key == "rev" {
                    guard let rev = test.value.int, rev >= 0 else {
                        throw HostError(.badField, "if.\(node.name).rev: a rev is needed")
                    }
                    commit.conditions.append(Condition(node, .unchangedSince(UInt64(rev))))
                    isKnown = true
                } else if test.key == "v" {
                    commit.conditions.append(Condition(node, .holds(Datum(test.value))))
                    isKnown = true
                } else if test.key == "empty", test.value.bool == true {
                    commit.conditions.append(Condition(node, .isEmpty))
                    isKnown = true
                }
            }
            guard isKnown else { throw HostError(.badField, "if.\(node.name): rev, v or empty is needed") }
        }
    }

    private static func node(_ key: JSONTextSlice, in graph: LiveGraph) throws(HostError) -> NamedNode {
        if !key.hasEscapes, let node = graph.node(named: key.inside) { return node }
        throw HostError(.unknownNode, "no such node in \(graph.name)", node: key.string)
    }
}
