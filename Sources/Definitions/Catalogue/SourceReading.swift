internal import CEL
internal import ReactiveGraph
internal import Support
internal import Values

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
    /// Its computed name, even if there are other problems.
    private(set) var computedReference: ComputedReference?
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

    func nodes() -> [String]? { elements { node($0, of: "an element of \(row.name)") } }

    /// What `read` makes of the elements of the argument; nil if one of them cannot be read.
    func elements<Element>(_ read: (Document) -> Element?) -> [Element]? {
        let what = row.name
        guard let elements = argument.elements else {
            return reader.refuse(
                "\(what) must be a list of nodes, not \(argument.kindName)",
                at: argument.position
            )
        }
        guard hasRoom(elements.count) else { return nil }
        let found = elements.compactMap(read)
        return found.count == elements.count ? found : nil
    }

    /// The name of a node that is computed from a value, recorded so that the reader can check that
    /// there is such a family.
    func computedName(_ document: Document, of what: String) -> NamePattern? {
        let (value, family) = (NamePattern.value, reader.family)
        let example = "{\(value)} stands for the value, as in \"sensor.{\(value)}.celsius\""
        guard let text = document.scalar?.text, NamePattern.isPattern(text) else {
            return reader.refuse(
                "\(what) must be a name with {\(value)}",
                at: document.position,
                hint: example
            )
        }
        guard let pattern = reader.namePattern(text, at: document.position) else { return nil }
        guard pattern.placeholders.contains(value) else {
            return reader.refuse("'\(text)' has no {\(value)}", at: document.position, hint: example)
        }
        let own = family?.placeholders ?? []
        guard !own.contains(value) else {
            return reader.refuse(
                "{\(value)} in '\(text)' could be the value or the placeholder of '\(family?.text ?? "")'",
                at: document.position,
                hint: "give the placeholder of the family another name"
            )
        }
        if let other = pattern.placeholders.first(where: { $0 != value && !own.contains($0) }) {
            return reader.refuse(
                "{\(other)} in '\(text)' is neither {\(value)} nor a placeholder of this node's name",
                at: document.position,
                hint: own.isEmpty ? example : "the name has \(own.map { "{\($0)}" }.enumeration)"
            )
        }
        computedReference = ComputedReference(pattern: pattern, position: document.position)
        return pattern
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
        if let family = reader.family {
            guard checkGroups(glob, of: family) else { return nil }
            globReference = GlobReference(glob: glob, position: argument.position)
            return glob
        }
        if let pattern = try? NamePattern(glob) {
            return reader.refuse(
                "'\(glob)' has placeholders, which group what a family joins",
                at: argument.position,
                hint: "write '\(pattern.glob)' to join all of them in one node"
            )
        }
        guard Glob.isGlob(glob) else {
            return reader.refuse(
                "'\(glob)' matches at most one node: \(row.name) takes a glob",
                at: argument.position,
                hint: "write 'from: \(glob)', or a glob with '*' or '?'"
            )
        }
        guard reader.checkGlob(glob, at: argument.position) else { return nil }
        globReference = GlobReference(glob: glob, position: argument.position)
        return glob
    }

    /// Reports names that a family cannot join by groups (X-6).
    private func checkGroups(_ text: String, of family: NamePattern) -> Bool {
        let place = argument.position
        let own = family.placeholders.map { "{\($0)}" }.enumeration
        guard NamePattern.isPattern(text), !Glob.isGlob(text) else {
            reader.add(
                "\(row.name) of '\(family.text)' must name a family, with \(own) and what is joined",
                at: place,
                hint: "such as room.{r}.sensor.{s}.celsius, of which room.{r}.mean joins each {s}"
            )
            return false
        }
        guard let pattern = reader.namePattern(text, at: place) else { return false }
        if let missing = family.placeholders.first(where: { !pattern.placeholders.contains($0) }) {
            reader.add(
                "'\(text)' lacks {\(missing)}, so it does not say which members '\(family.text)' joins",
                at: place
            )
            return false
        }
        guard pattern.placeholders.count > family.placeholders.count else {
            reader.add(
                "'\(text)' names one node for each member of '\(family.text)': nothing is joined",
                at: place,
                hint: "write 'from: \(text)', or a further placeholder for what is joined"
            )
            return false
        }
        return true
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
