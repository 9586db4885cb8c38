internal import ReactiveGraph
internal import Values

/// One of several forms of a mapping, told from the others by a word that only it has.
protocol WordRow: Sendable {
    var word: String { get }
    /// The keys besides the word and those that all forms may have.
    var fields: [Schema.Field] { get }
    /// The keys that all forms may have.
    static var shared: [Schema.Field] { get }
    /// What stands under the word.
    var value: Schema { get }
    /// For people, in Markdown without links.
    var summary: String { get }
}

extension WordRow {
    var schema: Schema { .mapping([.required(word, value, summary)] + fields + Self.shared) }
}

extension DocumentReader {
    /// The form that a mapping has, and its fields.
    func row<Row: WordRow>(
        _ document: Document,
        of what: String,
        among rows: [Row],
        hint: String
    ) -> (row: Row, fields: [String: Document])? {
        guard let members = members(document, of: what) else { return nil }
        let stated = rows.filter { row in members.contains { $0.key == row.word } }
        guard stated.count == 1, let row = stated.first else {
            let problem =
                stated.isEmpty
                ? "\(what) needs one of \(rows.map(\.word).enumeration)"
                : "\(what) has \(stated.map(\.word).enumeration): only one of them is allowed"
            return refuse(problem, at: document.position, hint: hint)
        }
        let known = [Schema.Field.required(row.word, row.value)] + row.fields + Row.shared
        return (row, fields(document, of: what, known))
    }
}
