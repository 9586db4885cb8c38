public import Values

/// The values of an `enum`.
///
/// The lookup takes constant time, however many there are.
public struct AllowedValues: ExpressibleByArrayLiteral {
    /// In the order of the definition.
    public let values: [Datum]
    private let known: Set<Datum>
    /// The nearest doubles of the few values that are compared one by one; NaN for other values.
    private let doubles: [Double]
    /// How many of them an error message lists.
    private static let named = 20

    public init(_ values: [Datum]) {
        self.values = values
        known = Set(values)
        doubles = values.prefix(Self.few).map { $0.number?.double ?? .nan }
    }

    public init(arrayLiteral values: Datum...) { self.init(values) }

    /// Whether a value is one of them, compared as JSON.
    public func contains(_ value: Datum) -> Bool { known.contains(value) }

    /// The same for a value that was not made a ``Datum``: most checks compare with few values, and
    /// most of those differ at the first look.
    func contains(_ value: JSONReader) -> Bool {
        guard values.count <= Self.few else { return contains(Datum(value)) }
        let kind = value.kind
        let double = value.double
        for (place, known) in values.enumerated() where known.kind == kind {
            // Numbers with different nearest doubles differ; others may.
            if let double, double != doubles[place] { continue }
            if known.withBytes({ JSONEquality.areEqual($0, value.bytes) }) { return true }
        }
        return false
    }

    /// How many values are compared one by one: a hash takes as long.
    private static let few = 4

    /// What looking for a value of that many bytes costs, in units (``CheckBudget``).
    func units(forBytes count: Int) -> Int {
        values.count <= Self.few ? values.count * (4 + count >> 3) : 24 + count >> 1
    }

    /// The error message for a value that is not one of them.
    var complaint: String {
        let names = values.prefix(Self.named).map(\.text).joined(separator: ", ")
        let more = values.count - Self.named
        return "must be one of \(names)" + (more > 0 ? " and \(more) more" : "")
    }
}
