public import Values

/// The state of a node: a value, empty, or the failure of its operator.
public enum Held {
    /// Empty (`"empty": true`).
    case empty
    /// A value; its bytes are JSON text.
    case value(Datum)
    /// The operator failed for the present input (`"fail": {…}`).
    case fail(Datum)

    /// The value, if it is one.
    package var value: Datum? {
        if case .value(let datum) = self { datum } else { nil }
    }

    /// The state as a member of a JSON object: `"v":…`, `"empty":true` or `"fail":{…}`.
    public var member: [UInt8] {
        switch self {
        case .empty: Array("\"empty\":true".utf8)
        case .value(let datum), .fail(let datum): datum.withFragment { Array($0) }
        }
    }
}

/// The result of reading one node.
public struct Reading {
    /// The state of the node.
    public let held: Held
    /// The rev of the node's last change: the number in its `ETag`.
    public let changed: UInt64
    /// Milliseconds since 1970 of that change.
    public let changedAt: UInt64
}
