internal import CEL
internal import ReactiveGraph
internal import Support

/// Which keys a node may have, and on which nodes.
enum NodeKey: String, CaseIterable {
    // Where values come from: exactly one of these.
    case set, from, combine, merge, flatten, zip, `switch`, `case`, `default`, otherwise, `if`
    // Derived nodes.
    case pipe, map, buffer
    // Mutable nodes.
    case min, max, minLength, maxLength, pattern, `enum`, schema, initial, ttl, requireIfMatch
    // All nodes.
    case retain, history, title, unit, description

    static let sources: [NodeKey] = [
        .set, .from, .combine, .merge, .flatten, .zip, .switch, .case, .default, .otherwise, .if,
    ]
    static let derivedOnly: [NodeKey] = [.pipe, .map, .buffer]
    static let mutableOnly: [NodeKey] = [
        .min, .max, .minLength, .maxLength, .pattern, .enum, .schema, .initial, .ttl, .requireIfMatch,
    ]
}

extension Notebook {
    /// The longest history ring.
    static let longestHistory = 100_000

    /// Reads one node, and the ones that an `if` makes besides itself.
    ///
    /// None when it cannot be used; what is wrong has been noted then.
    func node(
        _ name: String,
        _ entry: Document.Entry,
        references: inout [NodeReference]
    ) -> [NodeDefinition] {
        let before = problems.count
        if !Name.isValid(name) {
            add("'\(name)' cannot be the name of a node", at: entry.key.position, hint: Notebook.nameHint)
        }
        guard let members = members(entry.value, of: "node '\(name)'") else { return [] }
        var fields: [NodeKey: Document] = [:]
        var keys: [NodeKey: Document] = [:]
        for (word, member) in members {
            guard let key = NodeKey(rawValue: word) else {
                unknownKey(word, member.key.position)
                continue
            }
            fields[key] = member.value
            keys[key] = member.key
        }
        guard let source = source(name, fields, keys, entry) else { return [] }
        var sides: [NodeDefinition] = []
        let kind = kind(of: name, source, fields, references: &references, sides: &sides)
        let definition = definition(name, kind, fields, entry)
        guard problems.count == before, let definition else { return [] }
        return [definition] + sides
    }

    private func unknownKey(_ word: String, _ position: Position) {
        let words = NodeKey.allCases.map(\.rawValue)
        var hint = Spelling.hint(for: word, among: words)
        if let row = options.catalogue[word], row.isStage {
            hint = "'\(word)' is a stage: write it in a pipe"
        }
        add("unknown key '\(word)' of a node", at: position, hint: hint)
    }

    /// The one key that says where values come from; checks that the other keys go with it.
    private func source(
        _ name: String,
        _ fields: [NodeKey: Document],
        _ keys: [NodeKey: Document],
        _ entry: Document.Entry
    ) -> NodeKey? {
        let stated = NodeKey.sources.filter { fields[$0] != nil }
        if stated.isEmpty {
            add(
                "node '\(name)' does not say where its values come from",
                at: entry.key.position,
                hint: "give it one of \(NodeKey.sources.map(\.rawValue).joined(separator: ", "))"
            )
        }
        if stated.count > 1 {
            let words = stated.map(\.rawValue).joined(separator: " and ")
            add("node '\(name)' has \(words): only one of them is possible", at: entry.key.position)
        }
        guard let source = stated.first else { return nil }
        let isMutable = source == .set
        for key in isMutable ? NodeKey.derivedOnly : NodeKey.mutableOnly {
            guard let place = keys[key] else { continue }
            add(
                "'\(key.rawValue)' is for nodes that are \(isMutable ? "derived" : "set")",
                at: place.position
            )
        }
        if !isMutable, source != .combine, source != .zip, let place = keys[.map] {
            add(
                "'map' stands beside 'combine' and 'zip' only",
                at: place.position,
                hint: "write it as a stage: pipe: [ { map: … } ]"
            )
        }
        if !isMutable, source != .zip, let place = keys[.buffer] {
            add("'buffer' stands beside 'zip' only", at: place.position)
        }
        return stated.count == 1 ? source : nil
    }

    private func kind(
        of name: String,
        _ source: NodeKey,
        _ fields: [NodeKey: Document],
        references: inout [NodeReference],
        sides: inout [NodeDefinition]
    ) -> NodeDefinition.Kind? {
        guard let document = fields[source] else { return nil }
        let origin: Source?
        switch source {
        case .set:
            return mutable(document, fields).map { .mutable($0) }
        case .if:
            let condition = condition(document, &references)
            origin = condition.map { .if($0.condition) }
            sides = (condition?.sides ?? []).map { NodeDefinition(side: $0, of: name) }
        default:
            origin = self.source(source, document, fields, &references)
        }
        let stages = fields[.pipe].map(pipe) ?? []
        return origin.map { .derived(NodeDefinition.Derived(source: $0, pipe: stages)) }
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
    /// The node that an `if` makes under `then` or `else`.
    fileprivate init(side: (isThen: Bool, name: String, position: Position), of node: String) {
        self.init(
            name: side.name,
            kind: .derived(Derived(source: .case(.side(of: node, isThen: side.isThen)), pipe: [])),
            title: nil,
            unit: nil,
            description: nil,
            statedRetain: nil,
            history: 0,
            position: side.position,
            canonical: "\(side.isThen ? "then" : "else") of \(node)"
        )
    }
}
