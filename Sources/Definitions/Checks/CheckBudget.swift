/// The budget of checks: the parts of a schema and the parts of a value multiply.
///
/// It is counted in units of about 20 ns (8 to 29 measured): looking at a value takes two units,
/// and another for each eight bytes read. Here is what takes more.
public struct CheckBudget {
    /// Units for all values of one commit.
    static let ofCommit = 1_000_000
    /// Units for all initial and allowed values of one definition.
    static let ofDefinition = 5_000_000

    /// The error message for a value when the budget runs out.
    static let complaint = "cannot be checked: the schema takes too long for so large a value"

    /// Finding a member of an object by its name.
    static let member = 4
    /// Taking a text out of its quotes, besides its bytes.
    static let text = 8
    /// Reading a number with more digits than a double has.
    static let longNumber = 24

    private let most: Int
    private var rest: Int

    package init(_ units: Int = CheckBudget.ofCommit) {
        most = units
        rest = units
    }

    /// Whether more units were requested than were left.
    var isSpent: Bool { rest < 0 }

    package var spent: Int { most - rest }

    /// Takes the units for looking at that many bytes.
    mutating func spend(bytes: Int) { rest -= 2 + bytes >> 3 }

    mutating func spend(_ units: Int) { rest -= units }
}
