/// The budget of checks: the parts of a schema and the parts of a value multiply.
///
/// It is counted in the units of expressions: looking at a value takes two units, and another for
/// each sixteen bytes read.
public struct CheckBudget {
    /// Units for all values of one commit.
    static let ofCommit = 1_000_000
    /// Units for all initial and allowed values of one definition.
    static let ofDefinition = 5_000_000

    /// The error message for a value when the budget runs out.
    static let complaint = "cannot be checked: the schema takes too long for so large a value"

    private let most: Int
    private var rest: Int

    init(_ units: Int = CheckBudget.ofCommit) {
        most = units
        rest = units
    }

    /// Whether more units were requested than were left.
    var isSpent: Bool { rest < 0 }

    var spent: Int { most - rest }

    /// Takes the units for looking at that many bytes.
    mutating func spend(bytes: Int) { rest -= 2 + bytes / 16 }

    mutating func spend(_ units: Int) { rest -= units }
}
