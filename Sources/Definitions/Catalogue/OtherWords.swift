/// What people write who know other configurations, and how it is written here.
enum OtherWords {
    /// Words for types and figures, with the one that means the same here.
    private static let words = [
        "mean": "avg", "average": "avg", "median": "p50", "total": "sum", "minimum": "min",
        "maximum": "max", "length": "count", "bool": "boolean", "switch": "boolean",
        "toggle": "boolean", "float": "number", "double": "number", "decimal": "number",
        "numeric": "number", "real": "number", "int": "integer", "long": "integer",
        "text": "string", "str": "string", "list": "array", "dict": "object", "map": "object",
        "json": "any",
    ]

    /// Keys that were meant to say where the values of a node come from, with a hint.
    private static let sources = table([
        "type kind datatype": "a node that clients set says so by 'set', as in set: number",
        "expr expression formula template value_template function":
            "write combine: { a: NODE, b: NODE }, map: \"a + b\"; "
            + "of one node: from: NODE, pipe: [ { map: \"value * 2\" } ]",
        "source input inputs topic entity entity_id":
            "'from' names the node it is made from; several: combine: { a: NODE, b: NODE }",
        "cron": "write schedule: \"*/15 * * * *\"",
    ])

    private static func table(_ rows: [String: String]) -> [String: String] {
        var table: [String: String] = [:]
        for (keys, hint) in rows {
            for key in keys.split(separator: " ") { table[String(key)] = hint }
        }
        return table
    }

    /// A hint for a word in place of one of `known`.
    static func hint(word: String, among known: [String]) -> String? {
        guard let here = words[word.lowercased()], known.contains(here) else { return nil }
        return "'\(word)' is written '\(here)' here"
    }

    /// A hint for an unknown key of a node, and whether the key was meant to say where its values
    /// come from, as those of `sources` do.
    static func hint(
        key: String,
        among known: [String],
        from sources: [String]
    ) -> (text: String, isSource: Bool)? {
        if let hint = Self.sources[key] { return (hint, true) }
        let word = String(key.prefix { $0 != ":" })
        guard let hint = space(in: key), known.contains(word) || sources.contains(word) else { return nil }
        return (hint, sources.contains(word))
    }

    /// A hint for `key:value`, which YAML takes for one word.
    package static func space(in text: String) -> String? {
        guard let colon = text.firstIndex(of: ":"), text.first?.isLetter == true else { return nil }
        let (word, rest) = (text[..<colon], text[text.index(after: colon)...])
        guard word.allSatisfy({ $0.isLetter || $0 == "_" }), let first = rest.first, first != "/",
            first != " "
        else { return nil }
        return "a space is needed after ':', as in \(word): \(rest)"
    }

    /// A hint for a list of values in place of a type.
    static func hint(values: Document) -> String? {
        guard let elements = values.elements, !elements.isEmpty else { return nil }
        let texts = elements.prefix(4).compactMap(\.scalar?.text)
        guard texts.count == min(elements.count, 4),
            !texts.contains(where: { words[$0] != nil || Check.Kind(rawValue: $0) != nil })
        else { return nil }
        let more = elements.count > 4 ? ", …" : ""
        return "a choice of values is written: set: { enum: [\(texts.joined(separator: ", "))\(more)] }"
    }

    /// A hint for a list in place of a node.
    static func hint(nodes: Document) -> String? {
        guard let elements = nodes.elements, elements.count > 1,
            let a = elements[0].scalar?.text, let b = elements[1].scalar?.text
        else { return nil }
        return "together: combine: { a: \(a), b: \(b) }; whichever was set last: merge: [\(a), \(b)]"
    }
}
