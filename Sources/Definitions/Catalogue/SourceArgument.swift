package import ReactiveGraph
package import Values

/// A place where a definition names a node.
package struct NodeReference {
    let node: String
    let position: Position
}

/// A place where `all` names nodes by a glob.
struct GlobReference {
    let glob: String
    let position: Position
}

/// A place where `flatten` computes the name of a node from a value.
struct ComputedReference {
    let pattern: NamePattern
    let position: Position
}

/// The argument of a source: its schema, how it is read, its canonical text, and the nodes it
/// names.
///
/// Reading returns nil after recording the problems.
package protocol SourceArgument: SendableMetatype {
    /// The sibling keys that belong to the source.
    static var beside: [Schema.Field] { get }
    static var schema: Schema { get }
    static func read(_ reading: SourceReading) -> Self?
    /// Equal for arguments that mean the same.
    var canonical: String { get }
    /// The nodes that it is made from, in the order of the definition; a node may occur twice.
    var inputs: [String] { get }
    /// The nodes that a value of an input may choose; they are built when they are chosen.
    var choices: [String] { get }
    /// The computed name of a node that a value of an input chooses: `{value}` stands for
    /// that value, other placeholders are those of the family that the node belongs to.
    var computedName: NamePattern? { get }
    /// A glob; all nodes whose names match it are inputs too, as they appear and go.
    var glob: String? { get }
    /// The switch whose keys it takes (`limits.switchKeys`).
    var caseOf: String? { get }
    /// The further nodes that it makes.
    var sides: [Source.Side] { get }
    /// What its value depends on, if that is not what the row says.
    var ownStateClass: OperatorRow.StateClass? { get }
    /// How its node depends on the input, if values decide that.
    var branching: Branching? { get }
    /// Whether its node only passes the values of others on, and computes nothing.
    var passesOn: Bool { get }
}

extension SourceArgument {
    static var beside: [Schema.Field] { [] }
    package var choices: [String] { [] }
    package var computedName: NamePattern? { nil }
    var glob: String? { nil }
    /// Whether it reads those nodes that the rights of a client choose.
    package var choosesByRights: Bool { glob != nil || computedName != nil }
    package var ownStateClass: OperatorRow.StateClass? { nil }
    package var caseOf: String? { nil }
    package var sides: [Source.Side] { [] }
    package var branching: Branching? { nil }
    package var passesOn: Bool { false }
}

struct NodeArgument: SourceArgument {
    let node: String

    static let schema = Schema.node

    var canonical: String { node }
    var inputs: [String] { [node] }

    static func read(_ reading: SourceReading) -> NodeArgument? {
        reading.node(reading.argument, of: reading.row.name).map { NodeArgument(node: $0) }
    }
}

struct NodeListArgument: SourceArgument {
    let inputs: [String]
    package let passesOn = true

    static let schema = Schema.nodes

    var canonical: String { inputs.joined(separator: ",") }

    static func read(_ reading: SourceReading) -> NodeListArgument? {
        reading.nodes().map { NodeListArgument(inputs: $0) }
    }
}
