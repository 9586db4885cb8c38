extension SluiceClient {
    /// Reads several nodes at one revision.
    ///
    /// The nodes are names and globs; without them it reads all nodes of the graph that the client
    /// may read. With `after` the answer includes that commit, also where another server has made
    /// it.
    public func get(_ graph: String, _ nodes: [String] = [], after: Cursor? = nil) async throws -> Snapshot {
        var fields: JSONObject = ["op": "get", "graph": .string(graph)]
        if !nodes.isEmpty { fields["nodes"] = .array(nodes.map(JSONValue.string)) }
        fields["after"] = after?.json
        let answer = try await loop.request(fields, path: graph, isRead: true)
        guard let snapshot = Snapshot(answer) else {
            throw SluiceError("malformed", "the answer has no epoch and rev", path: graph)
        }
        return snapshot
    }

    /// The graphs there are.
    ///
    /// With `changes`, ``ClientEvent/attention(_:)`` reports from now on in which graphs a node
    /// begins or stops needing attention.
    public func list(changes: Bool = false) async throws -> [GraphSummary] {
        var fields: JSONObject = ["op": "list"]
        if changes { fields["changes"] = true }
        let answer = try await loop.request(fields, path: nil, isRead: true)
        return answer["graphs"]?.array?.compactMap(GraphSummary.init) ?? []
    }

    /// Sets several nodes of a graph in one commit.
    ///
    /// ```swift
    /// try await client.set("house", ["setpoint_c": 21, "mode": "eco"])
    /// ```
    ///
    /// - Throws: `not-connected` at once without a connection; `unknown-outcome` if the connection
    ///   is lost before the answer (``SluiceError/repeat()``); otherwise what the server refuses.
    @discardableResult
    public func set(
        _ graph: String,
        _ values: JSONObject,
        options: SetOptions = SetOptions()
    ) async throws -> Applied {
        try await change(graph, ["set": .object(values)], options, path: graph)
    }

    /// Has the server compute the next values, in one commit.
    ///
    /// ```swift
    /// var options = SetOptions.if(.expression("a >= 10"))
    /// options.with = ["a": "account.7"]
    /// try await client.update("bank", ["account.7": "value - 10", "account.8": "value + 10"], options: options)
    /// ```
    ///
    /// Each node has an expression, in which `value` is its present value. The answer has the
    /// results as ``Applied/values``.
    @discardableResult
    public func update(
        _ graph: String,
        _ expressions: [String: String],
        options: SetOptions = SetOptions()
    ) async throws -> Applied {
        let update = JSONValue.object(expressions.mapValues(JSONValue.string))
        return try await change(graph, ["set": [:], "update": update], options, path: graph)
    }

    /// Clears the nodes that match a glob, or all, and that the client may read and set.
    @discardableResult
    public func wipe(_ graph: String, matching glob: String = "*") async throws -> Applied {
        var options = SetOptions()
        options.clear = [glob]
        return try await set(graph, [:], options: options)
    }

    func change(
        _ graph: String,
        _ fields: JSONObject,
        _ options: SetOptions,
        path: String
    ) async throws -> Applied {
        var options = options
        options.key = options.key ?? randomKey()
        let message = options.fields.merging(fields) { $1 }.merging(["op": "set", "graph": .string(graph)]) {
            $1
        }
        return Applied(try await loop.request(message, path: path))
    }
}
