/// The values of an `enum`; whether one is among them takes no longer where there are many.
public struct AllowedValues: ExpressibleByArrayLiteral {
    /// In the order of the definition.
    public let values: [Datum]
    private let known: Set<Datum>
    /// How many of them a complaint names.
    private static let named = 20

    /// These values.
    public init(_ values: [Datum]) {
        self.values = values
        known = Set(values)
    }

    public init(arrayLiteral values: Datum...) { self.init(values) }

    /// Whether a value is among them, compared as JSON is.
    public func contains(_ value: Datum) -> Bool { known.contains(value) }

    /// What is wrong with a value that is not among them.
    var complaint: String {
        let names = values.prefix(Self.named).map(\.text).joined(separator: ", ")
        let more = values.count - Self.named
        return "must be one of \(names)" + (more > 0 ? " and \(more) more" : "")
    }
}
