/// What a node holds: a value, nothing, or the failure of the operator that makes it.
public enum Held {
    /// Nothing (`"empty": true`).
    case empty
    /// A value; its bytes are JSON text.
    case value(Datum)
    /// The operator failed for the present input (`"fail": {…}`).
    case fail(Datum)

    /// The member that says it in an object: `"v":…`, `"empty":true` or `"fail":{…}`.
    public var member: [UInt8] {
        switch self {
        case .empty: Array("\"empty\":true".utf8)
        case .value(let datum), .fail(let datum): datum.withFragment { Array($0) }
        }
    }
}

/// One look at one node.
public struct Reading {
    /// What it holds.
    public let held: Held
    /// The rev of its own last change: the number in its `ETag`.
    public let changed: UInt64
    /// Milliseconds since 1970 of that change.
    public let changedAt: UInt64
}
