/// The values of an `enum`.
///
/// The lookup takes constant time, however many there are.
public struct AllowedValues: ExpressibleByArrayLiteral {
    /// In the order of the definition.
    public let values: [Datum]
    private let known: Set<Datum>
    /// How many of them an error message lists.
    private static let named = 20

    public init(_ values: [Datum]) {
        self.values = values
        known = Set(values)
    }

    public init(arrayLiteral values: Datum...) { self.init(values) }

    /// Whether a value is one of them, compared as JSON.
    public func contains(_ value: Datum) -> Bool { known.contains(value) }

    /// The error message for a value that is not one of them.
    var complaint: String {
        let names = values.prefix(Self.named).map(\.text).joined(separator: ", ")
        let more = values.count - Self.named
        return "must be one of \(names)" + (more > 0 ? " and \(more) more" : "")
    }
}
