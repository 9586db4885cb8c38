/// What holds of a node for a set to be accepted.
public enum Condition: Sendable, Hashable {
    /// The node holds this value.
    case value(JSONValue)
    /// The node holds nothing.
    case empty
    /// The node has not changed since this commit.
    case unchanged(since: Cursor)
}

/// When a set is accepted; otherwise it is refused with `conflict`.
public enum Precondition: Sendable, Hashable {
    /// The conditions hold of all these nodes.
    case nodes([String: Condition])
    /// The expression is true. It sees the nodes that ``SetOptions/with`` names.
    case expression(String)

    var json: JSONValue {
        switch self {
        case .expression(let text): return .string(text)
        case .nodes(let conditions):
            var fields: JSONObject = [:]
            for (node, condition) in conditions {
                switch condition {
                case .value(let value): fields[node] = ["v": value]
                case .empty: fields[node] = ["empty": true]
                case .unchanged(let cursor):
                    fields[node] = ["rev": .integer(Int64(cursor.rev))]
                    fields["epoch"] = .string(cursor.epoch)
                }
            }
            return .object(fields)
        }
    }
}

/// What goes with a set.
public struct SetOptions: Sendable, Hashable {
    /// Nodes and globs to clear in the same commit.
    public var clear: [String] = []
    /// Names that expressions see, and the nodes that they stand for.
    public var with: [String: String] = [:]
    /// When the set is accepted.
    public var `if`: Precondition?
    /// The context of the commit, for those who listen.
    public var context: JSONValue?
    /// Whether the server clears the nodes when this connection ends.
    ///
    /// ``RemoteNode/hold(_:)`` does so for as long as the client lives.
    public var presence = false
    /// Whether a person made the set, not a program.
    public var byHand = false
    /// Where the value has been (``Meta/path``): nodes among these are not set again.
    public var path: [String] = []
    /// An idempotency key.
    ///
    /// Repeats with the same key within ten minutes are applied once. The client makes one if there
    /// is none.
    public var key: String?
    /// Further options of the protocol's `set`.
    public var further: JSONObject = [:]

    /// A set without conditions.
    public init() {}

    /// A set that is accepted only on that condition.
    public static func `if`(_ condition: Precondition) -> SetOptions {
        var options = SetOptions()
        options.if = condition
        return options
    }

    var fields: JSONObject {
        var fields = further
        if !clear.isEmpty { fields["clear"] = .array(clear.map(JSONValue.string)) }
        if !with.isEmpty { fields["with"] = .object(with.mapValues(JSONValue.string)) }
        fields["if"] = `if`?.json
        fields["ctx"] = context
        if presence { fields["presence"] = true }
        if byHand { fields["hand"] = true }
        if !path.isEmpty { fields["path"] = .array(path.map(JSONValue.string)) }
        fields["key"] = key.map(JSONValue.string)
        return fields
    }
}

/// What a program that sets a node reports besides its value.
public enum LoadReport: Sendable, Hashable {
    /// A load is under way; `progress` is 0 to 1.
    case loading(progress: Double? = nil)
    /// The load has failed. `code` has letters, digits and `_`.
    case error(code: String, message: String)
    /// The load has ended, and the value is still right.
    case notModified
    /// The load has ended without a result.
    case cancelled
    /// The value counts as out of date.
    case invalidate

    var fields: JSONObject {
        switch self {
        case .loading(let progress?): ["loading": true, "progress": .number(progress)]
        case .loading(nil): ["loading": true]
        case .error(let code, let message):
            ["error": ["code": .string(code), "msg": .string(message)]]
        case .notModified: ["notModified": true]
        case .cancelled: ["cancelled": true]
        case .invalidate: ["invalidate": true]
        }
    }
}
