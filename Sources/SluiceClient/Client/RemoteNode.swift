/// The name of a node that clients may set, and the type of its values.
///
/// `sluice types GRAPH --for swift` writes these for all nodes of a graph.
public struct NodeName<Value: Sendable & Codable>: Sendable, Hashable {
    /// `graph/node`.
    public let path: String

    /// - Parameter path: `graph/node`.
    public init(_ path: String) {
        self.path = path
    }
}

/// The name of a node that clients cannot set, and the type of its values.
public struct DerivedNodeName<Value: Sendable & Codable>: Sendable, Hashable {
    /// `graph/node`.
    public let path: String

    /// - Parameter path: `graph/node`.
    public init(_ path: String) {
        self.path = path
    }
}

extension SluiceClient {
    /// The node `graph/node`, whose values have that type.
    public func node<Value>(_ path: String, as: Value.Type = Value.self) -> RemoteNode<Value> {
        RemoteNode(client: self, path: path)
    }

    /// A node by its typed name.
    public func node<Value>(_ name: NodeName<Value>) -> RemoteNode<Value> {
        RemoteNode(client: self, path: name.path)
    }

    /// A node that clients cannot set, by its typed name.
    public func node<Value>(_ name: DerivedNodeName<Value>) -> DerivedNode<Value> {
        DerivedNode(node: RemoteNode(client: self, path: name.path))
    }
}

/// A node of a graph.
///
/// It costs nothing until it is used.
public struct RemoteNode<Value: Sendable & Codable>: Subscribable {
    let client: SluiceClient
    /// `graph/node`.
    public let path: String

    /// The name of the graph.
    public var graph: String { String(path.prefix { $0 != "/" }) }
    /// The name within the graph.
    public var name: String { String(path.drop { $0 != "/" }.dropFirst()) }

    public var source: Source<Value> {
        Source(client, graph, ["node": .string(name)])
    }

    /// What the node holds now.
    ///
    /// - Parameter after: the answer includes that commit, also where another server has made it.
    /// - Returns: `nil` if it is empty.
    /// - Throws: the failure of its operator; `type_mismatch` if the value does not have the type;
    ///   otherwise what the server refuses.
    public func get(after: Cursor? = nil) async throws -> Value? {
        let snapshot = try await client.get(graph, [name], after: after)
        guard let member = snapshot.members[name] else { return nil }
        if let failure = member.failure { throw SluiceError(failure.code, failure.message, path: path) }
        do {
            return try member.value.map { try JSONText.convert($0, to: Value.self) }
        } catch {
            let failure = Failure(mismatch: error, Value.self)
            throw SluiceError(failure.code, failure.message, path: path)
        }
    }

    /// Sets the node.
    ///
    /// Returns when the server has accepted the value.
    ///
    /// - Throws: `not-connected` at once without a connection; `unknown-outcome` if the connection
    ///   is lost before the answer (``SluiceError/repeat()``); otherwise what the server refuses.
    @discardableResult
    public func set(_ value: Value, options: SetOptions = SetOptions()) async throws -> Applied {
        try await client.change(graph, ["set": [name: json(value)]], options, path: path)
    }

    /// Clears the node: it holds nothing afterwards.
    @discardableResult
    public func clear(options: SetOptions = SetOptions()) async throws -> Applied {
        var options = options
        options.clear.append(name)
        return try await client.change(graph, ["set": [:]], options, path: path)
    }

    /// Has the server compute the next value.
    ///
    /// In the expression `value` is the present value. The answer has the result as
    /// ``Applied/values``.
    @discardableResult
    public func update(_ expression: String, options: SetOptions = SetOptions()) async throws -> Applied {
        try await client.change(
            graph,
            ["set": [:], "update": [name: .string(expression)]],
            options,
            path: path
        )
    }

    /// Reports the state of the node besides its value.
    @discardableResult
    public func load(_ report: LoadReport) async throws -> Applied {
        let fields = report.fields.merging(["op": "load", "graph": .string(graph), "node": .string(name)]) {
            $1
        }
        return Applied(try await client.loop.request(fields, path: path))
    }

    /// Keeps the node set while this client is connected: now, and again with each new connection.
    ///
    /// The server clears it when the connection ends, however it ends.
    ///
    /// Refusals after a reconnect are reported as ``ClientEvent/problem(_:)``.
    ///
    /// - Returns: the commit; `nil` without a connection, because the next one sets the node.
    @discardableResult
    public func hold(_ value: Value) async throws -> Applied? {
        let claim = Claim(graph: graph, node: name, value: try json(value))
        client.loop.send { [path] in $0.claims[path] = claim }
        return try await ifConnected { try await client.loop.request(claim.fields, path: path) }
    }

    /// Clears what ``hold(_:)`` has set, and sets it no more.
    ///
    /// - Returns: the commit; `nil` without a connection, because the server has cleared it.
    @discardableResult
    public func letGo() async throws -> Applied? {
        client.loop.send { [path] in $0.claims[path] = nil }
        let fields: JSONObject = [
            "op": "set", "graph": .string(graph), "set": [:], "clear": [.string(name)],
            "key": .string(randomKey()),
        ]
        return try await ifConnected { try await client.loop.request(fields, path: path) }
    }

    /// What the server makes of the node's values.
    ///
    /// ```swift
    /// let average = node.pipe([["window": ["last": "10m", "of": "avg"]]], as: Double.self)
    /// ```
    public func pipe<Output>(_ stages: [JSONValue], as: Output.Type = Output.self) -> Computation<Output> {
        Computation(source: Source(client, graph, ["node": .string(name), "pipe": .array(stages)]))
    }

    private func json(_ value: Value) throws -> JSONValue {
        do {
            return try JSONText.convert(value)
        } catch {
            throw SluiceError("type_mismatch", "the value cannot be sent as JSON: \(error)", path: path)
        }
    }

    private func ifConnected(_ request: () async throws -> JSONObject) async throws -> Applied? {
        do {
            return Applied(try await request())
        } catch let error as SluiceError where ["not-connected", "unknown-outcome"].contains(error.code) {
            // What it has set ends with the connection, and the next one sets it again.
            return nil
        }
    }
}

/// A node that clients cannot set.
public struct DerivedNode<Value: Sendable & Codable>: Subscribable {
    let node: RemoteNode<Value>

    /// `graph/node`.
    public var path: String { node.path }
    public var source: Source<Value> { node.source }

    /// What the node holds now; as ``RemoteNode/get(after:)``.
    public func get(after: Cursor? = nil) async throws -> Value? {
        try await node.get(after: after)
    }

    /// What the server makes of the node's values; as ``RemoteNode/pipe(_:as:)``.
    public func pipe<Output>(_ stages: [JSONValue], as: Output.Type = Output.self) -> Computation<Output> {
        node.pipe(stages, as: Output.self)
    }
}

/// A value that the server computes for this client, of one node or of several.
public struct Computation<Value: Sendable & Codable>: Subscribable {
    public let source: Source<Value>
}
