internal import CEL
internal import ReactiveGraph

/// What a derived node or a client's pipeline starts from: an operator of the catalogue and its argument.
public struct Source {
    /// The operator's row in the catalogue.
    public let `operator`: OperatorRow
    /// Canonical text of the argument.
    private let argument: String
    /// The nodes that it is made from, in the order of the definition; one may be there twice.
    let inputs: [String]
    /// The nodes that a value of an input may choose: built when they are chosen.
    let choices: [String]
    /// Names of the nodes it reads, each once.
    public let nodes: [String]
    /// Names of the nodes that must exist before it, each once.
    let eagerNodes: [String]
    /// The names of all nodes that it is made from besides, as they come and go.
    let glob: String?
    /// Who has asked for a client's pipeline whose nodes a glob chooses.
    var access: Access?
    /// The switch of which it takes some keys (`limits.switchKeys`).
    let caseOf: String?
    /// The nodes that it makes besides its own.
    let sides: [Side]
    /// How its node depends on the input, where that changes with values.
    let branching: Branching?
    /// Makes the node, of the living inputs.
    let make: (StageSite, [Node<Datum>]) -> Node<Datum>
    /// The regular expressions that stand in its expressions.
    var patterns: [any RegexMatcher] = []

    /// A node that a source makes besides its own: one side of an `if`.
    struct Side {
        let name: String
        let position: Position
        /// The key under which its name stands.
        let word: String
        /// Where its values come from; the node to which it belongs has this name.
        let source: (String) -> Source
    }

    /// An operator and its argument, of which `make` makes a node.
    init<Argument: SourceArgument>(
        _ row: OperatorRow,
        _ argument: Argument,
        make: @escaping (Argument, StageSite, [Node<Datum>]) -> Node<Datum>
    ) {
        `operator` = row
        self.argument = argument.canonical
        inputs = argument.inputs
        choices = argument.choices
        eagerNodes = Self.unique(inputs)
        nodes = choices.isEmpty ? eagerNodes : Self.unique(inputs + choices)
        glob = argument.glob
        caseOf = argument.caseOf
        sides = argument.sides
        branching = argument.branching
        self.make = { make(argument, $0, $1) }
    }

    /// A node as it stands.
    static func from(_ node: String) -> Source {
        Source(.from, NodeArgument(node: node)) { _, _, inputs in inputs[0] }
    }

    /// The source's name on the wire.
    public var name: String { self.operator.name }

    /// Canonical text, the beginning of the key of a shared chain.
    public var key: String { "\(name)(\(argument))" }

    /// Whether it makes the same node as another.
    func isSame(as other: Source) -> Bool {
        name == other.name && argument == other.argument
    }

    /// Whether it is a node as it stands, and makes none.
    var isNode: Bool {
        if case .source(.node, _, _) = self.operator.form { true } else { false }
    }

    private static func unique(_ names: [String]) -> [String] {
        guard names.count > 1 else { return names }
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }
    }
}

extension Source {
    /// The keys that a client may write beside a source, where the source has them.
    static let clientKeys = ["map", "reduce"]

    /// Reads the source of a client's pipeline, written as in a definition.
    ///
    /// - Parameters:
    ///   - word: the operator, one of ``Catalogue/clientSources``.
    ///   - argument: what stands under it.
    ///   - beside: what stands beside it, by ``clientKeys``.
    ///   - options: what expressions may use, and the bounds.
    /// - Returns: the source when there are no problems, and the problems in the order of their places.
    public static func parse(
        _ word: String,
        _ argument: Document,
        beside: [String: Document] = [:],
        options: DefinitionOptions = DefinitionOptions()
    ) -> (source: Source?, problems: [Problem]) {
        let notebook = Notebook(file: nil, options: options)
        guard let row = options.catalogue[word], case .source(_, _, let read) = row.form else {
            return (nil, [])
        }
        let reading = SourceReading(notebook: notebook, row: row, argument: argument, beside: beside)
        var source = read(reading)
        source?.patterns = notebook.takePatterns()
        return (source, notebook.sorted)
    }
}
