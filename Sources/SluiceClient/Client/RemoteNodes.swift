/// Several nodes of a graph, as a dictionary by name.
public struct RemoteNodes<Member: Sendable & Decodable>: Subscribable {
    public let source: Source<[String: Member]>
}

/// A node of which a ``Computation`` is made.
public struct Input: Sendable, Hashable, ExpressibleByStringLiteral {
    let json: JSONValue

    public init(stringLiteral name: String) {
        json = .string(name)
    }

    /// A node whose changes cause a value.
    public static func active(_ name: String) -> Input { Input(stringLiteral: name) }

    /// A node that is read, and whose changes alone cause no value.
    public static func passive(_ name: String) -> Input {
        Input(json: ["of": .string(name), "passive": true])
    }

    private init(json: JSONValue) {
        self.json = json
    }
}

extension SluiceClient {
    /// Several nodes by names and globs.
    ///
    /// Nodes without a value are left out of the dictionary.
    ///
    /// ``Meta/members`` has those that changed, and ``Meta/more`` how many are left out because
    /// there are too many. With the mode `all` there is one delivery for each commit.
    public func nodes<Value>(
        _ graph: String,
        _ names: [String],
        as: Value.Type = Value.self
    ) -> RemoteNodes<Value> {
        RemoteNodes(
            source: Source(
                client: self,
                fields: ["op": "sub", "graph": .string(graph), "nodes": .array(names.map(JSONValue.string))],
                isShared: false,
                makeReader: {
                    var values: [String: Value] = [:]
                    return { $0.delivery(updating: &values) }
                }
            )
        )
    }

    /// One value of several nodes, once all have one.
    ///
    /// The inputs are nodes by the names that the value has for them. `map` is the expression that
    /// makes the value; without one it is an object of the inputs.
    public func combine<Value>(
        _ graph: String,
        _ inputs: [String: Input],
        map: String? = nil,
        as: Value.Type = Value.self
    ) -> Computation<Value> {
        var fields: JSONObject = ["combine": .object(inputs.mapValues(\.json))]
        fields["map"] = map.map(JSONValue.string)
        return compute(graph, fields)
    }

    /// A value that the server computes as the fields of the protocol's `sub` say: `combine`,
    /// `all`, `merge`, `zip`, `switch` and others, with `pipe`.
    public func compute<Value>(
        _ graph: String,
        _ fields: JSONObject,
        as: Value.Type = Value.self
    ) -> Computation<Value> {
        Computation(source: Source(self, graph, fields))
    }
}

extension Emission {
    /// A delivery of several nodes: the values that changed take their places among the others.
    fileprivate func delivery<Value: Decodable>(
        updating values: inout [String: Value]
    ) -> ValueDelivery<[String: Value]> {
        guard meta.ended == nil else { return ValueDelivery(value: nil, meta: meta) }
        var meta = meta
        for (name, member) in meta.members ?? [:] {
            do {
                values[name] = try member.value.map { try JSONText.convert($0, to: Value.self) }
            } catch {
                values[name] = nil
                meta.members?[name]?.failure = Failure(mismatch: error, Value.self)
            }
        }
        return ValueDelivery(value: values, meta: meta)
    }
}
