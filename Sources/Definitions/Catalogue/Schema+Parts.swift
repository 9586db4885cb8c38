internal import CEL
internal import Support
internal import Values

// The schemas that those of definitions and pipelines refer to.
extension Schema {
    static let node = part(
        "name",
        described("The name of a node, or of a family with placeholders: sensor.{id}.celsius.")
            .and(.string(pattern: "^[A-Za-z0-9_{][A-Za-z0-9_.{}-]{0,127}$"))
    )

    static let glob = string(atMost: Name.maximumBytes).with("pattern", "[*?]")

    static let nodes = part("names", .list(of: .node, 1, Source.mostInputs))

    static let identifier = part(
        "identifier",
        .string(pattern: "^[A-Za-z_][A-Za-z0-9_]*$")
            .with("not", .schema(.oneOf(words: Identifier.reserved.sorted())))
    )

    static let expression = part(
        "expression",
        described("An expression in CEL, see docs/expressions.md.")
            .and(.type("string", "number", "boolean"))
    )

    static let duration = part(
        "duration",
        described("250ms, 5s, 2m, 1h, 7d, or whole milliseconds; at most 366 days.").and(
            either(.count(1, Stage.Span.longest), .string(pattern: "^0*[1-9][0-9]*(ms|s|m|h|d)?$"))
        )
    )

    /// Text for people; YAML may take it for something else.
    static let text = part("text", .type("string", "number", "boolean"))

    /// The values that a node allows.
    static let values = part("enum", .list(of: .any).with("minItems", 1).with("uniqueItems", true))

    /// Its stages are those of a catalogue, see ``Catalogue/definitionSchema``.
    static let pipe = part(within: "pipe")

    private static func described(_ text: String) -> Schema { any.described(text) }
}
