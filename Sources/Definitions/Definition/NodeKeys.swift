internal import CEL
package import ReactiveGraph
internal import Support
internal import Values

/// A key that a node may have besides those of its source: one row.
///
/// Reading, the hints for keys of other configurations, the JSON Schema, the table in
/// docs/definitions.md and what pictures show of nodes that are set are made from these rows.
struct NodeKey<Value>: NodeKeyRow {
    let word: String
    let forms: [NodeKeyForm]
    let replaces: ForeignKeys?
    let shown: NodeKeyShown?
    /// Reads the value; returns nil after recording what is wrong with it.
    let read: @Sendable (Document, DocumentReader, String) -> Value?

    init(
        _ word: String,
        _ forms: [NodeKeyForm],
        replaces: ForeignKeys? = nil,
        shown: NodeKeyShown? = nil,
        read: @escaping @Sendable (Document, DocumentReader, String) -> Value?
    ) {
        self.word = word
        self.forms = forms
        self.replaces = replaces
        self.shown = shown
        self.read = read
    }
}

/// A ``NodeKey`` without the type of its value.
protocol NodeKeyRow: Sendable {
    var word: String { get }
    /// Which nodes may have it, and what it means there.
    var forms: [NodeKeyForm] { get }
    var replaces: ForeignKeys? { get }
    /// What pictures show of the key, so that an editor can be built from them; nil: nothing.
    var shown: NodeKeyShown? { get }
}

/// The value of a key as JSON text; nil where a node does not have it.
typealias NodeKeyShown = @Sendable (NodeDefinition.Mutable) -> String?

/// Keys from other programs' configurations; `hint` names the key to use instead.
struct ForeignKeys: Sendable {
    let words: [String]
    let hint: String

    init(_ words: String..., hint: String) {
        self.words = words
        self.hint = hint
    }
}

/// What a key means on one kind of node.
struct NodeKeyForm: Sendable {
    let kind: NodeDefinition.KindName
    let isRequired: Bool
    let schema: Schema
    /// For people, in Markdown without links.
    let description: String
}

extension NodeKeyRow {
    func field(of kind: NodeDefinition.KindName) -> Schema.Field? {
        forms.first { $0.kind == kind }.map { form in
            form.isRequired
                ? .required(word, form.schema, form.description)
                : .optional(word, form.schema, form.description)
        }
    }

    func isFor(_ kind: NodeDefinition.KindName) -> Bool { forms.contains { $0.kind == kind } }
}

extension [NodeKeyForm] {
    fileprivate static func mutable(
        _ schema: Schema,
        _ description: String,
        isRequired: Bool = false
    ) -> [NodeKeyForm] {
        [
            NodeKeyForm(
                kind: .mutable,
                isRequired: isRequired,
                schema: schema,
                description: description
            )
        ]
    }

    fileprivate static func source(
        _ schema: Schema,
        _ description: String,
        isRequired: Bool = false
    ) -> [NodeKeyForm] {
        [NodeKeyForm(kind: .source, isRequired: isRequired, schema: schema, description: description)]
    }

    fileprivate static func derived(_ schema: Schema, _ description: String) -> [NodeKeyForm] {
        [NodeKeyForm(kind: .derived, isRequired: false, schema: schema, description: description)]
    }

    fileprivate static func every(_ schema: Schema, _ description: String) -> [NodeKeyForm] {
        mutable(schema, description) + source(schema, description) + derived(schema, description)
    }
}

/// The keys of nodes, besides those of sources, which the catalogue has.
enum NodeKeys {
    /// In the order of the documentation.
    static let all: [any NodeKeyRow] = [
        set, min, max, minLength, maxLength, pattern, `enum`, schema, initial, source, ttl, expire,
        fresh, role, requireIfMatch, confirm, pipe, retain, history, title, unit, words, icon, description,
        severity, ok,
    ]

    static func named(_ word: String) -> (any NodeKeyRow)? { byWord[word] }

    private static let byWord = Dictionary(uniqueKeysWithValues: all.map { ($0.word, $0) })

    /// A hint for a key of another program's configuration.
    static func hint(for word: String) -> String? { hints[word] }

    private static let hints = Dictionary(
        uniqueKeysWithValues: all.compactMap(\.replaces).flatMap { keys in
            keys.words.map { ($0, keys.hint) }
        }
    )

    /// Read together with its sibling checks by ``Check``.
    static let set = NodeKey(
        "set",
        .mutable(
            Check.schema,
            "Which values may be set: a type, or a list of values under `enum`.",
            isRequired: true
        ),
        read: { document, _, _ in document }
    )

    // MARK: Checks

    static let min = NodeKey(
        "min",
        .mutable(.number, "A number must be at least this."),
        shown: { $0.check.min?.text },
        read: number
    )
    static let max = NodeKey(
        "max",
        .mutable(.number, "A number must be at most this."),
        shown: { $0.check.max?.text },
        read: number
    )

    static let minLength = NodeKey(
        "minLength",
        .mutable(.count(0), "The least characters of a string, or elements of an array."),
        shown: { $0.check.minLength.map(String.init) },
        read: length
    )
    static let maxLength = NodeKey(
        "maxLength",
        .mutable(.count(0), "The most characters of a string, or elements of an array."),
        shown: { $0.check.maxLength.map(String.init) },
        read: length
    )

    static let pattern = NodeKey(
        "pattern",
        .mutable(
            .string,
            "A regular expression (RE2 syntax) that must be found somewhere in a string; "
                + "`^` and `$` tie it to the ends."
        ),
        shown: { $0.check.pattern.map(String.init(json:)) },
        read: { document, reader, _ in reader.matcher(document) }
    )

    static let `enum` = NodeKey(
        "enum",
        .mutable(.values, "The values allowed; beside `set: TYPE`, or as `set: { enum: […] }`."),
        replaces: ForeignKeys(
            "values",
            "options",
            "choices",
            hint: "the values allowed are written enum: [on, off]"
        ),
        shown: { $0.check.allowed.map { "[\($0.values.map(\.text).joined(separator: ","))]" } },
        read: { document, reader, _ in Check.allowed(document, reader) }
    )

    static let schema = NodeKey(
        "schema",
        .mutable(
            JSONSchema.ownSchema,
            "Further checks, in a part of JSON Schema."
        ),
        read: { document, reader, _ in JSONSchema(document, from: reader) }
    )

    // MARK: Nodes that are set

    static let initial = NodeKey(
        "initial",
        .mutable(
            .any,
            "The value of a new graph, which must pass the checks; without it the node is empty "
                + "until it is set."
        ),
        replaces: ForeignKeys(
            "value",
            "default_value",
            hint: "'initial' is the value before the first one is set"
        ),
        read: { document, reader, _ in reader.datum(document) }
    )

    static let ttl = NodeKey(
        "ttl",
        .mutable(.duration, "The node is empty again when it is not set for so long."),
        replaces: ForeignKeys(
            "expire_after",
            "expires",
            hint: "'ttl' says how long a value is kept"
        ),
        shown: { milliseconds($0.ttl) },
        read: span
    )

    static let expire = NodeKey(
        "expire",
        .mutable(
            .duration,
            "A member of a family is dropped when it is not set for so long, and nothing needs it."
        )
            + .source(
                .duration,
                "A member of a family is dropped so long after its last listener; 10m without it."
            ),
        shown: { milliseconds($0.expire) },
        read: span
    )

    static let fresh = NodeKey(
        "fresh",
        .mutable(
            .duration,
            "The value is stale when it is not set or confirmed for so long; it stays."
        )
            + .source(
                .duration,
                "The value is stale when its upstream has not confirmed it for so long; it stays."
            ),
        replaces: ForeignKeys(
            "expect",
            "timeout",
            hint: "'fresh' says how long a value may go without being set"
        ),
        shown: { milliseconds($0.fresh) },
        read: span
    )

    static let role = NodeKey(
        "role",
        .mutable(
            .word(NodeDefinition.Mutable.Role.self),
            "Who sets it: `sensor`, devices and programs (shown as a value); "
                + "`setting`, people (shown with a field)."
        ),
        read: { document, reader, word -> NodeDefinition.Mutable.Role? in
            reader.word(document, of: word)
        }
    )

    static let requireIfMatch = NodeKey(
        "requireIfMatch",
        .mutable(
            .boolean,
            "Whether a set must say which value it replaces: `If-Match`, or `if` on the wire."
        ),
        shown: { $0.requiresIfMatch ? "true" : nil },
        read: { document, reader, word in reader.flag(document, of: word) }
    )

    static let confirm = NodeKey(
        "confirm",
        .mutable(
            .boolean,
            "Whether the page asks before a person sets it by hand; requests of programs are not asked."
        ),
        replaces: ForeignKeys(
            "confirmation",
            hint: "'confirm: true' makes the page ask before it sets the node"
        ),
        shown: { $0.confirms ? "true" : nil },
        read: { document, reader, word in reader.flag(document, of: word) }
    )

    // MARK: Source nodes

    static let source = NodeKey(
        "source",
        .source(
            Feed.schema,
            "The upstream that sets the node while something listens; see docs/sources.md.",
            isRequired: true
        ),
        shown: { $0.feed.map(\.canonical) },
        read: { document, reader, _ in Feed(document, from: reader) }
    )

    // MARK: Derived nodes

    static let pipe = NodeKey(
        "pipe",
        .derived(.pipe, "Stages that every value goes through, in this order."),
        read: { document, reader, _ in Stage.pipe(document, from: reader) }
    )

    // MARK: All nodes

    static let retain = NodeKey(
        "retain",
        .mutable(
            .oneOf(words: Retention.held.map(\.rawValue)),
            "Nodes that are set are always held; members of families also `untilPressure`."
        )
            + .source(
                .oneOf(words: Retention.held.map(\.rawValue)),
                "`always`: the upstream is open even if nothing listens. Members of families: as those that are set."
            )
            + .derived(
                .word(Retention.self),
                "How long a derived node is held: `whileInUse`, `untilPressure` or `always`."
            ),
        read: { document, reader, word -> Retention? in reader.word(document, of: word) }
    )

    static let history = NodeKey(
        "history",
        .every(
            HistoryDefinition.schema,
            "How many earlier values are kept; `{ count: 200, for: 7d, every: 1m }` keeps steps of time too."
        ),
        read: { document, reader, word in HistoryDefinition(document, from: reader, word) }
    )

    static let title = NodeKey(
        "title",
        .every(.text, "A name for people."),
        replaces: ForeignKeys(
            "label",
            "name",
            "caption",
            "friendly_name",
            hint: "'title' is what people read"
        ),
        read: text
    )

    static let unit = NodeKey(
        "unit",
        .every(.text, "The unit of the values, for people."),
        replaces: ForeignKeys(
            "units",
            "unit_of_measurement",
            hint: "'unit' is what stands after a value"
        ),
        read: text
    )

    static let words = NodeKey(
        "words",
        .every(
            NodeWords.schema,
            "What people call its values: `{ true: open, false: closed }`; other keys than true, false, null and numbers are texts."
        ),
        read: { document, reader, word in NodeWords(document, from: reader, word) }
    )

    static let icon = NodeKey(
        "icon",
        .every(
            NodeIcon.schema,
            "A picture beside it, one of \(NodeIcon.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", "))."
        ),
        read: { document, reader, word -> String? in
            guard let name = reader.text(document, of: word) else { return nil }
            let known = NodeIcon.allCases.map(\.rawValue)
            if NodeIcon(rawValue: name) == nil {
                reader.warn(
                    "there is no icon '\(name.prefix(64))', so the general one is shown",
                    at: document.position,
                    hint: Spelling.hint(for: name, among: known) ?? "there are \(known.enumeration)"
                )
            }
            return String(name.prefix(64))
        }
    )

    static let description = NodeKey(
        "description",
        .every(.text, "What the node is about, for people."),
        read: text
    )

    static let severity = NodeKey(
        "severity",
        .every(
            .word(Alarm.Severity.self),
            "How urgent it is while the node holds `true`, or not what `ok` says, or has failed."
        ),
        read: { document, reader, word -> Alarm.Severity? in reader.word(document, of: word) }
    )

    static let ok = NodeKey(
        "ok",
        .every(.any, "Beside `severity`: the value at which all is well."),
        read: { document, reader, _ in reader.datum(document) }
    )

    @Sendable private static func milliseconds(_ span: Stage.Span?) -> String? {
        span.map { String($0.milliseconds) }
    }

    // MARK: How they are read

    @Sendable private static func number(
        _ document: Document,
        _ reader: DocumentReader,
        _ word: String
    ) -> Number? {
        reader.number(document, of: word)
    }

    @Sendable private static func length(
        _ document: Document,
        _ reader: DocumentReader,
        _ word: String
    ) -> Int? {
        reader.count(document, of: word, in: 0...Int.max)
    }

    @Sendable private static func span(
        _ document: Document,
        _ reader: DocumentReader,
        _ word: String
    ) -> Stage.Span? {
        reader.span(document, of: word)
    }

    @Sendable private static func text(
        _ document: Document,
        _ reader: DocumentReader,
        _ word: String
    ) -> String? {
        reader.text(document, of: word)
    }
}

extension Retention {
    /// Those by which a node is held that nothing uses.
    package static let held: [Retention] = [.always, .untilPressure]
}

/// The keys that a node has, by their words.
struct NodeFields {
    private let reader: DocumentReader
    private var entries: [String: Document.Entry] = [:]

    init(reader: DocumentReader) {
        self.reader = reader
    }

    mutating func add(_ entry: Document.Entry, as row: any NodeKeyRow) { entries[row.word] = entry }

    /// Where the key's value stands, if the node has it.
    subscript(key: any NodeKeyRow) -> Document? { entries[key.word]?.value }

    /// Where the key stands, if the node has it.
    func place(of key: any NodeKeyRow) -> Position? { entries[key.word]?.key.position }

    func read<Value>(_ key: NodeKey<Value>) -> Value? {
        self[key].flatMap { key.read($0, reader, key.word) }
    }
}

extension NodeDefinition.Mutable {
    /// What pictures show of its keys, from which an editor can be built.
    package var shown: [(word: String, json: String)] {
        NodeKeys.all.compactMap { key in key.shown?(self).map { (key.word, $0) } }
    }
}

extension NodeDefinition {
    /// The table of docs/definitions.md: every key, on which nodes it stands, and what it means.
    public static var keyTable: String {
        var lines = ["| key | of nodes | means |", "|---|---|---|"]
        for row in NodeKeys.all {
            var descriptions: [String] = []
            for form in row.forms where !descriptions.contains(form.description) {
                descriptions.append(form.description)
                let kinds = row.forms.filter { $0.description == form.description }.map(\.kind)
                let isWhole = kinds.count == KindName.allCases.count
                let nodes = isWhole ? "all" : "that \(kinds.map(\.clause).joined(separator: " or "))"
                lines.append("| `\(row.word)` | \(nodes) | \(form.description) |")
            }
        }
        return lines.joined(separator: "\n")
    }
}

extension NodeDefinition.KindName {
    /// What nodes of that kind are, for people, after "nodes that".
    var clause: String {
        switch self {
        case .mutable: "are set"
        case .source: "have a source"
        case .derived: "are derived"
        }
    }
}
