internal import ReactiveGraph
internal import Support
internal import Values

/// A kind of destination of sinks: the word for it, with the keys that belong to it.
///
/// Reading and the JSON Schema are made from these rows.
struct SinkRow: WordRow {
    let word: String
    let value: Schema
    /// The keys besides the word and those that every sink has.
    let fields: [Schema.Field]
    /// For people, in Markdown without links.
    let summary: String
    let read: @Sendable (SinkReading) -> SinkDefinition.Target?

    /// The keys that every sink may have.
    static let shared: [Schema.Field] = [
        .required(
            "from",
            .either(.node, .glob),
            "The node whose values are sent, or a glob: then those of all nodes that match."
        ),
        .optional(
            "mode",
            .word(SinkDefinition.Mode.self, default: .latest),
            "Whether all values are sent, or the newest."
        ),
        .optional(
            "queue",
            .count(1, SinkDefinition.mostQueuedOfGlob),
            "How many values may wait in mode all, 256 without it, 10,000 of a glob; then the oldest is dropped."
        ),
        .optional(
            "repeats",
            .boolean.with("default", false),
            "Whether mode latest also sends a value equal to the one that arrived last."
        ),
        .optional("timeout", .duration, "How long an answer may take, at most a minute; 10s without it."),
    ]
}

/// A sink being read.
struct SinkReading {
    let reader: DocumentReader
    let fields: [String: Document]
    /// What stands under the row's word.
    let document: Document
    /// Whether the sink is over a glob.
    let isOverGlob: Bool
}
