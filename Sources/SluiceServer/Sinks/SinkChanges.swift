internal import Support
internal import Values

/// What a sink in mode `latest` knows of its receiver, so that it sends changes only.
struct SinkChanges {
    /// The value that arrived last; nil if what the receiver has is not known.
    private var arrived: SinkValue?
    /// The value that the receiver refused last, until another one comes.
    private var refused: SinkValue?
    /// The node was empty or had failed since that value: the next one is a change.
    private var isEnded = false

    /// The node has become empty or has failed.
    mutating func end() { isEnded = true }

    /// A new value has come.
    mutating func came() { refused = nil }

    /// Whether a value is to be sent; then its attempt begins.
    mutating func begins(_ value: SinkValue, repeats: Bool) -> Bool {
        guard !repeats, !isEnded, let arrived, Self.areEqual(value.body, arrived.body) else {
            isEnded = false
            return true
        }
        return false
    }

    mutating func arrived(_ value: SinkValue) { arrived = value }

    /// The attempt failed: the receiver may have taken the value all the same.
    mutating func failed() { arrived = nil }

    mutating func refused(_ value: SinkValue) {
        arrived = nil
        refused = value
    }

    mutating func takeRefused() -> SinkValue? { refused.take() }

    private static func areEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        if a == b { return true }
        func datum(_ bytes: [UInt8]) -> Datum? { bytes.withBorrowedBytes { try? Datum.parse($0) } }
        guard let x = datum(a), let y = datum(b) else { return false }
        return x == y
    }
}
