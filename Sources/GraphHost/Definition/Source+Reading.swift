internal import CEL
internal import Support

extension Source {
    /// Reads the source of a client's pipeline: the one of `entries` whose key is an operator that makes one node of others
    /// (`combine`, `merge`, `flatten`, `zip`, `switch`, `case`, `default`, `otherwise`), as in a definition.
    ///
    /// - Parameters:
    ///   - word: the operator.
    ///   - argument: what stands under it.
    ///   - map: the expression beside `combine` or `zip`, if there is one.
    ///   - options: what expressions may use, and the bounds.
    /// - Returns: the source when there are no problems, and the problems in the order of their places.
    public static func parse(
        _ word: String,
        _ argument: Document,
        map: Document? = nil,
        options: DefinitionOptions = DefinitionOptions()
    ) -> (source: Source?, problems: [Problem]) {
        let notebook = Notebook(file: nil, options: options)
        var references: [NodeReference] = []
        var fields: [NodeKey: Document] = [:]
        fields[.map] = map
        let key = NodeKey(rawValue: word)
        let source = key.flatMap { notebook.source($0, argument, fields, &references) }
        return (source, notebook.sorted)
    }

    /// The operators that can be the source of a client's pipeline, besides one node.
    ///
    /// `from` is written as `node` there, and `if` makes nodes with names.
    public static let clientWords = Catalogue.standard.all.filter {
        $0.isSource && $0.name != "from" && $0.name != "if"
    }
    .map(\.name)
}

/// A place where a definition names a node.
struct NodeReference {
    let node: String
    let position: Position
}

extension Notebook {
    /// The source under one of the keys that say where a node's values come from, with the keys beside it that it uses.
    func source(
        _ key: NodeKey,
        _ document: Document,
        _ fields: [NodeKey: Document],
        _ references: inout [NodeReference]
    ) -> Source? {
        switch key {
        case .from: reference(document, of: "from", &references).map { .from($0) }
        case .combine: combine(document, map: fields[.map], references: &references).map { .combine($0) }
        case .merge: self.references(document, of: "merge", &references).map { .merge($0) }
        case .flatten: flatten(document, references: &references).map { .flatten($0) }
        case .zip: zipped(document, fields, &references).map { .zip($0) }
        case .switch: sorted(document, &references).map { .switch($0) }
        case .case: oneCase(document, &references).map { .case($0) }
        case .default: defaultCase(document, &references).map { .case($0) }
        case .otherwise: otherwise(document, &references).map { .otherwise($0) }
        case .if: condition(document, &references).map { .if($0.condition) }
        default: nil
        }
    }

    /// The most inputs of one node.
    static let mostInputs = 1_000

    /// The name of a node, noted for the check that it exists.
    func reference(_ document: Document, of what: String, _ references: inout [NodeReference]) -> String? {
        guard let name = nodeName(document, "\(what) must name a node") else { return nil }
        references.append(NodeReference(node: name, position: document.position))
        return name
    }

    /// The name that stands here; a complaint about anything else begins with `demand`.
    func nodeName(_ document: Document, _ demand: String) -> String? {
        guard let scalar = document.scalar, scalar.value != .null else {
            add("\(demand), not \(document.kindName)", at: document.position)
            return nil
        }
        guard Name.isValid(scalar.text) else {
            add(
                "'\(scalar.text)' cannot be the name of a node",
                at: document.position,
                hint: Notebook.nameHint
            )
            return nil
        }
        return scalar.text
    }

    static let nameHint = "1 to 128 letters, digits, '_', '.' and '-', not beginning with '.' or '-'"

    func references(_ document: Document, of what: String, _ references: inout [NodeReference]) -> [String]? {
        guard let elements = document.elements else {
            add("\(what) must be a list of nodes, not \(document.kindName)", at: document.position)
            return nil
        }
        guard (1...Notebook.mostInputs).contains(elements.count) else {
            add("\(what) must name 1 to \(Notebook.mostInputs) nodes", at: document.position)
            return nil
        }
        let names = elements.map { reference($0, of: "an element of \(what)", &references) }
        return names.contains(nil) ? nil : names.compactMap { $0 }
    }

    /// `combine: { t: indoor_c, … }` or `combine: [indoor_c, …]`, with the expression that stands beside it.
    func combine(_ document: Document, map: Document?, references: inout [NodeReference]) -> Source.Combine? {
        var names: [String]?
        var nodes: [String]?
        if document.entries != nil {
            (names, nodes) = namedInputs(document, &references)
        } else {
            nodes = self.references(document, of: "combine", &references)
        }
        var expression: Expression?
        if let map {
            // Unreadable inputs would only make follow-up errors of unknown names.
            guard nodes != nil else { return nil }
            let variables = names.map { $0.contains("time") ? $0 : $0 + ["time"] } ?? Notebook.valueNames
            expression = self.expression(map, of: "map", variables: variables)
            guard expression != nil else { return nil }
        }
        return nodes.map { Source.Combine(names: names, nodes: $0, map: expression) }
    }

    private func namedInputs(
        _ document: Document,
        _ references: inout [NodeReference]
    ) -> (names: [String]?, nodes: [String]?) {
        let members = members(document, of: "combine") ?? []
        guard (1...Notebook.mostInputs).contains(members.count) else {
            add("combine must name 1 to \(Notebook.mostInputs) nodes", at: document.position)
            return (nil, nil)
        }
        var names: [String] = []
        var nodes: [String] = []
        for (name, entry) in members {
            if !Identifier.isValid(name) {
                add(
                    "'\(name)' cannot be used as a name in an expression",
                    at: entry.key.position,
                    hint: Identifier.isReserved(name)
                        ? "'\(name)' is a reserved word; choose another name" : "letters, digits and '_' only"
                )
                continue
            }
            guard let node = reference(entry.value, of: "'\(name)'", &references) else { continue }
            names.append(name)
            nodes.append(node)
        }
        return nodes.count == members.count ? (names, nodes) : (nil, nil)
    }

    /// `flatten: { from: mode, to: { eco: indoor_c, … }, otherwise: indoor_f }`.
    func flatten(_ document: Document, references: inout [NodeReference]) -> Source.Flatten? {
        let fields = fields(document, of: "flatten", required: ["from", "to"], optional: ["otherwise"])
        let from = fields["from"].flatMap { reference($0, of: "from", &references) }
        var otherwise: String?
        var isComplete = true
        if let document = fields["otherwise"] {
            otherwise = reference(document, of: "otherwise", &references)
            isComplete = otherwise != nil
        }
        var to: [(key: String, node: String)] = []
        if let document = fields["to"], let members = members(document, of: "to") {
            for (key, entry) in members {
                if let node = reference(entry.value, of: "'\(key)'", &references) {
                    to.append((key, node))
                } else {
                    isComplete = false
                }
            }
            if members.isEmpty {
                add("'to' must name at least one node", at: document.position)
                isComplete = false
            }
        } else {
            isComplete = false
        }
        guard let from, isComplete else { return nil }
        return Source.Flatten(from: from, to: to, otherwise: otherwise)
    }
}
