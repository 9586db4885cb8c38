internal import CEL
internal import ReactiveGraph
internal import Support
internal import Values

/// A node being read: its keys, sorted into fixed ones, words of sources, and keys that belong to a
/// source.
struct NodeReading {
    private let reader: DocumentReader
    private let name: String
    private let entry: Document.Entry
    private var fields: NodeFields
    private var sources: [(row: OperatorRow, argument: Document)] = []
    /// Sibling keys that belong to sources.
    private var beside: [String: Document.Entry] = [:]
    /// Whether an unknown key was meant to say where its values come from.
    private var meansSource = false
    /// Where it names nodes; complete even if there are other problems.
    private(set) var references: [NodeReference] = []
    /// Where it names new nodes; complete even if there are other problems.
    private(set) var newNodes: [NodeReference] = []
    /// Its glob, even if there are other problems.
    private(set) var glob: GlobReference?
    /// Its computed name, even if there are other problems.
    private(set) var computed: ComputedReference?

    init(_ name: String, _ entry: Document.Entry, from reader: DocumentReader) {
        self.name = name
        self.entry = entry
        self.reader = reader
        fields = NodeFields(reader: reader)
    }

    /// The node, and the further nodes that its source makes; none if it cannot be used.
    mutating func definitions() -> [NodeDefinition] {
        let before = reader.problems.count
        if NamePattern.isPattern(name) {
            reader.family = reader.namePattern(name, at: entry.key.position)
        } else if !Name.isValid(name) {
            reader.add(
                "'\(name)' cannot be the name of a node",
                at: entry.key.position,
                hint: DocumentReader.nameHint
            )
        }
        defer { reader.family = nil }
        guard let members = reader.members(entry.value, of: "node '\(name)'") else { return [] }
        sortKeys(members)
        checkKeys()
        let source = source()
        var kind: NodeDefinition.Kind?
        if let document = fields.read(NodeKeys.set) {
            kind = mutable(document).map { .mutable($0) }
        } else if fields[NodeKeys.source] != nil {
            kind = fed().map { .mutable($0) }
        } else {
            let stages = fields.read(NodeKeys.pipe) ?? []
            let type = reader.types.value
            kind = source.map { .derived(NodeDefinition.Derived(source: $0, pipe: stages, type: type)) }
        }
        let definition = definition(kind)
        guard reader.problems.count == before, let definition else { return [] }
        return [definition] + (source?.argument.sides.map { NodeDefinition(side: $0, of: name) } ?? [])
    }

    private mutating func sortKeys(_ members: [(key: String, entry: Document.Entry)]) {
        let catalogue = reader.options.catalogue
        for (word, entry) in members {
            if let key = NodeKeys.named(word) {
                fields.add(entry, as: key)
            } else if let row = catalogue[word], row.isSource {
                sources.append((row, entry.value))
            } else if catalogue.keysBesideSources[word] != nil {
                beside[word] = entry
            } else {
                addUnknown(word, entry.key.position)
            }
        }
    }

    private mutating func addUnknown(_ word: String, _ position: Position) {
        let catalogue = reader.options.catalogue
        let known = NodeKeys.all.map(\.word)
        let sources = catalogue.sources.map(\.name) + catalogue.keysBesideSources.keys.sorted()
        var hint = Spelling.hint(for: word, among: known + sources)
        if let meant = OtherWords.hint(
            key: word,
            among: known,
            from: sources + [NodeKeys.set.word]
        ) {
            hint = meant.text
            if meant.isSource { meansSource = true }
        }
        hint = NodeKeys.hint(for: word) ?? hint
        if let row = catalogue[word], row.isStage {
            hint = "'\(word)' is a stage: write it in a pipe"
        }
        reader.add("unknown key '\(word)' of a node", at: position, hint: hint)
    }

    /// Reports an error unless exactly one key gives the source and all other keys are allowed with
    /// it.
    private func checkKeys() {
        let catalogue = reader.options.catalogue
        let outer: [any NodeKeyRow] = [NodeKeys.set, NodeKeys.source].filter { fields[$0] != nil }
        let kind: NodeDefinition.KindName =
            fields[NodeKeys.set] != nil ? .mutable : outer.isEmpty ? .derived : .source
        let stated = outer.map(\.word) + sources.map(\.row.name)
        if stated.isEmpty, !meansSource {
            let words = [NodeKeys.set.word, NodeKeys.source.word] + catalogue.sources.map(\.name)
            reader.add(
                "node '\(name)' does not say where its values come from",
                at: entry.key.position,
                hint: "give it one of \(words.joined(separator: ", "))"
            )
        }
        if stated.count > 1 {
            let words = stated.joined(separator: " and ")
            reader.add("node '\(name)' has \(words): only one of them is allowed", at: entry.key.position)
        }
        for key in NodeKeys.all where !stated.isEmpty {
            guard let place = fields.place(of: key), !key.isFor(kind) else { continue }
            // The word of another kind was reported above.
            guard stated.count == 1 || !stated.contains(key.word) else { continue }
            addMisplaced(key.word, to: key.forms.map(\.kind), at: place)
        }
        for (word, entry) in beside {
            guard kind == .derived else {
                addMisplaced(word, to: [.derived], at: entry.key.position)
                continue
            }
            guard let row = sources.first?.row, let rows = catalogue.keysBesideSources[word],
                !rows.contains(row.name)
            else { continue }
            let quoted = rows.map { "'\($0)'" }
            reader.add(
                "'\(word)' is only allowed with \(quoted.enumeration)",
                at: entry.key.position,
                hint: catalogue[word]?.isStage == true
                    ? "write it as a stage: pipe: [ { \(word): … } ]" : nil
            )
        }
    }

    private func addMisplaced(_ word: String, to kinds: [NodeDefinition.KindName], at place: Position) {
        let clauses = kinds.map(\.clause).joined(separator: " or ")
        reader.add("'\(word)' is for nodes that \(clauses)", at: place)
    }

    private mutating func source() -> Source? {
        var source: Source?
        reader.types.names = [:]
        for (row, argument) in sources {
            guard case .source(_, _, let read) = row.form else { continue }
            let beside = beside.mapValues(\.value)
            let reading = SourceReading(reader: reader, row: row, argument: argument, beside: beside)
            source = read(reading)
            references += reading.references
            newNodes += reading.newNodes
            glob = reading.globReference ?? glob
            computed = reading.computedReference ?? computed
        }
        return source
    }

    private func mutable(_ document: Document) -> NodeDefinition.Mutable? {
        let check = Check(document, fields, from: reader)
        let initial = fields.read(NodeKeys.initial)
        if let document = fields[NodeKeys.initial], let check, let initial,
            let complaint = check.complaint(about: initial, within: &reader.checks)
        {
            reader.add("the initial value \(complaint)", at: document.position)
        }
        checkExpire(hint: "a node can have a 'ttl'")
        if reader.family != nil, let document = fields[NodeKeys.initial] {
            reader.add("members of a family start empty: 'initial' is not allowed", at: document.position)
        }
        if reader.family != nil, let document = fields[NodeKeys.ttl] {
            reader.add(
                "'ttl' is for single nodes, which become empty; members of a family are dropped",
                at: document.position,
                hint: "'expire' says how long after its last set a member is dropped"
            )
        }
        let (ttl, expire, fresh) =
            (fields.read(NodeKeys.ttl), fields.read(NodeKeys.expire), fields.read(NodeKeys.fresh))
        let role = fields.read(NodeKeys.role)
        let requiresIfMatch = fields.read(NodeKeys.requireIfMatch) ?? false
        let confirms = fields.read(NodeKeys.confirm) ?? false
        return check.map { check in
            NodeDefinition.Mutable(
                check: check,
                initial: initial,
                ttl: ttl,
                fresh: fresh,
                requiresIfMatch: requiresIfMatch,
                confirms: confirms,
                expire: expire,
                role: role
            )
        }
    }

    private func checkExpire(hint: String?) {
        guard reader.family == nil, let document = fields[NodeKeys.expire] else { return }
        reader.add("'expire' is for families: names with placeholders", at: document.position, hint: hint)
    }

    /// How long a member of a source family stays after its last listener, unless its definition
    /// says so, in milliseconds.
    private static let standardExpire = 600_000

    /// A node that an upstream sets.
    private func fed() -> NodeDefinition.Mutable? {
        guard let feed = fields.read(NodeKeys.source) else { return nil }
        checkExpire(hint: nil)
        let expire = fields.read(NodeKeys.expire)
        return NodeDefinition.Mutable(
            check: Check(kind: .any),
            initial: nil,
            ttl: nil,
            fresh: fields.read(NodeKeys.fresh),
            requiresIfMatch: false,
            confirms: false,
            expire: reader.family == nil ? nil : expire ?? Stage.Span(milliseconds: Self.standardExpire),
            role: nil,
            feed: feed
        )
    }

    private func definition(_ kind: NodeDefinition.Kind?) -> NodeDefinition? {
        let retain = fields.read(NodeKeys.retain)
        if retain != nil, retain != .always, case .mutable? = kind, let place = fields[NodeKeys.retain],
            reader.family == nil || retain == .whileInUse
        {
            reader.add("a mutable node is always retained: it is the graph's state", at: place.position)
        }
        let history = fields.read(NodeKeys.history)
        noteKeptOpen(kind, retain, history ?? .none)
        let title = fields.read(NodeKeys.title)
        let unit = fields.read(NodeKeys.unit)
        let words = fields.read(NodeKeys.words)
        let icon = fields.read(NodeKeys.icon)
        let description = fields.read(NodeKeys.description)
        let alarm = alarm()
        return kind.map { kind in
            NodeDefinition(
                name: name,
                kind: kind,
                title: title,
                unit: unit,
                words: words,
                icon: icon,
                description: description,
                alarm: alarm,
                statedRetain: retain,
                history: history ?? .none,
                position: entry.key.position,
                canonical: entry.value.json(isCanonical: true)
            )
        }
    }

    /// Notes that an upstream is open for ever.
    private func noteKeptOpen(
        _ kind: NodeDefinition.Kind?,
        _ retain: Retention?,
        _ history: HistoryDefinition
    ) {
        guard case .mutable(let rules)? = kind, rules.feed != nil, reader.family == nil else { return }
        let keys: [any NodeKeyRow] = [NodeKeys.severity, NodeKeys.retain, NodeKeys.history]
        let place = keys.lazy.compactMap { fields.place(of: $0) }.first
        guard fields[NodeKeys.severity] != nil || retain == .always || history.isKept, let place else {
            return
        }
        reader.warn(
            "the upstream of '\(name)' is always open",
            at: place,
            hint: "without severity, history and retain: always it is open while somebody listens"
        )
    }

    /// Reads `severity` and `ok`.
    private func alarm() -> Alarm? {
        guard let document = fields[NodeKeys.severity] else {
            if let ok = fields[NodeKeys.ok] {
                reader.add(
                    "'ok' belongs to an alarm: 'severity' is missing",
                    at: ok.position,
                    hint: "add severity: info, warning or alarm"
                )
            }
            return nil
        }
        if reader.family != nil {
            reader.add(
                "a family has no 'severity'",
                at: document.position,
                hint: "give it to a node that joins the members: all: \"sensor.*.hot\", reduce: any"
            )
        }
        let severity = fields.read(NodeKeys.severity)
        let ok = fields.read(NodeKeys.ok)
        return severity.map { Alarm(severity: $0, ok: ok) }
    }
}

extension NodeDefinition {
    /// A node that another node's source makes.
    fileprivate convenience init(side: Source.Side, of node: String) {
        self.init(
            name: side.name,
            kind: .derived(Derived(source: side.source(node), pipe: [], type: .dyn)),
            title: nil,
            unit: nil,
            description: nil,
            alarm: nil,
            statedRetain: nil,
            history: .none,
            position: side.position,
            canonical: "\(side.word) of \(node)"
        )
    }
}
