/// What a node holds: a value, nothing, or the failure of the operator that makes it.
public enum Held {
    /// Nothing (`"empty": true`).
    case empty
    /// A value; its bytes are JSON text.
    case value(Datum)
    /// The operator failed for the present input (`"fail": {…}`).
    case fail(Datum)
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
