/// A value as it came from the server, with what the server says about it.
public struct ValueDelivery<Value: Sendable>: Sendable {
    /// The value; `nil` if the node is empty, its operator failed, the value has another type, or
    /// the subscription has ended.
    public let value: Value?
    /// Why there is no value, and everything besides it.
    public let meta: Meta
}

/// What a listener's buffer holds: a delivery before its value has the program's type.
struct Emission: Sendable {
    var value: JSONValue?
    var meta: Meta
}

extension Emission {
    /// Whether a newer value may take the place of this one, as in the server's mode `latest`.
    private var isFoldable: Bool { !meta.isHistory && meta.ended == nil }

    /// Takes the place of `older`, which was not read, and says what it had to say.
    ///
    /// - Returns: whether that was possible.
    mutating func replace(_ older: Emission) -> Bool {
        guard isFoldable, older.isFoldable else { return false }
        meta.folded += older.meta.folded - (meta.isSame || older.meta.isSame ? 1 : 0)
        meta.isSame = meta.isSame && older.meta.isSame
        meta.gap = meta.gap ?? older.meta.gap
        meta.isLost = meta.isLost || older.meta.isLost
        if let known = older.meta.lostRevs { meta.lostRevs = (meta.lostRevs ?? 0) + known }
        meta.more = meta.more ?? older.meta.more
        if let members = older.meta.members {
            meta.members = members.merging(meta.members ?? [:]) { $1 }
        }
        return true
    }
}
