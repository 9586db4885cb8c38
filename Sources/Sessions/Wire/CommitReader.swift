public import Graphs
internal import Definitions
public import Support
public import Values

/// Reads `set`, `update`, `with`, `clear`, `if`, `ctx`, `key` and `path` of a socket's `set` or of a
/// batch body (docs/protocol.md).
public enum CommitReader {
    /// What a body says.
    public enum Batch {
        case commit(Commit)
        /// Another thread has to parse its expressions first.
        case unread(PipelineText)
    }

    /// Reads the body of a batch request.
    ///
    /// `parsed` is what another thread has made of its expressions, and `commit` what the head of
    /// the request has said: it goes before the body's `ctx` and `key`.
    ///
    /// - Throws: `bad_json`, `bad_field`, `unknown_node`, `forbidden`, `type_mismatch`, and the
    ///   problems of expressions.
    public static func read(
        batch body: BorrowedBytes,
        for view: GraphView,
        _ parsed: ParsedPipeline? = nil,
        into commit: Commit
    ) throws(HostError) -> Batch {
        try Fields.read(body) { _, fields throws(HostError) in
            guard let fields else { throw HostError(.badField, "the body must be an object") }
            let host = view.graph.host
            let texts = try FormulaText.all(in: fields)
            if parsed == nil, let text = PipelineText(texts), host.parsesElsewhere(text), !host.knows(text) {
                return .unread(text)
            }
            var commit = commit
            try read(fields, into: &commit, for: view, texts, parsed)
            return .commit(commit)
        }
    }

    static func read(
        _ fields: Fields,
        into commit: inout Commit,
        for view: GraphView,
        _ texts: [FormulaText],
        _ parsed: ParsedPipeline?
    ) throws(HostError) {
        if let set = fields[.set] {
            guard set.kind == .object else { throw HostError(.badField, "set: an object of names is needed") }
            for member in set.members {
                commit.set.append(Assignment(try node(member.key, in: view, to: .set), Datum(member.value)))
            }
        }
        var globs: [String] = []
        if let clear = fields[.clear] {
            guard clear.kind == .array else {
                throw HostError(.badField, "clear: a list of names and globs is needed")
            }
            for element in clear.elements {
                guard let name = element.text else {
                    throw HostError(.badField, "clear: a list of names and globs is needed")
                }
                if Glob.isGlob(name.string) {
                    globs.append(name.string)
                } else {
                    commit.clear.append(try node(name, in: view, to: .set))
                }
            }
        }
        try readRemarks(fields, into: &commit, for: view, texts, globs: globs, parsed)
    }

    /// Reads what every change may have besides its nodes: conditions, a context and a key.
    static func readRemarks(
        _ fields: Fields,
        into commit: inout Commit,
        for view: GraphView,
        _ texts: [FormulaText],
        globs: [String] = [],
        _ parsed: ParsedPipeline?
    ) throws(HostError) {
        if let conditions = fields[.`if`], conditions.kind != .string {
            try read(conditions: conditions, into: &commit, for: view)
        }
        if let context = fields[.ctx], commit.context == nil { commit.context = Datum(context) }
        if let key = try fields.string(.key) {
            guard !key.isEmpty, key.utf8.count <= 128 else {
                throw HostError(.badField, "key: 1 to 128 bytes are allowed")
            }
            if commit.key == nil { commit.key = key }
        }
        if !texts.isEmpty || !globs.isEmpty {
            commit.transaction = try Transaction(
                of: commit,
                with: try named(fields, in: view),
                texts,
                parsed,
                globs: globs,
                for: view
            )
        }
        if let path = fields[.path], commit.path == nil { commit.path = try ValuePath(path) }
        commit.skipPassed()
    }

    /// The nodes of `with`; the results of expressions reveal something about their values.
    private static func named(
        _ fields: Fields,
        in view: GraphView
    ) throws(HostError) -> [(name: String, node: NamedNode)] {
        var nodes: [(name: String, node: NamedNode)] = []
        guard let with = fields[.with] else { return nodes }
        for member in with.members {
            guard let name = member.value.text else {
                throw HostError(.badField, "with.\(member.key.string): the name of a node is needed")
            }
            nodes.append((member.key.string, try node(name, in: view, to: .read)))
        }
        return nodes
    }

    private static func read(
        conditions: JSONReader,
        into commit: inout Commit,
        for view: GraphView
    ) throws(HostError) {
        guard conditions.kind == .object else {
            throw HostError(.badField, "if: an object of names, or an expression, is needed")
        }
        for member in conditions.members {
            // `epoch` is the epoch of the revs; a node with that name cannot be used in a
            // condition.
            if member.key == "epoch" {
                guard let epoch = member.value.string else {
                    throw HostError(.badField, "if.epoch: a string is needed")
                }
                commit.epoch = epoch
                continue
            }
            // The result of a condition reveals something about the value.
            let node = try node(member.key, in: view, to: .read)
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

    private static func node(
        _ key: JSONTextSlice,
        in view: GraphView,
        to right: Rights
    ) throws(HostError) -> NamedNode {
        let node = key.hasEscapes ? nil : view.graph.node(named: key.inside)
        return try view.node(node, named: key.string, to: right)
    }
}
