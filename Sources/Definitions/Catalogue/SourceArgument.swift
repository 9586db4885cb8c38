internal import CEL
internal import Support
package import Values

/// A source being read: the value of its key, and of its sibling keys.
package final class SourceReading {
    let reader: DocumentReader
    let row: OperatorRow
    let argument: Document
    /// The values of the sibling keys that belong to sources.
    let beside: [String: Document]
    /// Where it names nodes; complete even if there are other problems.
    private(set) var references: [NodeReference] = []
    /// Where it names new nodes; complete even if there are other problems.
    private(set) var newNodes: [NodeReference] = []
    /// Its glob, even if there are other problems.
    private(set) var globReference: GlobReference?

    init(reader: DocumentReader, row: OperatorRow, argument: Document, beside: [String: Document]) {
        self.reader = reader
        self.row = row
        self.argument = argument
        self.beside = beside
    }

    func fields(_ known: [Schema.Field]) -> [String: Document] {
        reader.fields(argument, of: row.name, known)
    }

    /// The name of a node, recorded so that the reader can check that it exists.
    func node(_ document: Document, of what: String) -> String? {
        guard let name = reader.nodeName(document, "\(what) must name a node") else { return nil }
        references.append(NodeReference(node: name, position: document.position))
        return name
    }

    func node(_ key: String, in fields: [String: Document]) -> String? {
        fields[key].flatMap { node($0, of: key) }
    }

    func nodes() -> [String]? {
        let what = row.name
        guard let elements = argument.elements else {
            return reader.refuse(
                "\(what) must be a list of nodes, not \(argument.kindName)",
                at: argument.position
            )
        }
        guard hasRoom(elements.count) else { return nil }
        let names = elements.map { node($0, of: "an element of \(what)") }
        return names.contains(nil) ? nil : names.compactMap { $0 }
    }

    /// Whether an operator takes so many nodes.
    func hasRoom(_ count: Int) -> Bool {
        if (1...Source.mostInputs).contains(count) { return true }
        reader.add("\(row.name) must name 1 to \(Source.mostInputs) nodes", at: argument.position)
        return false
    }

    /// The argument as a glob, recorded so that the reader can check that it matches something.
    func glob() -> String? {
        guard let scalar = argument.scalar, scalar.value != .null else {
            return reader.refuse(
                "\(row.name) must be a glob, not \(argument.kindName)",
                at: argument.position
            )
        }
        let glob = scalar.text
        guard Glob.isGlob(glob) else {
            return reader.refuse(
                "'\(glob)' matches at most one node: \(row.name) takes a glob",
                at: argument.position,
                hint: "write 'from: \(glob)', or a glob with '*' or '?'"
            )
        }
        guard reader.checkGlob(glob, at: argument.position) else { return nil }
        if reader.family != nil {
            reader.add(
                "a family cannot join all nodes of a glob",
                at: argument.position,
                hint: "a node without placeholders can"
            )
        }
        globReference = GlobReference(glob: glob, position: argument.position)
        return glob
    }

    /// The expression under a key; it sees a `value` of this type.
    func expression(_ key: String, in fields: [String: Document], of type: StaticType) -> Expression? {
        reader.types.value = type
        return fields[key].flatMap { reader.expression($0, of: key, variables: Expression.valueNames) }
    }

    /// A further node of the source, if the key `word` gives its name.
    func side(
        _ word: String,
        in fields: [String: Document],
        source: @escaping (String) -> Source
    ) -> Source.Side? {
        guard let document = fields[word],
            let name = reader.nodeName(document, "'\(word)' must be the name of a new node")
        else { return nil }
        newNodes.append(NodeReference(node: name, position: document.position))
        return Source.Side(name: name, position: document.position, word: word, source: source)
    }
}

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
    /// A glob; all nodes whose names match it are inputs too, as they appear and go.
    var glob: String? { get }
    /// The switch whose keys it takes (`limits.switchKeys`).
    var caseOf: String? { get }
    /// The further nodes that it makes.
    var sides: [Source.Side] { get }
    /// How its node depends on the input, if values decide that.
    var branching: Branching? { get }
    /// Whether its node only passes the values of others on, and computes nothing.
    var passesOn: Bool { get }
}

extension SourceArgument {
    static var beside: [Schema.Field] { [] }
    package var choices: [String] { [] }
    var glob: String? { nil }
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
