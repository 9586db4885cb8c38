internal import CEL
internal import ReactiveGraph
internal import Values

/// A way in which an upstream sends values: a word under `source`, with the keys that belong to it.
///
/// Reading and the JSON Schema are made from these rows.
struct FeedRow: WordRow {
    let word: String
    /// What kind of upstream it is for.
    let upstream: UpstreamRow
    /// The keys besides the word and those that every source may have.
    let fields: [Schema.Field]
    /// For people, in Markdown without links.
    let summary: String
    let read: @Sendable (FeedReading) -> Feed.Kind?

    /// The keys that every source may have.
    static let shared: [Schema.Field] = [
        .optional(
            "pick",
            .expression,
            "Makes the node's value from what comes (`value`) and, in a family, from the texts of the placeholders (`key`)."
        )
    ]

    var value: Schema { .string(pattern: "^[A-Za-z0-9_][A-Za-z0-9_.-]*:") }
}

/// A node's `source` being read.
final class FeedReading {
    let reader: DocumentReader
    let row: FeedRow
    /// What follows the upstream's name and the colon.
    let rest: Substring
    /// Where the row's word stands.
    let position: Position
    let fields: [String: Document]
    /// Makes the node's value from what comes.
    private(set) lazy var pick = expression("pick", seeing: ["value"])

    init(
        _ reader: DocumentReader,
        _ row: FeedRow,
        rest: Substring,
        at position: Position,
        _ fields: [String: Document]
    ) {
        (self.reader, self.row, self.rest) = (reader, row, rest)
        (self.position, self.fields) = (position, fields)
    }

    /// What follows the upstream's name, with placeholders.
    func template() -> Template? {
        do throws(Template.Unpaired) {
            return try Template(rest)
        } catch {
            return reader.refuse(
                "'\(rest)' has a brace without its other",
                at: position,
                hint: "a placeholder is written {id}"
            )
        }
    }

    /// The expression under a key; in a family it sees the texts of the placeholders.
    func expression(_ key: String, seeing variables: [String]) -> Expression? {
        reader.types.names = [:]
        return fields[key].flatMap { reader.expression($0, of: key, variables: variables) }
    }

    /// Reports placeholders that the family does not have, and those that stand neither in what is
    /// asked for nor in an expression, so that all members would be the same.
    func check(placeholders used: [String], joined: [String], _ expressions: [Expression?]) {
        let own = reader.family?.placeholders ?? []
        for name in used + joined where !own.contains(name) {
            let text = joined.contains(name) ? "{\(name)*}" : "{\(name)}"
            reader.add(
                own.isEmpty
                    ? "\(text) is for families: this node has no placeholders"
                    : "the family has no placeholder {\(name)}",
                at: position
            )
        }
        if joined.count > 1 { reader.add("only one placeholder can be joined", at: position) }
        let isSeen = expressions.contains { $0.map { $0.source.contains("key") } == true }
        for name in own where !used.contains(name) && !joined.contains(name) && !isSeen {
            reader.add(
                "nothing uses the placeholder {\(name)}: all members would have the same value",
                at: position,
                hint: "write {\(name)} in the address, or key.\(name) in 'pick'"
            )
        }
    }
}
