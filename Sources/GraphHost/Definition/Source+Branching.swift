// Reading the sources that sort values, `switch`, `case`, `default` and `if`, and `zip`.

extension Notebook {
    /// `zip: [indoor_c, humidity]`, with the `map` and the `buffer` that stand beside it.
    func zipped(
        _ document: Document,
        _ fields: [NodeKey: Document],
        _ references: inout [NodeReference]
    ) -> Source.Zip? {
        let before = problems.count
        let nodes = self.references(document, of: "zip", &references)
        let map = fields[.map].flatMap { expression($0, of: "map", variables: Notebook.valueNames) }
        let buffer = fields[.buffer].flatMap { document in
            count(document, of: "buffer", in: 1...options.zipBuffer)
        }
        guard let nodes, problems.count == before else { return nil }
        return Source.Zip(nodes: nodes, map: map, buffer: buffer)
    }

    /// `switch: { from: note, by: "value.who", value: "value.text" }`.
    func sorted(_ document: Document, _ references: inout [NodeReference]) -> Source.Switch? {
        let before = problems.count
        let fields = fields(document, of: "switch", required: ["from", "by"], optional: ["value"])
        let from = fields["from"].flatMap { reference($0, of: "from", &references) }
        let by = fields["by"].flatMap { expression($0, of: "by", variables: Notebook.valueNames) }
        let value = fields["value"].flatMap { expression($0, of: "value", variables: Notebook.valueNames) }
        guard let from, let by, problems.count == before else { return nil }
        return Source.Switch(from: from, by: by, value: value)
    }

    /// `case: { of: speech, key: alice }`.
    func oneCase(_ document: Document, _ references: inout [NodeReference]) -> Source.Case? {
        let fields = fields(document, of: "case", required: ["of", "key"])
        let of = fields["of"].flatMap { reference($0, of: "of", &references) }
        let key = fields["key"].flatMap(datum)
        guard let of, let key else { return nil }
        return Source.Case(of: of, key: key, isDefault: false, showsFailures: true)
    }

    /// `default: { of: speech }`.
    func defaultCase(_ document: Document, _ references: inout [NodeReference]) -> Source.Case? {
        let fields = fields(document, of: "default", required: ["of"])
        guard let of = fields["of"].flatMap({ reference($0, of: "of", &references) }) else { return nil }
        return Source.Case(of: of, key: .null, isDefault: true, showsFailures: true)
    }

    /// `otherwise: { of: speech, excluding: [alice, bob] }`.
    func otherwise(_ document: Document, _ references: inout [NodeReference]) -> Source.Otherwise? {
        let before = problems.count
        let fields = fields(document, of: "otherwise", required: ["of", "excluding"])
        let of = fields["of"].flatMap { reference($0, of: "of", &references) }
        var keys: [Datum] = []
        if let list = fields["excluding"] {
            guard let elements = list.elements, (1...Notebook.mostInputs).contains(elements.count) else {
                add("'excluding' must be a list of 1 to \(Notebook.mostInputs) keys", at: list.position)
                return nil
            }
            keys = elements.compactMap(datum)
        }
        guard let of, problems.count == before else { return nil }
        return Source.Otherwise(of: of, excluding: keys)
    }

    /// A condition and the nodes that it makes.
    struct Condition {
        let condition: Source.If
        /// The names under `then` and `else`, and where they stand.
        let sides: [(isThen: Bool, name: String, position: Position)]
    }

    /// `if: { from: outdoor_c, when: "value < 0", then: frost, else: mild }`.
    func condition(_ document: Document, _ references: inout [NodeReference]) -> Condition? {
        let before = problems.count
        let fields = fields(document, of: "if", required: ["from", "when"], optional: ["then", "else"])
        let from = fields["from"].flatMap { reference($0, of: "from", &references) }
        let when = fields["when"].flatMap { expression($0, of: "when", variables: Notebook.valueNames) }
        var sides: [(isThen: Bool, name: String, position: Position)] = []
        for word in ["then", "else"] {
            guard let document = fields[word],
                let name = nodeName(document, "'\(word)' must be the name of a new node")
            else { continue }
            sides.append((word == "then", name, document.position))
        }
        if fields["then"] == nil, fields["else"] == nil, problems.count == before {
            add("if needs 'then' or 'else', the names of the nodes it makes", at: document.position)
        }
        guard let from, let when, problems.count == before else { return nil }
        return Condition(condition: Source.If(from: from, when: when), sides: sides)
    }
}

extension Source.Case {
    /// One side of an `if`: a failure of the condition or of its input goes to `else`.
    static func side(of node: String, isThen: Bool) -> Source.Case {
        Source.Case(of: node, key: isThen ? .true : .false, isDefault: false, showsFailures: !isThen)
    }
}
