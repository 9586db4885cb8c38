/// How many inner nodes a switch keeps, and what happens to one key more (G-143).
///
/// Limits are at least 1.
public enum KeyLimit: Sendable, Equatable {
    /// One inner node for every key there ever was.
    case unlimited
    /// The inner node of the key whose last value is the longest ago is released; if the key comes
    /// again it gets a new one.
    case evictOldest(Int)
    /// A value of a new key is dropped and reported to the graph's ``Graph/onError``
    /// (``GraphError/overflow(node:name:limit:)``).
    case fail(Int)
}

extension KeyLimit {
    /// How many inner nodes there may be.
    var count: Int {
        switch self {
        case .unlimited: .max
        case .evictOldest(let limit), .fail(let limit): limit
        }
    }

    /// A limit below 1 is a programming error.
    @usableFromInline
    func require() {
        switch self {
        case .unlimited: break
        case .evictOldest(let limit), .fail(let limit):
            precondition(limit > 0, "switch: maxKeys must be positive")
        }
    }
}
