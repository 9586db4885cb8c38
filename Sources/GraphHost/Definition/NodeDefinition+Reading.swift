internal import CEL
internal import ReactiveGraph
internal import Support

/// The keys that a node may have besides those of sources, and on which nodes.
enum NodeKey: String, CaseIterable {
    // Derived nodes, besides those of their source.
    case pipe
    // Mutable nodes.
    case set, min, max, minLength, maxLength, pattern, `enum`, schema, initial, ttl, expire, fresh,
        requireIfMatch, role
    // All nodes.
    case retain, history, title, unit, description, severity, ok

    static let mutableOnly: [NodeKey] = [
        .min, .max, .minLength, .maxLength, .pattern, .enum, .schema, .initial, .ttl, .expire, .fresh,
        .requireIfMatch, .role,
    ]
}

/// The keys of one node: fixed ones, words of sources, and keys that belong to a source.
private struct StatedKeys {
    var fields: [NodeKey: Document] = [:]
    /// The places of the keys in `fields`.
    var places: [NodeKey: Position] = [:]
    var sources: [(row: OperatorRow, argument: Document)] = []
    /// Sibling keys that belong to sources.
    var beside: [String: Document.Entry] = [:]
}

extension Notebook {
    /// The longest history ring.
    static let longestHistory = 100_000

    /// Reads one node, and the further nodes that its source makes.
    ///
    /// The result is nil if the node cannot be used; then its problems have been recorded. The
    /// places where it names nodes and new nodes are added to `references` and `sides`.
    func node(
        _ name: String,
        _ entry: Document.Entry,
        _ references: inout [NodeReference],
        _ sides: inout [NodeReference]
    ) -> [NodeDefinition] {
        let before = problems.count
        if NamePattern.isPattern(name) {
            pattern = namePattern(name, at: entry.key.position)
        } else if !Name.isValid(name) {
            add("'\(name)' cannot be the name of a node", at: entry.key.position, hint: Notebook.nameHint)
        }
        defer { pattern = nil }
        guard let members = members(entry.value, of: "node '\(name)'") else { return [] }
        let keys = keys(members)
        check(keys, of: name, entry)
        let source = source(keys, &references, &sides)
        var kind: NodeDefinition.Kind?
        if let document = keys.fields[.set] {
            kind = mutable(document, keys.fields).map { .mutable($0) }
        } else {
            let stages = keys.fields[.pipe].map(pipe) ?? []
            kind = source.map { .derived(NodeDefinition.Derived(source: $0, pipe: stages)) }
        }
        let definition = definition(name, kind, keys.fields, entry)
        guard problems.count == before, let definition else { return [] }
        return [definition] + (source?.sides.map { NodeDefinition(side: $0, of: name) } ?? [])
    }

    /// Sorts the keys of a node into fixed ones, words of sources, and keys that belong to a
    /// source.
    private func keys(_ members: [(key: String, entry: Document.Entry)]) -> StatedKeys {
        var keys = StatedKeys()
        for (word, entry) in members {
            if let key = NodeKey(rawValue: word) {
                keys.fields[key] = entry.value
                keys.places[key] = entry.key.position
            } else if let row = options.catalogue[word], row.isSource {
                keys.sources.append((row, entry.value))
            } else if options.catalogue.keysBesideSources[word] != nil {
                keys.beside[word] = entry
            } else {
                unknownKey(word, entry.key.position)
            }
        }
        return keys
    }

    private func unknownKey(_ word: String, _ position: Position) {
        let catalogue = options.catalogue
        let words =
            NodeKey.allCases.map(\.rawValue) + catalogue.sources.map(\.name)
            + catalogue.keysBesideSources.keys.sorted()
        var hint = Spelling.hint(for: word, among: words)
        if word == "expect" { hint = "'fresh' says how long a value may go without being set" }
        if let row = catalogue[word], row.isStage {
            hint = "'\(word)' is a stage: write it in a pipe"
        }
        add("unknown key '\(word)' of a node", at: position, hint: hint)
    }

    /// Reports an error unless exactly one key gives the source and all other keys are allowed with
    /// it.
    private func check(_ keys: StatedKeys, of name: String, _ entry: Document.Entry) {
        let isMutable = keys.fields[.set] != nil
        let stated = (isMutable ? ["set"] : []) + keys.sources.map(\.row.name)
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
            add("node '\(name)' has \(words): only one of them is allowed", at: entry.key.position)
        }
        for key in isMutable ? [.pipe] : stated.isEmpty ? [] : NodeKey.mutableOnly {
            guard let place = keys.places[key] else { continue }
            misplaced(key.rawValue, isMutable, at: place)
        }
        for (word, entry) in keys.beside {
            guard !isMutable else {
                misplaced(word, isMutable, at: entry.key.position)
                continue
            }
            guard let row = keys.sources.first?.row, let rows = options.catalogue.keysBesideSources[word],
                !rows.contains(row.name)
            else { continue }
            add(
                "'\(word)' is only allowed with \(Self.enumeration(rows.map { "'\($0)'" }))",
                at: entry.key.position,
                hint: options.catalogue[word]?.isStage == true
                    ? "write it as a stage: pipe: [ { \(word): … } ]" : nil
            )
        }
    }

    /// `a, b and c`.
    static func enumeration(_ words: [String]) -> String {
        let start = words.dropLast().joined(separator: ", ")
        return start.isEmpty ? words.joined() : "\(start) and \(words[words.count - 1])"
    }

    private func misplaced(_ word: String, _ isMutable: Bool, at place: Position) {
        add("'\(word)' is for nodes that are \(isMutable ? "derived" : "set")", at: place)
    }

    /// Reads a node's source; the places where it names nodes and new nodes are added to the lists.
    private func source(
        _ keys: StatedKeys,
        _ references: inout [NodeReference],
        _ sides: inout [NodeReference]
    ) -> Source? {
        var source: Source?
        for (row, argument) in keys.sources {
            guard case .source(_, _, let read) = row.form else { continue }
            let beside = keys.beside.mapValues(\.value)
            let reading = SourceReading(notebook: self, row: row, argument: argument, beside: beside)
            types.names = [:]
            source = read(reading)
            types.see(valuesOf: row.name == "from" ? argument.scalar?.text : nil)
            references += reading.references
            sides += reading.newNodes
        }
        return source
    }

    private func mutable(_ document: Document, _ fields: [NodeKey: Document]) -> NodeDefinition.Mutable? {
        let check = check(document, fields)
        var initial: Datum?
        if let document = fields[.initial] {
            initial = datum(document)
            if let check, let initial, let complaint = check.complaint(about: initial, within: &checks) {
                add("the initial value \(complaint)", at: document.position)
            }
        }
        let ttl = fields[.ttl].flatMap { span($0, of: "ttl") }
        let expire = fields[.expire].flatMap { span($0, of: "expire") }
        if pattern == nil, let document = fields[.expire] {
            add(
                "'expire' is for families: names with placeholders",
                at: document.position,
                hint: "a node can have a 'ttl'"
            )
        }
        for (key, hint) in [(NodeKey.initial, nil), (.ttl, "a family can have 'expire'")] where pattern != nil
        {
            guard let document = fields[key] else { continue }
            add(
                "members of a family start without a value: '\(key.rawValue)' is not allowed",
                at: document.position,
                hint: hint
            )
        }
        let fresh = fields[.fresh].flatMap { span($0, of: "fresh") }
        let role: NodeDefinition.Mutable.Role? = fields[.role].flatMap { word($0, of: "role") }
        let requiresIfMatch = fields[.requireIfMatch].flatMap { flag($0, of: "requireIfMatch") } ?? false
        return check.map { check in
            NodeDefinition.Mutable(
                check: check,
                initial: initial,
                ttl: ttl,
                fresh: fresh,
                requiresIfMatch: requiresIfMatch,
                expire: expire,
                role: role
            )
        }
    }

    private func definition(
        _ name: String,
        _ kind: NodeDefinition.Kind?,
        _ fields: [NodeKey: Document],
        _ entry: Document.Entry
    ) -> NodeDefinition? {
        let retain: Retention? = fields[.retain].flatMap { word($0, of: "retain") }
        if retain != nil, retain != .always, case .mutable? = kind, let place = fields[.retain],
            pattern == nil || retain == .whileInUse
        {
            add("a mutable node is always retained: it is the graph's state", at: place.position)
        }
        let history = fields[.history].flatMap { count($0, of: "history", in: 0...Notebook.longestHistory) }
        let title = fields[.title].flatMap { text($0, of: "title") }
        let unit = fields[.unit].flatMap { text($0, of: "unit") }
        let description = fields[.description].flatMap { text($0, of: "description") }
        let alarm = alarm(fields)
        return kind.map { kind in
            NodeDefinition(
                name: name,
                kind: kind,
                title: title,
                unit: unit,
                description: description,
                alarm: alarm,
                statedRetain: retain,
                history: history ?? 0,
                position: entry.key.position,
                canonical: entry.value.json(isCanonical: true)
            )
        }
    }

    /// Reads `severity` and `ok`.
    private func alarm(_ fields: [NodeKey: Document]) -> Alarm? {
        guard let document = fields[.severity] else {
            if let ok = fields[.ok] {
                add(
                    "'ok' belongs to an alarm: 'severity' is missing",
                    at: ok.position,
                    hint: "add severity: info, warning or alarm"
                )
            }
            return nil
        }
        if pattern != nil {
            add(
                "a family has no 'severity'",
                at: document.position,
                hint: "give it to a node that joins the members: all: \"sensor.*.hot\", reduce: any"
            )
        }
        let severity: Alarm.Severity? = word(document, of: "severity")
        let ok = fields[.ok].flatMap(datum)
        return severity.map { Alarm(severity: $0, ok: ok) }
    }
}

extension NodeDefinition {
    /// A node that another node's source makes.
    fileprivate convenience init(side: Source.Side, of node: String) {
        self.init(
            name: side.name,
            kind: .derived(Derived(source: side.source(node), pipe: [])),
            title: nil,
            unit: nil,
            description: nil,
            alarm: nil,
            statedRetain: nil,
            history: 0,
            position: side.position,
            canonical: "\(side.word) of \(node)"
        )
    }
}
