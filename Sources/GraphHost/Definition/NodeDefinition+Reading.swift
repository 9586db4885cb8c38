internal import CEL
internal import ReactiveGraph
internal import Support

/// Which keys a node may have, besides those of the sources, and on which nodes.
enum NodeKey: String, CaseIterable {
    // Derived nodes, besides those of their source.
    case pipe
    // Mutable nodes.
    case set, min, max, minLength, maxLength, pattern, `enum`, schema, initial, ttl, requireIfMatch
    // All nodes.
    case retain, history, title, unit, description

    static let mutableOnly: [NodeKey] = [
        .min, .max, .minLength, .maxLength, .pattern, .enum, .schema, .initial, .ttl, .requireIfMatch,
    ]
}

extension Notebook {
    /// The longest history ring.
    static let longestHistory = 100_000

    /// Reads one node, and the ones that its source makes besides.
    ///
    /// None when it cannot be used; what is wrong has been noted then. The places where it names nodes, and where it names new
    /// ones, are added to `references` and `sides`.
    func node(
        _ name: String,
        _ entry: Document.Entry,
        _ references: inout [NodeReference],
        _ sides: inout [NodeReference]
    ) -> [NodeDefinition] {
        let before = problems.count
        if !Name.isValid(name) {
            add("'\(name)' cannot be the name of a node", at: entry.key.position, hint: Notebook.nameHint)
        }
        guard let members = members(entry.value, of: "node '\(name)'") else { return [] }
        var fields: [NodeKey: Document] = [:]
        var keys: [NodeKey: Document] = [:]
        var sources: [(row: OperatorRow, argument: Document)] = []
        var beside: [String: Document.Entry] = [:]
        for (word, member) in members {
            if let key = NodeKey(rawValue: word) {
                fields[key] = member.value
                keys[key] = member.key
            } else if let row = options.catalogue[word], row.isSource {
                sources.append((row, member.value))
            } else if options.catalogue.keysBesideSources[word] != nil {
                beside[word] = member
            } else {
                unknownKey(word, member.key.position)
            }
        }
        checkOrigin(name, fields[.set], sources.map(\.row), entry)
        if fields[.set] != nil {
            for place in beside.values.map(\.key) + [keys[.pipe]].compactMap({ $0 }) {
                misplaced(place, "derived")
            }
        } else if let row = sources.first?.row {
            for key in NodeKey.mutableOnly { if let place = keys[key] { misplaced(place, "set") } }
            checkBeside(row, beside)
        }
        var source: Source?
        for (row, argument) in sources {
            guard case .source(_, _, let read) = row.form else { continue }
            let reading = SourceReading(
                notebook: self,
                row: row,
                argument: argument,
                beside: beside.mapValues(\.value)
            )
            source = read(reading)
            references += reading.references
            sides += reading.newNodes
        }
        var kind: NodeDefinition.Kind?
        if let document = fields[.set] {
            kind = mutable(document, fields).map { .mutable($0) }
        } else {
            let stages = fields[.pipe].map(pipe) ?? []
            kind = source.map { .derived(NodeDefinition.Derived(source: $0, pipe: stages)) }
        }
        let definition = definition(name, kind, fields, entry)
        guard problems.count == before, let definition else { return [] }
        return [definition] + (source?.sides.map { NodeDefinition(side: $0, of: name) } ?? [])
    }

    private func unknownKey(_ word: String, _ position: Position) {
        let catalogue = options.catalogue
        let words =
            NodeKey.allCases.map(\.rawValue) + catalogue.sources.map(\.name)
            + catalogue.keysBesideSources.keys.sorted()
        var hint = Spelling.hint(for: word, among: words)
        if let row = catalogue[word], row.isStage {
            hint = "'\(word)' is a stage: write it in a pipe"
        }
        add("unknown key '\(word)' of a node", at: position, hint: hint)
    }

    /// Complains unless exactly one key says where values come from.
    private func checkOrigin(_ name: String, _ set: Document?, _ rows: [OperatorRow], _ entry: Document.Entry)
    {
        let stated = (set == nil ? [] : ["set"]) + rows.map(\.name)
        if stated.isEmpty {
            let words = ["set"] + options.catalogue.sources.map(\.name)
            add(
                "node '\(name)' does not say where its values come from",
                at: entry.key.position,
                hint: "give it one of \(words.joined(separator: ", "))"
            )
        }
        if stated.count > 1 {
            let words = stated.joined(separator: " and ")
            add("node '\(name)' has \(words): only one of them is possible", at: entry.key.position)
        }
    }

    private func misplaced(_ key: Document, _ nodes: String) {
        add("'\(key.scalar?.text ?? "")' is for nodes that are \(nodes)", at: key.position)
    }

    /// Complains about keys that belong to other sources.
    private func checkBeside(_ row: OperatorRow, _ beside: [String: Document.Entry]) {
        for (word, entry) in beside {
            guard let rows = options.catalogue.keysBesideSources[word], !rows.contains(row.name) else {
                continue
            }
            add(
                "'\(word)' stands beside \(rows.map { "'\($0)'" }.joined(separator: " and ")) only",
                at: entry.key.position,
                hint: options.catalogue[word]?.isStage == true
                    ? "write it as a stage: pipe: [ { \(word): … } ]" : nil
            )
        }
    }

    private func mutable(_ document: Document, _ fields: [NodeKey: Document]) -> NodeDefinition.Mutable? {
        let check = check(document, fields)
        var initial: Datum?
        if let document = fields[.initial] {
            initial = datum(document)
            if let check, let initial, let complaint = check.complaint(about: initial) {
                add("the initial value \(complaint)", at: document.position)
            }
        }
        let ttl = fields[.ttl].flatMap { span($0, of: "ttl") }
        let requiresIfMatch = fields[.requireIfMatch].flatMap { flag($0, of: "requireIfMatch") } ?? false
        return check.map { check in
            NodeDefinition.Mutable(check: check, initial: initial, ttl: ttl, requiresIfMatch: requiresIfMatch)
        }
    }

    private func definition(
        _ name: String,
        _ kind: NodeDefinition.Kind?,
        _ fields: [NodeKey: Document],
        _ entry: Document.Entry
    ) -> NodeDefinition? {
        let retain: Retention? = fields[.retain].flatMap { word($0, of: "retain") }
        if retain != nil, retain != .always, case .mutable? = kind, let place = fields[.retain] {
            add("a node that is set is the graph's state and always retained", at: place.position)
        }
        let history = fields[.history].flatMap { count($0, of: "history", in: 0...Notebook.longestHistory) }
        let title = fields[.title].flatMap { text($0, of: "title") }
        let unit = fields[.unit].flatMap { text($0, of: "unit") }
        let description = fields[.description].flatMap { text($0, of: "description") }
        return kind.map { kind in
            NodeDefinition(
                name: name,
                kind: kind,
                title: title,
                unit: unit,
                description: description,
                statedRetain: retain,
                history: history ?? 0,
                position: entry.key.position,
                canonical: entry.value.json(isCanonical: true)
            )
        }
    }
}

extension NodeDefinition {
    /// The node that the source of another makes.
    fileprivate init(side: Source.Side, of node: String) {
        self.init(
            name: side.name,
            kind: .derived(Derived(source: side.source(node), pipe: [])),
            title: nil,
            unit: nil,
            description: nil,
            statedRetain: nil,
            history: 0,
            position: side.position,
            canonical: "\(side.word) of \(node)"
        )
    }
}
