public import Values

/// Which values a subscription gets (`mode`).
public enum DeliveryMode: String, CaseIterable, Sendable {
    /// The newest of each turn; earlier ones are folded into it.
    case latest
    /// Every value.
    case all

    /// The mode of that name.
    public init(_ word: String) throws(HostError) {
        guard let mode = Self(rawValue: word) else {
            let words = Self.allCases.map(\.rawValue).joined(separator: " or ")
            throw HostError(.badField, "mode: \(words) is needed")
        }
        self = mode
    }
}
