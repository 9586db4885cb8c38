package import CEL
package import ReactiveGraph
public import Values

/// What a derived node or a client's pipeline starts from: an operator of the catalogue and its
/// argument.
public final class Source {
    static let mostInputs = 1_000

    public let `operator`: OperatorRow
    package let argument: any SourceArgument
    /// Canonical text, the beginning of the key of a shared chain.
    public let key: String
    /// Names of the nodes it reads, each once.
    public let nodes: [String]
    /// What its value depends on.
    package let stateClass: OperatorRow.StateClass
    /// Names of the nodes that must exist before it is made, each once.
    let eagerNodes: [String]
    package let make: (any StageSite, [Node<Datum>]) -> Node<Datum>
    /// The regular expressions in its expressions.
    package fileprivate(set) var patterns: [any RegexMatcher] = []

    /// A further node that a source makes: one side of an `if`.
    package struct Side {
        let name: String
        let position: Position
        /// The key that gives its name.
        let word: String
        /// Makes its source, given the name of the node it belongs to.
        let source: (String) -> Source
    }

    /// An operator and its argument; `make` makes the node from it.
    init<Argument: SourceArgument>(
        _ row: OperatorRow,
        _ argument: Argument,
        make: @escaping (Argument, StageMaker, [Node<Datum>]) -> Node<Datum>
    ) {
        `operator` = row
        self.argument = argument
        key = "\(row.name)(\(argument.canonical))"
        stateClass = argument.ownStateClass ?? row.stateClass
        eagerNodes = Self.unique(argument.inputs)
        nodes = argument.choices.isEmpty ? eagerNodes : Self.unique(argument.inputs + argument.choices)
        self.make = { make(argument, StageMaker(at: $0), $1) }
    }

    /// The source's name on the wire.
    public var name: String { self.operator.name }

    package func isSame(as other: Source) -> Bool { key == other.key }

    /// Whether it stands for an existing node and makes none.
    package var isNode: Bool {
        if case .source(.node, _, _) = self.operator.form { true } else { false }
    }

    private static func unique(_ names: [String]) -> [String] {
        guard names.count > 1 else { return names }
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }
    }
}

extension Source {
    /// The sibling keys that a client may write, if the source has them.
    package static let clientKeys = ["map", "reduce"]

    /// Reads the source of a client's pipeline, written as in a definition.
    ///
    /// `word` is one of ``Catalogue/clientSources``; `beside` has the values of its sibling keys
    /// (``clientKeys``). Problems come in the order of their places.
    public static func parse(
        _ word: String,
        _ argument: Document,
        beside: [String: Document] = [:],
        options: DefinitionOptions = DefinitionOptions()
    ) -> (source: Source?, problems: [DefinitionProblem]) {
        let reader = DocumentReader(file: nil, options: options.ofClients)
        guard let row = options.catalogue[word], case .source(_, _, let read) = row.form else {
            return (nil, [])
        }
        let reading = SourceReading(reader: reader, row: row, argument: argument, beside: beside)
        let source = read(reading)
        source?.patterns = reader.takePatterns()
        return (source, reader.sortedProblems)
    }
}
