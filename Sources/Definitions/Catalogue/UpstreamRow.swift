internal import ReactiveGraph
internal import Values

/// A kind of upstream: the word for its address, with the keys that belong to it.
///
/// Reading and the JSON Schema are made from these rows.
struct UpstreamRow: WordRow {
    let word: String
    let schemes: [RemoteURL.Scheme]
    /// Whether sinks can send values to it.
    var takesValues = false
    /// An address, for messages.
    let example: String
    /// The keys besides the word.
    let fields: [Schema.Field]
    /// For people, in Markdown without links.
    let summary: String
    /// Makes its kind from the fields, and from the address, which is read already.
    let read: @Sendable (DocumentReader, [String: Document], RemoteURL) -> UpstreamDefinition.Kind?

    static let shared: [Schema.Field] = []

    var value: Schema {
        .string(pattern: "^(\(schemes.map(\.rawValue).joined(separator: "|")))://[^#@? ]+$")
    }
}
