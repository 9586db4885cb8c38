/// What checks may cost: the parts of a schema and the parts of a value multiply.
///
/// It is counted in the units of expressions: a schema that looks at a value takes two, and one more for each sixteen bytes that it reads.
public struct CheckBudget {
    /// Units for all values of one commit.
    static let ofCommit = 1_000_000
    /// Units for all initial and allowed values of one definition.
    static let ofDefinition = 5_000_000

    /// What is wrong with a value when the budget does not last.
    static let complaint = "cannot be checked: the schema takes too long for this much"

    private let most: Int
    private var rest: Int

    /// A budget of so many units.
    init(_ units: Int = CheckBudget.ofCommit) {
        most = units
        rest = units
    }

    /// Whether more was asked for than there is.
    var isSpent: Bool { rest < 0 }

    /// The units spent.
    var spent: Int { most - rest }

    /// Takes units for a look at so many bytes.
    mutating func spend(bytes: Int) { rest -= 2 + bytes / 16 }

    /// Takes units.
    mutating func spend(_ units: Int) { rest -= units }
}
